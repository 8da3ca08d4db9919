package nestedretry

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	bodies "example.com/bodies-by-replayability"
	shop "example.com/idempotency-kinds"
	"example.com/payments"
	avast "github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/retrygen/retrygen/runtime"
)

func cenkalti(ctx context.Context, c *payments.Client, p payments.NewPayment) (*payments.Payment, error) {
	return backoff.Retry(ctx, func() (*payments.Payment, error) {
		return c.CreatePayment(ctx, p) // want `Client.CreatePayment makes up to 3 attempts by itself: backoff calls it again when it fails`
	}, backoff.WithMaxTries(3))
}

func viaVariable(ctx context.Context, c *shop.Client) error {
	operation := func() error {
		if err := c.CapturePayment(ctx); err != nil { // want `Client.CapturePayment is sent once, for its contract permits no repetition: retry-go calls it again`
			return err
		}
		return nil
	}
	return avast.Do(operation, avast.Attempts(3))
}

func declared(ctx context.Context, b retry.Backoff, s *service) error {
	return retry.Do(ctx, b, s.try)
}

type service struct{ shop *shop.Client }

func (s *service) try(ctx context.Context) error {
	return s.shop.CapturePayment(ctx) // want `go-retry calls it again`
}

func policies(ctx context.Context, c *shop.Client, p failsafe.Policy[any]) error {
	return failsafe.With(p).Run(func() error { return capture(ctx, c) }) // want `capture \(which calls Client.CapturePayment\) is sent once, .* failsafe-go calls it again`
}

func capture(ctx context.Context, c *shop.Client) error { return c.CapturePayment(ctx) }

func untilItWorks(ctx context.Context, c *shop.Client) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := c.CapturePayment(ctx); err != nil { // want `wait.PollUntilContextTimeout calls it until it succeeds`
			return false, nil
		}
		return true, nil
	})
}

func inOpener(ctx context.Context, c *bodies.Client, p *payments.Client) error {
	return c.PutFile(ctx, func() (io.ReadCloser, error) {
		payment, err := p.CreatePayment(ctx, payments.NewPayment{}) // want `the opener of a body runs once per attempt`
		if err != nil {
			return nil, err
		}
		return io.NopCloser(strings.NewReader(payment.ID)), nil
	})
}

// tokens buys a token for every attempt.
type tokens struct{ shop *shop.Client }

func (t tokens) Token(ctx context.Context) (string, error) {
	if err := t.shop.CapturePayment(ctx); err != nil { // want `a Credential is asked within every call; .*runtime.NewRenewable keeps a token`
		return "", err
	}
	return "token", nil
}

func credential(t tokens) payments.Config { return payments.Config{Token: t} }

func observed(ctx context.Context, c *shop.Client) payments.Config {
	return payments.Config{Upstream: runtime.UpstreamConfig{
		Observer: func(runtime.Event) {
			if err := c.ListPayments(ctx); err != nil { // want `the observer runs within every call`
				panic(err)
			}
		},
	}}
}

// ownToken fetches the client's token with the client.
func ownToken() (client *payments.Client, err error) {
	client, err = payments.New(payments.Config{Token: runtime.NewRenewable(func(ctx context.Context) (runtime.Token, error) {
		_, err := client.CreatePayment(ctx, payments.NewPayment{}) // want `the client asks its own credential`
		return runtime.Token{}, err
	})})
	return client, err
}

type tripper struct{ shop *shop.Client }

func (t *tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, t.shop.ListPayments(r.Context()) // want `a RoundTripper runs once per attempt`
}

func transports(t *tripper) []runtime.UpstreamConfig {
	return []runtime.UpstreamConfig{
		{RoundTripper: t},
		{RoundTripper: &retryablehttp.RoundTripper{}}, // want `retryablehttp.RoundTripper repeats requests by itself, and the client refuses it`
	}
}

// A generated method is itself what is repeated.
func bound(ctx context.Context, b retry.Backoff, c *unary) error {
	return retry.Do(ctx, b, c.ping)
}

type unary struct{ shop *shop.Client }

func (u *unary) ping(ctx context.Context) error {
	return u.shop.ListPayments(ctx) // want `Client.ListPayments makes up to 5 attempts by itself: go-retry calls it again`
}
