package ambiguous

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"

	shop "example.com/idempotency-kinds"
	tags "example.com/interface-and-tags"
	"example.com/payments"

	"github.com/retrygen/retrygen/runtime"
)

type service struct {
	payments *payments.Client
	shop     *shop.Client
	logger   *slog.Logger
	own      logger
}

type logger interface {
	Errorf(format string, args ...any)
}

func (s *service) blank(ctx context.Context, p payments.NewPayment) {
	_, _ = s.payments.CreatePayment(ctx, p) // want `Client.CreatePayment may end ambiguous, and its error is not looked at`
}

func (s *service) statement(ctx context.Context) {
	s.shop.VoidPayment(ctx) // want `Client.VoidPayment may end ambiguous, and its error is not looked at`
}

func (s *service) deferred(ctx context.Context) {
	defer s.shop.VoidPayment(ctx) // want `is not looked at`
	go s.shop.VoidPayment(ctx)    // want `is not looked at`
}

func (s *service) onlyLogged(ctx context.Context, p payments.NewPayment) {
	if _, err := s.payments.CreatePayment(ctx, p); err != nil { // want `Client.CreatePayment may end ambiguous, and its error is only logged`
		log.Printf("payment %s failed: %v", p.OrderID, err)
	}
}

func (s *service) structuredLog(ctx context.Context, p payments.NewPayment) {
	if _, err := s.payments.CreatePayment(ctx, p); err != nil { // want `is only logged`
		s.logger.ErrorContext(ctx, "payment failed", slog.String("order", p.OrderID), slog.Any("err", err))
	}
	if err := s.shop.CapturePayment(ctx); err != nil { // want `is only logged`
		s.own.Errorf("capture: %s", err)
	}
	if err := s.shop.CapturePayment(ctx); err != nil { // want `is only logged`
		fmt.Fprintln(os.Stderr, "capture failed:", err.Error())
	}
}

func (s *service) verdict(ctx context.Context, p payments.NewPayment) bool {
	_, err := s.payments.CreatePayment(ctx, p) // want `is not looked at`
	return err == nil
}

func (s *service) otherError(ctx context.Context, p payments.NewPayment) error {
	if _, err := s.payments.CreatePayment(ctx, p); err != nil { // want `is not looked at`
		return errors.New("payment failed")
	}
	return nil
}

func (s *service) formatted(ctx context.Context, p payments.NewPayment) error {
	if _, err := s.payments.CreatePayment(ctx, p); err != nil { // want `is turned into one that does not tell`
		return fmt.Errorf("pay %s: %v", p.OrderID, err)
	}
	if err := s.shop.CapturePayment(ctx); err != nil { // want `is turned into one that does not tell`
		return errors.New("capture: " + err.Error())
	}
	if err := s.shop.VoidPayment(ctx); err != nil { // want `is turned into one that does not tell`
		return fmt.Errorf("%w: %s", errFailed, err)
	}
	return nil
}

var errFailed = errors.New("failed")

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	payment, err := s.payments.CreatePayment(r.Context(), payments.NewPayment{OrderID: r.FormValue("order")}) // want `is turned into one that does not tell`
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, payment.ID)
}

func (s *service) helper(w http.ResponseWriter, r *http.Request) {
	if err := s.shop.CreatePayment(r.Context(), shop.CreatePaymentRequest{}); err != nil { // want `is turned into one that does not tell`
		s.fail(w, "create payment", err)
	}
}

// fail looks at nothing.
func (s *service) fail(w http.ResponseWriter, what string, err error) {
	s.logger.Error(what, "err", err)
	http.Error(w, fmt.Sprintf("%s: %v", what, err), http.StatusBadGateway)
}

func (s *service) otherQuestion(ctx context.Context, p payments.NewPayment) string {
	_, err := s.payments.CreatePayment(ctx, p) // want `is not looked at`
	var status *runtime.StatusError
	if errors.As(err, &status) && status.Status == http.StatusConflict {
		return "paid before"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return "failed"
}

func (s *service) typeSwitch(ctx context.Context, p payments.NewPayment) int {
	_, err := s.payments.CreatePayment(ctx, p) // want `is not looked at`
	switch err.(type) {
	case nil:
		return 200
	case *runtime.RejectedError:
		return 400
	}
	return 500
}

func byInterface(ctx context.Context, api tags.API) {
	_ = api.CreatePet(ctx, tags.APISchema{}) // want `Client.CreatePet may end ambiguous`
}

// charge hands the error on, so its callers are asked.
func (s *service) charge(ctx context.Context, order string) error {
	_, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	if err != nil {
		return fmt.Errorf("charge %s: %w", order, err)
	}
	return nil
}

func (s *service) chargeAll(ctx context.Context, orders []string) (failed int) {
	for _, order := range orders {
		if s.charge(ctx, order) != nil { // want `charge \(which calls Client.CreatePayment\) may end ambiguous, and its error is not looked at`
			failed++
		}
	}
	return failed
}

func (s *service) inClosure(ctx context.Context) {
	var err error
	func() { _, err = s.payments.CreatePayment(ctx, payments.NewPayment{}) }() // want `is only logged`
	log.Print(err)
}
