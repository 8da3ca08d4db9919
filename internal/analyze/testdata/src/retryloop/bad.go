package retryloop

import (
	"bytes"
	"context"
	"errors"
	"time"

	bodies "example.com/bodies-by-replayability"
	shop "example.com/idempotency-kinds"
	"example.com/payments"

	"github.com/retrygen/retrygen/runtime"
)

func counted(ctx context.Context, c *payments.Client, p payments.NewPayment) (err error) {
	for i := 0; i < 3; i++ {
		_, err = c.CreatePayment(ctx, p) // want `Client.CreatePayment makes up to 3 attempts by itself: a loop calls it again when it fails; call it once, and hand its error on`
		if err == nil {
			return nil
		}
		time.Sleep(time.Second << i)
	}
	return err
}

// A replay at the end makes no better loop.
func replayedInTheEnd(ctx context.Context, c *payments.Client, p payments.NewPayment) (err error) {
	for range 3 {
		if _, err = c.CreatePayment(ctx, p); err == nil { // want `makes up to 3 attempts by itself: a loop`
			return nil
		}
	}
	again, refused := runtime.Replay(err)
	if refused != nil {
		return err
	}
	_, err = c.CreatePayment(ctx, p, again)
	return err
}

func ranged(ctx context.Context, c *shop.Client) (err error) {
	for range 3 {
		if err = c.VoidPayment(ctx); err == nil { // want `makes up to 2 attempts by itself`
			break
		}
	}
	return err
}

func onceOnly(ctx context.Context, c *shop.Client) error {
	for {
		err := c.CapturePayment(ctx) // want `Client.CapturePayment is sent once, for its contract permits no repetition: a loop`
		if err != nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
				continue
			}
		}
		return nil
	}
}

func condition(ctx context.Context, c *shop.Client) {
	err := errors.New("not yet")
	for tries := 0; err != nil && tries < 5; tries++ {
		err = c.CapturePayment(ctx) // want `a loop calls it again`
	}
}

func flag(ctx context.Context, c *shop.Client) {
	done := false
	for !done {
		err := c.CapturePayment(ctx) // want `a loop calls it again`
		done = err == nil
	}
}

func question(ctx context.Context, c *shop.Client) error {
	for {
		err := c.CapturePayment(ctx) // want `a loop calls it again`
		if !temporary(err) {
			return err
		}
	}
}

func temporary(err error) bool {
	var status *runtime.StatusError
	return errors.As(err, &status) && status.Status == 503
}

func label(ctx context.Context, c *shop.Client) error {
	tries := 0
again:
	err := c.CapturePayment(ctx) // want `a loop calls it again`
	if tries++; err != nil && tries < 3 {
		goto again
	}
	return err
}

// The body is made anew, and is the same.
func sameBody(ctx context.Context, c *bodies.Client, data []byte) (err error) {
	for range 3 {
		if err = c.PutStream(ctx, bytes.NewReader(data)); err == nil { // want `a loop calls it again`
			return nil
		}
	}
	return err
}

// Each item is tried three times.
func perItem(ctx context.Context, c *payments.Client, orders []string) {
	for _, order := range orders {
		for range 3 {
			_, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}) // want `a loop calls it again`
			if err == nil {
				break
			}
		}
	}
}

func wrapped(ctx context.Context, c *payments.Client, p payments.NewPayment) {
	for range 3 {
		if pay(ctx, c, p) == nil { // want `pay \(which calls Client.CreatePayment\) makes up to 3 attempts`
			return
		}
	}
}

func pay(ctx context.Context, c *payments.Client, p payments.NewPayment) error {
	_, err := c.CreatePayment(ctx, p)
	return err
}

func try(times int, f func() error) (err error) {
	for range times {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func helped(ctx context.Context, c *shop.Client) error {
	return try(3, func() error {
		return c.CapturePayment(ctx) // want `Client.CapturePayment is sent once, for its contract permits no repetition: try calls it again when it fails`
	})
}
