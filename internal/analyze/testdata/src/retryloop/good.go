package retryloop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	shop "example.com/idempotency-kinds"
	"example.com/payments"

	"github.com/retrygen/retrygen/runtime"
)

// One call per item, whatever becomes of each.
func items(ctx context.Context, c *payments.Client, orders []string) {
	for _, order := range orders {
		if _, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err != nil {
			log.Print(err)
			continue
		}
	}
}

// The first that succeeds: each is another call.
func firstOf(ctx context.Context, c *payments.Client, orders []string) error {
	for _, order := range orders {
		if _, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err == nil {
			return nil
		}
	}
	return errors.New("none")
}

// Another upstream each time.
func failover(ctx context.Context, clients []*shop.Client) (err error) {
	for _, c := range clients {
		if err = c.CapturePayment(ctx); err == nil {
			return nil
		}
	}
	return err
}

func lines(ctx context.Context, c *payments.Client, in *bufio.Scanner) {
	for in.Scan() {
		order := in.Text()
		if _, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err == nil {
			break
		}
	}
}

// A failure ends it.
func pages(ctx context.Context, c *shop.Client) error {
	for {
		if err := c.ListPayments(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// It goes on after a success as well.
func heartbeat(ctx context.Context, c *shop.Client) {
	for ctx.Err() == nil {
		if err := c.ListPayments(ctx); err != nil {
			log.Print(err)
		}
		time.Sleep(time.Second)
	}
}

// It waits for what the call answers, and puts up with failures meanwhile.
func poll(ctx context.Context, c *payments.Client, p payments.NewPayment) string {
	for {
		payment, err := c.CreatePayment(ctx, p)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		if payment.ID != "" {
			return payment.ID
		}
	}
}

// A replay goes by the key, and by how long it holds.
func replayed(ctx context.Context, c *payments.Client, p payments.NewPayment) error {
	var opts []runtime.CallOption
	for {
		_, err := c.CreatePayment(ctx, p, opts...)
		again, refused := runtime.Replay(err)
		if refused != nil {
			return err
		}
		opts = []runtime.CallOption{again}
	}
}

func replayedAfterwards(ctx context.Context, c *payments.Client, p payments.NewPayment) error {
	_, err := c.CreatePayment(ctx, p)
	for err != nil {
		again, refused := runtime.Replay(err)
		if refused != nil {
			return err
		}
		_, err = c.CreatePayment(ctx, p, again)
	}
	return nil
}

func replayedNamed(ctx context.Context, c *payments.Client, p payments.NewPayment) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("pay: %w", err)
		}
	}()
	var opts []runtime.CallOption
	for {
		if _, err = c.CreatePayment(ctx, p, opts...); err == nil {
			return nil
		}
		again, refused := runtime.Replay(err)
		if refused != nil {
			return err
		}
		opts = []runtime.CallOption{again}
	}
}

func each(items []string, f func() error) error {
	for range items {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func forEach(ctx context.Context, c *shop.Client, items []string) error {
	return each(items, func() error { return c.CapturePayment(ctx) })
}

func perMessage(ctx context.Context, c *payments.Client, queue <-chan string) {
	for {
		order := <-queue
		if _, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err == nil {
			return
		}
	}
}
