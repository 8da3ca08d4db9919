package ambiguous

import (
	"context"
	"fmt"
	"log"

	"example.com/payments"
)

// settleLater hands on what its closure leaves, so its callers are asked.
func (s *service) settleLater(ctx context.Context) (err error) {
	defer func() { err = s.shop.CapturePayment(ctx) }()
	return nil
}

func (s *service) settled(ctx context.Context) {
	_ = s.settleLater(ctx) // want `settleLater \(which calls Client.CapturePayment\) may end ambiguous, and its error is not looked at`
}

func (s *service) deferredLog(ctx context.Context) {
	defer func() {
		if err := s.shop.CapturePayment(ctx); err != nil { // want `is only logged`
			log.Print(err)
		}
	}()
}

func logged[T any](v T, err error) T {
	if err != nil {
		log.Print(err)
	}
	return v
}

func wrapped[T any](v T, err error) (T, error) {
	if err != nil {
		return v, fmt.Errorf("wrapped: %w", err)
	}
	return v, nil
}

func (s *service) generic(ctx context.Context, p payments.NewPayment) *payments.Payment {
	return logged(s.payments.CreatePayment(ctx, p)) // want `is only logged`
}

func (s *service) genericTwice(ctx context.Context, p payments.NewPayment) *payments.Payment {
	payment, err := wrapped(s.payments.CreatePayment(ctx, p)) // want `is only logged`
	if err != nil {
		log.Print(err)
	}
	return payment
}
