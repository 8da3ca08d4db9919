package nestedretry

import (
	"context"
	"io"
	"os"
	"time"

	bodies "example.com/bodies-by-replayability"
	shop "example.com/idempotency-kinds"
	"example.com/payments"
	avast "github.com/avast/retry-go/v4"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/retrygen/retrygen/runtime"
)

// What is retried is something else.
func beside(ctx context.Context, c *payments.Client, dial func() error) error {
	if err := avast.Do(dial); err != nil {
		return err
	}
	_, err := c.CreatePayment(ctx, payments.NewPayment{})
	return err
}

// It waits for what the call answers.
func untilPaid(ctx context.Context, c *payments.Client) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		payment, err := c.CreatePayment(ctx, payments.NewPayment{})
		if err != nil {
			return false, nil
		}
		return payment.ID != "", nil
	})
}

// An error ends the waiting.
func untilDone(ctx context.Context, c *shop.Client) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := c.ListPayments(ctx); err != nil {
			return false, err
		}
		return true, nil
	})
}

// A token of one upstream is fetched from another, once.
func otherToken(auth *shop.Client) (*payments.Client, error) {
	return payments.New(payments.Config{Token: runtime.NewRenewable(func(ctx context.Context) (runtime.Token, error) {
		return runtime.Token{Secret: "s"}, auth.ListPayments(ctx)
	})})
}

func opener(ctx context.Context, c *bodies.Client, name string) error {
	return c.PutFile(ctx, func() (io.ReadCloser, error) { return os.Open(name) })
}

func observer(events chan<- runtime.Event) runtime.UpstreamConfig {
	return runtime.UpstreamConfig{Observer: func(e runtime.Event) { events <- e }}
}
