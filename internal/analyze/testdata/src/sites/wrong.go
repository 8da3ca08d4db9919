package sites

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	shop "example.com/idempotency-kinds"
	"example.com/payments"
	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/retrygen/retrygen/runtime"
)

// Kind: only logged.
func (s *service) logged(ctx context.Context, text string) {
	if err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		log.Printf("payment error for %s: %v", text, err)
	}
	log.Printf("payment: %s", text)
}

// Kind: only logged.
func (s *service) printed(ctx context.Context) {
	payment, err := s.payments.CreatePayment(ctx, payments.NewPayment{})
	if err != nil {
		fmt.Println(err.Error())
	} else {
		fmt.Println(payment.ID)
	}
}

// Kind: dropped.
func (s *service) dropped(ctx context.Context) {
	_ = s.shop.VoidPayment(ctx)
}

// Kind: dropped.
func (s *service) value(ctx context.Context) string {
	payment, _ := s.payments.CreatePayment(ctx, payments.NewPayment{})
	return payment.ID
}

// Kind: formatted with %v.
func (s *service) formatted(ctx context.Context) error {
	if err := s.shop.CapturePayment(ctx); err != nil {
		return fmt.Errorf("failed to capture: %v", err)
	}
	return nil
}

// Kind: answered with a status.
func (s *service) answered(w http.ResponseWriter, r *http.Request) {
	payment, err := s.payments.CreatePayment(r.Context(), payments.NewPayment{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, payment.ID)
}

// Kind: answered with a status, by JSON.
func (s *service) answeredJSON(w http.ResponseWriter, r *http.Request) {
	if err := s.shop.CapturePayment(r.Context()); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error":%q}`, err.Error())
	}
}

type diagnostics struct{ errors []string }

func (d *diagnostics) AddError(summary, detail string) {
	d.errors = append(d.errors, summary+": "+detail)
}

// Kind: a diagnostic of Terraform.
func (s *service) create(ctx context.Context, d *diagnostics) {
	if err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		d.AddError("Client Error", fmt.Sprintf("Unable to create payment, got error: %s", err))
		return
	}
}

// Kind: status.Errorf(codes.Internal, …).
func (s *service) rpc(ctx context.Context) error {
	if err := s.shop.CapturePayment(ctx); err != nil {
		return status.Errorf(codes.Internal, "failed to capture: %s", err)
	}
	return nil
}

// Kind: return false.
func (s *service) verdict(ctx context.Context, id string) bool {
	err := s.shop.CreateRefund(ctx, shop.CreateRefundRequest{})
	if err != nil {
		fmt.Printf("Refund of %s failed with error %s\n", id, err.Error())
		return false
	}
	return true
}

// Kind: fail of the caller's.
func (s *service) commented(ctx context.Context) {
	fail := func(message string, err error) {
		s.logger.Error(message, "err", err)
	}
	if err := s.shop.CapturePayment(ctx); err != nil {
		fail("Could not capture", err)
		return
	}
}

// Kind: retry loop with backoff.
func (s *service) approved(ctx context.Context) error {
	const maxRetries = 3
	var last error
	for attempt := 0; attempt < maxRetries; attempt++ {
		if attempt > 0 {
			select {
			case <-time.After(time.Duration(1<<attempt) * time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{})
		if err != nil {
			last = err
			s.logger.Debug("attempt failed", "attempt", attempt+1, "err", err)
			continue
		}
		return nil
	}
	return fmt.Errorf("all attempts failed: %w", last)
}

// Kind: retry loop with backoff, of the errors that seem to pass.
func (s *service) reviewed(ctx context.Context, order string) (string, error) {
	var last error
	for attempt := 0; attempt < 5; attempt++ {
		p := payments.NewPayment{OrderID: order}
		payment, err := s.payments.CreatePayment(ctx, p)
		if err == nil {
			return payment.ID, nil
		}
		last = err
		var status *runtime.StatusError
		if errors.As(err, &status) && status.Status == 422 {
			return "", err
		}
		time.Sleep(200 * time.Millisecond)
	}
	return "", last
}

// Kind: retry loop with backoff, and return false.
func (s *service) placed(ctx context.Context) bool {
	for attempt := range 3 {
		err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{})
		if err == nil {
			return true
		}
		if attempt < 2 {
			time.Sleep(time.Second)
		}
	}
	return false
}

// Kind: retry by recursion.
func (s *service) recursive(ctx context.Context, left int) error {
	err := s.shop.CapturePayment(ctx)
	if err != nil && left > 0 {
		return s.recursive(ctx, left-1)
	}
	return err
}

// Kind: cenkalti/backoff.
func (s *service) charged(ctx context.Context) (*payments.Payment, error) {
	operation := func() (*payments.Payment, error) {
		return s.payments.CreatePayment(ctx, payments.NewPayment{})
	}
	return backoff.Retry(ctx, operation)
}

// Kind: avast/retry-go.
func (s *service) settled(ctx context.Context) error {
	return retry.Do(func() error {
		return s.settle(ctx)
	}, retry.Attempts(5))
}

func (s *service) settle(ctx context.Context) error {
	if err := s.shop.CapturePayment(ctx); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return nil
}

// Kind: wait.Poll until it is created.
func (s *service) created(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{})
		if err != nil {
			s.logger.Info("error creating", "err", err)
			return false, nil
		}
		return true, nil
	})
}

// Kind: a fresh idempotency key.
func (s *service) intent(ctx context.Context) error {
	return s.shop.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(uuid.New().String()))
}

// Kind: a fresh idempotency key, of the clock.
func (s *service) stamped(ctx context.Context, user string) error {
	key := fmt.Sprintf("orderTime__%s__userID__%v", time.Now().Format(time.RFC3339), user)
	return s.shop.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key))
}

// Kind: a file as body.
func (s *service) uploaded(ctx context.Context, source string) error {
	reader, err := os.Open(source)
	if err != nil {
		return err
	}
	defer reader.Close()
	return s.files.PutStream(ctx, reader)
}

// Kind: bytes as body.
func (s *service) uploadedBytes(ctx context.Context, data []byte) error {
	return s.files.PutStream(ctx, bytes.NewReader(data))
}

// payer is an interface of the caller's.
type payer interface {
	CreatePayment(ctx context.Context, p payments.NewPayment, opts ...runtime.CallOption) (*payments.Payment, error)
}

// Kind: only logged, by an interface of the caller's.
func byInterface(ctx context.Context, p payer) {
	if _, err := p.CreatePayment(ctx, payments.NewPayment{}); err != nil {
		log.Print(err)
	}
}
