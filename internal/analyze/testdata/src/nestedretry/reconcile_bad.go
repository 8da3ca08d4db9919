package nestedretry

import (
	"context"

	refunds "example.com/on-ambiguous"
	"github.com/cenkalti/backoff/v5"

	"github.com/retrygen/retrygen/runtime"
)

// The question is one call as well.
func asksAgain(ctx context.Context, c *refunds.Client, p refunds.Payment) (*refunds.Payment, error) {
	return c.CreatePayment(ctx, p, runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*refunds.Payment, runtime.Effect, error) {
		page, err := backoff.Retry(ctx, func() (*refunds.Page, error) {
			return c.ListPayments(ctx, refunds.ListPaymentsParams{}) // want `Client.ListPayments .*: backoff calls it again when it fails`
		})
		if err != nil || page == nil {
			return nil, runtime.Unknown, err
		}
		return nil, runtime.NotExecuted, nil
	}))
}
