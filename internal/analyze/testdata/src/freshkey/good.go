package freshkey

import (
	"context"
	"time"

	shop "example.com/idempotency-kinds"
	"example.com/payments"
	"github.com/google/uuid"

	"github.com/retrygen/retrygen/runtime"
)

type payout struct{ id, key string }

func saved(ctx context.Context, c *shop.Client, save func(string) error) error {
	key := uuid.NewString()
	if err := save(key); err != nil {
		return err
	}
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key))
}

func inRecord(ctx context.Context, c *shop.Client, save func(*payout)) error {
	p := &payout{id: "1", key: uuid.NewString()}
	save(p)
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(p.key))
}

func fromStore(ctx context.Context, c *shop.Client, stored []payout) error {
	for _, p := range stored {
		if err := c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(p.key)); err != nil {
			return err
		}
	}
	return nil
}

func ofTheDay(ctx context.Context, c *shop.Client, user string) error {
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(user+time.Now().Format(time.DateOnly)))
}

func byTemplate(ctx context.Context, c *payments.Client, order string) error {
	_, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	return err
}

func fallback(ctx context.Context, c *shop.Client, key string) (string, error) {
	if key == "" {
		key = uuid.NewString()
	}
	return key, c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key))
}
