package ambiguous

import (
	"context"
	"errors"
	"fmt"
	"log"

	refunds "example.com/on-ambiguous"

	"github.com/retrygen/retrygen/runtime"
)

// Who returns the ambiguous error must look at it.
func returnedAndDropped(ctx context.Context, c *refunds.Client, p refunds.Payment) {
	_, _ = c.CreatePayment(ctx, p, runtime.ReturnAmbiguous[*refunds.Payment]())                     // want `Client.CreatePayment may end ambiguous, and its error is not looked at`
	if err := c.CancelPayment(ctx, p.ID, runtime.ReturnAmbiguous[runtime.NoResult]()); err != nil { // want `Client.CancelPayment may end ambiguous, and its error is only logged`
		log.Print(err)
	}
}

// Who asks may get no answer.
func askedAndDropped(ctx context.Context, c *refunds.Client, p refunds.Payment) {
	ask := runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*refunds.Payment, runtime.Effect, error) {
		return nil, runtime.Unknown, errors.New("nobody knows")
	})
	_, _ = c.CreatePayment(ctx, p, ask) // want `Client.CreatePayment may end ambiguous, and its error is not looked at`
}

func askedAndFlattened(ctx context.Context, c *refunds.Client, id string) error {
	ask := runtime.ReconcileEffect(func(ctx context.Context, a *runtime.AmbiguousError) (runtime.Effect, error) {
		return runtime.Unknown, nil
	}).EvenIfCancelled()
	if err := c.CancelPayment(ctx, id, ask); err != nil { // want `Client.CancelPayment may end ambiguous, and its error is turned into one that does not tell`
		return fmt.Errorf("cancel: %v", err)
	}
	return nil
}

// The question is a call, too.
func askedByDoing(ctx context.Context, c *refunds.Client, p refunds.Payment, id string) error {
	_, err := c.CreatePayment(ctx, p, runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*refunds.Payment, runtime.Effect, error) {
		_ = c.CancelPayment(ctx, id, runtime.ReturnAmbiguous[runtime.NoResult]()) // want `Client.CancelPayment may end ambiguous, and its error is not looked at`
		return nil, runtime.NotExecuted, nil
	}))
	return err
}
