package ambiguous

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"example.com/payments"
)

// A closure that leaves its error in a variable of the function around it hands it to
// whom that function hands it.

func (s *service) joinedLater(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, s.shop.CapturePayment(ctx)) }()
	return nil
}

func (s *service) firstError(ctx context.Context) (n int, err error) {
	defer func() {
		if e := s.shop.CapturePayment(ctx); e != nil && err == nil {
			err = fmt.Errorf("capture: %w", e)
		}
	}()
	return 1, nil
}

func (s *service) called(ctx context.Context) error {
	var err error
	func() { err = s.shop.CapturePayment(ctx) }()
	return err
}

func (s *service) awaited(ctx context.Context) error {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err = s.payments.CreatePayment(ctx, payments.NewPayment{})
	}()
	<-done
	return err
}

func (s *service) once(ctx context.Context) error {
	var once sync.Once
	var err error
	once.Do(func() { err = s.shop.CapturePayment(ctx) })
	return err
}

func (s *service) later(ctx context.Context) func() error {
	err := s.shop.CapturePayment(ctx)
	return func() error { return err }
}

func (s *service) asksLater(ctx context.Context) error {
	later := s.later(ctx)
	return later()
}

func remembered(err error) func() error { return func() error { return err } }

func (s *service) remembers(ctx context.Context) func() error {
	return remembered(s.shop.CapturePayment(ctx))
}

// first has its error elsewhere than last.
func (s *service) first(ctx context.Context) (error, string) {
	return s.shop.CapturePayment(ctx), "captured"
}

func (s *service) takesFirst(ctx context.Context) error {
	err, _ := s.first(ctx)
	return err
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (s *service) panics(ctx context.Context) *payments.Payment {
	return must(s.payments.CreatePayment(ctx, payments.NewPayment{}))
}
