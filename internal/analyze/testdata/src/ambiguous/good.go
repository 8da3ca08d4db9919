package ambiguous

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	shop "example.com/idempotency-kinds"
	tags "example.com/interface-and-tags"
	"example.com/payments"

	"github.com/retrygen/retrygen/runtime"
)

func (s *service) returned(ctx context.Context, p payments.NewPayment) (*payments.Payment, error) {
	return s.payments.CreatePayment(ctx, p)
}

func (s *service) asked(ctx context.Context, p payments.NewPayment) string {
	_, err := s.payments.CreatePayment(ctx, p)
	var ambiguous *runtime.AmbiguousError
	switch {
	case err == nil:
		return "paid"
	case errors.As(err, &ambiguous):
		return "perhaps"
	}
	return "failed"
}

func (s *service) askedByType(ctx context.Context, p payments.NewPayment) string {
	_, err := s.payments.CreatePayment(ctx, p)
	if ambiguous, ok := errors.AsType[*runtime.AmbiguousError](err); ok {
		return "perhaps, " + ambiguous.KeyHash()
	}
	return "failed"
}

func (s *service) askedForOutcome(ctx context.Context, p payments.NewPayment) bool {
	_, err := s.payments.CreatePayment(ctx, p)
	if outcome, failed := runtime.OutcomeOf(err); failed && outcome.Effect.MayHaveExecuted() {
		return false
	}
	return err == nil
}

func (s *service) reported(ctx context.Context, p payments.NewPayment) runtime.Effect {
	var outcome runtime.Outcome
	_, _ = s.payments.CreatePayment(ctx, p, runtime.Report(&outcome))
	return outcome.Effect
}

func (s *service) problem(w http.ResponseWriter, r *http.Request) {
	if err := s.shop.CapturePayment(r.Context()); err != nil {
		p := runtime.ProblemOf(err)
		http.Error(w, p.Detail, p.Status)
	}
}

func (s *service) helped(w http.ResponseWriter, r *http.Request) {
	if err := s.shop.CapturePayment(r.Context()); err != nil {
		answer(w, err)
	}
}

func answer(w http.ResponseWriter, err error) {
	var ambiguous *runtime.AmbiguousError
	if errors.As(err, &ambiguous) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

// Idempotent, so the plain error is true.
func (s *service) idempotent(ctx context.Context) bool {
	return s.shop.ListPayments(ctx) == nil
}

// Nothing is declared of it, but a GET has no effect to be in doubt of.
func read(ctx context.Context, api tags.API) bool {
	return api.Untagged(ctx) == nil
}

type result struct{ err error }

func (s *service) sent(ctx context.Context, results chan<- result) {
	results <- result{s.shop.CapturePayment(ctx)}
}

func (s *service) joined(ctx context.Context) error {
	var errs []error
	for range 2 {
		errs = append(errs, s.shop.CapturePayment(ctx))
	}
	return errors.Join(errs...)
}

func (s *service) named(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("named: %w", err)
		}
	}()
	return s.shop.CapturePayment(ctx)
}

func (s *service) loggedAndReturned(ctx context.Context) error {
	err := s.shop.CapturePayment(ctx)
	if err != nil {
		log.Print(err)
	}
	return err
}

func (s *service) ended(ctx context.Context) {
	if err := s.shop.CapturePayment(ctx); err != nil {
		log.Fatal(err)
	}
	if err := s.shop.CapturePayment(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := s.shop.CapturePayment(ctx); err != nil {
		panic(err)
	}
}

func (s *service) answered(ctx context.Context) {
	//retryvet:ignore the nightly reconciliation finds it
	_ = s.shop.VoidPayment(ctx)
}

// settle has asked, so its callers need not.
func (s *service) settle(ctx context.Context) error {
	err := s.shop.CapturePayment(ctx)
	var ambiguous *runtime.AmbiguousError
	if errors.As(err, &ambiguous) {
		return s.shop.CreateRefund(ctx, shop.CreateRefundRequest{})
	}
	return err
}
