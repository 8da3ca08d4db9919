package ambiguous

import (
	"context"
	"errors"

	refunds "example.com/on-ambiguous"

	"github.com/retrygen/retrygen/runtime"
)

func returnedAndAsked(ctx context.Context, c *refunds.Client, p refunds.Payment) (perhaps bool) {
	_, err := c.CreatePayment(ctx, p, runtime.ReturnAmbiguous[*refunds.Payment]())
	var ambiguous *runtime.AmbiguousError
	return errors.As(err, &ambiguous)
}

// The error of the question is that of the call.
func askedAndHandedOn(ctx context.Context, c *refunds.Client, p refunds.Payment) (*refunds.Payment, error) {
	return c.CreatePayment(ctx, p, runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*refunds.Payment, runtime.Effect, error) {
		page, err := c.ListPayments(ctx, refunds.ListPaymentsParams{})
		if err != nil {
			return nil, runtime.Unknown, err
		}
		_ = page
		return nil, runtime.NotExecuted, nil
	}))
}
