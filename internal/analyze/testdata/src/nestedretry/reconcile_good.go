package nestedretry

import (
	"context"

	refunds "example.com/on-ambiguous"

	"github.com/retrygen/retrygen/runtime"
)

// To ask what happened is a call of its own, which the client makes once.
func asks(ctx context.Context, c *refunds.Client, p refunds.Payment) (*refunds.Payment, error) {
	return c.CreatePayment(ctx, p, runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*refunds.Payment, runtime.Effect, error) {
		for payment, err := range c.ListPaymentsAll(ctx, refunds.ListPaymentsParams{}) {
			if err != nil {
				return nil, runtime.Unknown, err
			}
			if payment.ID == p.ID {
				return &payment, runtime.Executed, nil
			}
		}
		return nil, runtime.NotExecuted, c.Probe(ctx)
	}))
}
