// Package sites holds call sites of the kinds that SOURCES.md lists.
package sites

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	bodies "example.com/bodies-by-replayability"
	shop "example.com/idempotency-kinds"
	tags "example.com/interface-and-tags"
	"example.com/keys"
	"example.com/payments"
	"github.com/google/uuid"
	pkgerrors "github.com/pkg/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/retrygen/retrygen/runtime"
)

type service struct {
	payments *payments.Client
	shop     *shop.Client
	tags     tags.API
	files    *bodies.Client
	logger   *slog.Logger
	db       database
}

type database interface {
	Save(ctx context.Context, v any) error
	MarkFailed(ctx context.Context, id string, cause error)
}

// Kind: returned as it is.
func (s *service) Pay(ctx context.Context, order string, cents int64) (*payments.Payment, error) {
	return s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order, Cents: cents})
}

// Kind: returned as it is.
func (s *service) Refund(ctx context.Context) error {
	err := s.shop.CreateRefund(ctx, shop.CreateRefundRequest{})
	return err
}

// Kind: wrapped with %w.
func (s *service) PayID(ctx context.Context, order string) (string, error) {
	payment, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	if err != nil {
		return "", fmt.Errorf("create payment for %s: %w", order, err)
	}
	return payment.ID, nil
}

// Kind: wrapped by pkg/errors.
func (s *service) Capture(ctx context.Context) error {
	if err := s.shop.CapturePayment(ctx); err != nil {
		return pkgerrors.Wrap(err, "capture")
	}
	return nil
}

// Kind: normalized by a function of the caller's.
func (s *service) Authorize(ctx context.Context) error {
	if err := s.shop.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		return normalize(err, "Authorize")
	}
	return nil
}

func normalize(err error, operation string) error {
	var status *runtime.StatusError
	if errors.As(err, &status) && status.Status == http.StatusPaymentRequired {
		return errDeclined
	}
	return fmt.Errorf("%s: %w", operation, err)
}

var errDeclined = errors.New("declined")

// Kind: asked by errors.As.
func (s *service) PayOrAsk(ctx context.Context, order string) string {
	_, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	if err != nil {
		var ambiguous *runtime.AmbiguousError
		if errors.As(err, &ambiguous) {
			return "unknown"
		}
		return "failed"
	}
	return "paid"
}

// Kind: asked by type assertion.
func (s *service) VoidOrAsk(ctx context.Context) bool {
	err := s.shop.VoidPayment(ctx)
	if _, ok := err.(*runtime.AmbiguousError); ok {
		s.logger.Warn("void is in doubt", "err", err)
		return false
	}
	return err == nil
}

// Kind: asked by a function of the caller's.
func (s *service) PayHTTP(w http.ResponseWriter, r *http.Request) {
	payment, err := s.payments.CreatePayment(r.Context(), payments.NewPayment{OrderID: r.PathValue("order")})
	if err != nil {
		s.fail(w, err)
		return
	}
	fmt.Fprintln(w, payment.ID)
}

func (s *service) fail(w http.ResponseWriter, err error) {
	s.logger.Error("payment", "err", err)
	if isAmbiguous(err) {
		http.Error(w, "in doubt", http.StatusAccepted)
		return
	}
	http.Error(w, "failed", http.StatusBadGateway)
}

func isAmbiguous(err error) bool {
	var ambiguous *runtime.AmbiguousError
	return errors.As(err, &ambiguous)
}

// Kind: log.Fatal.
func mainFatal(ctx context.Context, c *shop.Client) {
	if err := c.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		log.Fatalf("create payment: %v", err)
	}
}

// Kind: print and exit.
func mainExit(ctx context.Context, c *shop.Client) {
	if err := c.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		fmt.Fprintf(os.Stderr, "create payment: %v\n", err)
		os.Exit(1)
	}
}

// Kind: abort of the caller's.
func mainAbort(ctx context.Context, c *shop.Client) {
	if err := c.CreatePayment(ctx, shop.CreatePaymentRequest{}); err != nil {
		abort("create payment: %s", err)
	}
}

func abort(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format, args...)
	os.Exit(1)
}

// Kind: logged, then returned.
func (s *service) Void(ctx context.Context) error {
	err := s.shop.VoidPayment(ctx)
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		log.Printf("void timed out: %v", err)
	}
	return err
}

// Kind: recorded where somebody looks.
func (s *service) PayLater(ctx context.Context, order string) {
	if _, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err != nil {
		s.db.MarkFailed(ctx, order, err)
	}
}

// Kind: dropped, of a read.
func (s *service) Warm(ctx context.Context) {
	_ = s.shop.ListPayments(ctx)
	_, _ = s.tags.ListPets(ctx)
}

// Kind: answered with a status, of a read.
func (s *service) List(w http.ResponseWriter, r *http.Request) {
	pets, err := s.tags.ListPets(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, len(pets))
}

// Kind: a poll of a task.
func (s *service) WaitForPets(ctx context.Context) error {
	for {
		pets, err := s.tags.ListPets(ctx)
		if err != nil {
			return err
		}
		if len(pets) > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// Kind: a poll that puts up with failures.
func (s *service) WaitPatiently(ctx context.Context) {
	for range time.Tick(time.Second) {
		pets, err := s.tags.ListPets(ctx)
		if err != nil {
			s.logger.Warn("not yet", "err", err)
			continue
		}
		if len(pets) > 0 {
			return
		}
	}
}

// Kind: wait.Poll until it is there.
func (s *service) WaitUntilThere(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := s.tags.GetKind(ctx, "1"); err != nil {
			return false, nil
		}
		return true, nil
	})
}

// Kind: pages.
func (s *service) Pages(ctx context.Context, kind string) error {
	for kind != "" {
		if err := s.tags.GetKind(ctx, kind); err != nil {
			return err
		}
		kind = kind[1:]
	}
	return nil
}

// Kind: one call per item.
func (s *service) PayAll(ctx context.Context, orders []string) error {
	var errs []error
	for _, order := range orders {
		if _, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", order, err))
		}
	}
	return errors.Join(errs...)
}

// Kind: one call per item, the first that succeeds.
func (s *service) FirstKind(ctx context.Context, ids []string) (string, error) {
	var last error
	for _, id := range ids {
		if last = s.tags.GetKind(ctx, id); last == nil {
			return id, nil
		}
	}
	return "", last
}

// Kind: one call per item, at the same time.
func (s *service) PayAtOnce(ctx context.Context, orders []string) []error {
	errs := make([]error, len(orders))
	var wg sync.WaitGroup
	for i, order := range orders {
		wg.Go(func() {
			_, errs[i] = s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
		})
	}
	wg.Wait()
	return errs
}

// Kind: a worker's loop.
func (s *service) Worker(ctx context.Context, jobs <-chan string, results chan<- error) {
	for order := range jobs {
		_, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
		results <- err
	}
}

// Kind: a heartbeat.
func (s *service) Heartbeat(ctx context.Context) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.shop.ListPayments(ctx); err != nil {
				s.logger.Error("heartbeat", "err", err)
			}
		}
	}
}

// Kind: a key of the caller's, else a fresh one.
func (s *service) Payout(ctx context.Context, key string) error {
	if key == "" {
		key = uuid.New().String()
	}
	return s.shop.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key))
}

// Kind: a key from the request.
func (s *service) PayoutOf(ctx context.Context, message struct{ ID string }) error {
	return s.shop.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key("payout-"+message.ID))
}

// Kind: a fresh key that is stored first.
func (s *service) PayoutStored(ctx context.Context) error {
	key := uuid.NewString()
	if err := s.db.Save(ctx, key); err != nil {
		return err
	}
	return s.shop.CreatePayout(ctx, shop.CreatePayoutRequest{}, runtime.Key(key))
}

// Kind: a file as body.
func (s *service) Upload(ctx context.Context, name string) error {
	return s.files.PutFile(ctx, func() (io.ReadCloser, error) { return os.Open(name) })
}

// Kind: bytes as body, once opened and once whole.
func (s *service) UploadBytes(ctx context.Context, data []byte) error {
	if err := s.files.PutFile(ctx, runtime.Seeker(bytes.NewReader(data))); err != nil {
		return err
	}
	return s.files.PutBytes(ctx, data)
}

// Kind: the body of a request as body.
func (s *service) Proxy(w http.ResponseWriter, r *http.Request) {
	if err := s.files.PutStream(r.Context(), r.Body); err != nil {
		problem := runtime.ProblemOf(err)
		http.Error(w, problem.Detail, problem.Status)
	}
}

// Kind: rolled back when it fails.
func (s *service) Transaction(ctx context.Context, order string) (err error) {
	defer func() {
		if err != nil {
			s.db.MarkFailed(ctx, order, err)
		}
	}()
	_, err = s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	return err
}

// Kind: counted in a metric, and returned.
func (s *service) Counted(ctx context.Context, c *keys.Client, count func(failed bool)) error {
	err := c.SendSMS(ctx, 7, keys.SendSMSParams{}, keys.SendSMSRequest{})
	count(err != nil)
	return err
}

// Kind: the result of a call in a struct.
func (s *service) Outcome(ctx context.Context, order string) struct {
	Payment *payments.Payment
	Err     error
} {
	payment, err := s.payments.CreatePayment(ctx, payments.NewPayment{OrderID: order})
	return struct {
		Payment *payments.Payment
		Err     error
	}{payment, err}
}
