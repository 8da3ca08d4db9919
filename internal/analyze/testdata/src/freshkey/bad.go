package freshkey

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	shop "example.com/idempotency-kinds"
	"example.com/payments"
	"github.com/avast/retry-go/v4"
	"github.com/google/uuid"

	"github.com/retrygen/retrygen/runtime"
)

func everyTime(ctx context.Context, c *shop.Client, save func(string)) (err error) {
	for range 3 {
		key := uuid.NewString()
		save(key)
		if err = c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key)); err == nil { // want `every repetition of Client.CreatePayout bears another idempotency key, so each may act once: draw the key before, and store it`
			return nil
		}
	}
	return err
}

func inLibrary(ctx context.Context, c *shop.Client) error {
	return retry.Do(func() error {
		return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(uuid.New().String())) // want `every repetition of Client.CreatePayout bears another idempotency key`
	})
}

func insteadOfTemplate(ctx context.Context, c *payments.Client, p payments.NewPayment) error {
	_, err := c.CreatePayment(ctx, p, runtime.Key(rand.Text())) // want `a key that is drawn here replaces the contract's pay-{order_id}, which is the same whenever the call is made again: remove the option`
	return err
}

func lost(ctx context.Context, c *shop.Client) error {
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(uuid.NewString())) // want `a key that is drawn here and stored nowhere protects from nothing that the client's own does not: remove the option, or store the key before the call`
}

func lostAmongOthers(ctx context.Context, c *shop.Client) error {
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key("payout-"+uuid.NewString()), runtime.MaxAttempts(1)) // want `stored nowhere`
}

func byClock(ctx context.Context, c *shop.Client, user string) error {
	key := fmt.Sprintf("%s-%s", user, time.Now().Format(time.RFC3339))
	log.Print("key ", key)
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key)) // want `stored nowhere`
}

func byNanoseconds(ctx context.Context, c *shop.Client) error {
	key := fmt.Sprintf("payout-%d", time.Now().UnixNano())
	return c.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key)) // want `stored nowhere`
}

func noKeyAtAll(ctx context.Context, c *shop.Client, key string) error {
	return c.CreatePayment(ctx, shop.CreatePaymentRequest{}, runtime.Key(key)) // want `Client.CreatePayment takes no idempotency key, and every call with one is rejected: remove the option`
}
