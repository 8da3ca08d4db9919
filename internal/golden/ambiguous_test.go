package golden

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
	ambiguous "github.com/retrygen/retrygen/testdata/golden/on-ambiguous"
)

// told answers with the value that happened.
func told[T any](value T) runtime.OnAmbiguous[T] {
	return runtime.Reconcile(func(context.Context, *runtime.AmbiguousError) (T, runtime.Effect, error) {
		return value, runtime.Executed, nil
	})
}

// TestMethodsAskWhatHappened: whatever a method sends and returns, the answer takes
// the place of the result that was lost (RULE-ANNOTATION-ON-AMBIGUOUS).
func TestMethodsAskWhatHappened(t *testing.T) {
	payment := &ambiguous.Payment{ID: "p-9"}
	report := &ambiguous.CreateReportResult{StatusCode: 202, Accepted: 7}
	done := runtime.ReconcileEffect(func(context.Context, *runtime.AmbiguousError) (runtime.Effect, error) {
		return runtime.Executed, nil
	})
	for name, test := range map[string]struct {
		call func(context.Context, *ambiguous.Client, runtime.CallOption) (any, error)
		want any
	}{
		"a body": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return c.CreatePayment(ctx, ambiguous.Payment{ID: "p"}, told(payment), runtime.MaxAttempts(1), o)
		}, payment},
		"an optional body": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return c.OnAmbiguous(ctx, nil, told([]string{"a"}), o)
		}, []string{"a"}},
		"another body": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return c.AddNoteCSV(ctx, "a,b", told(payment), o)
		}, payment},
		"another answer": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return c.AddNoteCSVAsText(ctx, "a,b", told("text"), o)
		}, "text"},
		"one of several answers": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return c.CreateReport(ctx, told(report), o)
		}, report},
		"nothing": {func(ctx context.Context, c *ambiguous.Client, o runtime.CallOption) (any, error) {
			return nil, c.CancelPayment(ctx, "p-9", done, o)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := retrytest.NewServer(t, retrytest.LoseAnswer())
			c := client[*ambiguous.Client](t)(ambiguous.New(ambiguous.Config{BaseURL: server.URL()}))
			var o runtime.Outcome
			got, err := test.call(t.Context(), c, runtime.Report(&o))
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, runtime.StateReconciled, o.State)
			require.Len(t, server.Requests(), 1)
		})
	}
}

// TestStreamsAskWhatHappened, and have no stream to give.
func TestStreamsAskWhatHappened(t *testing.T) {
	server := retrytest.NewServer(t, retrytest.LoseAnswer())
	c := client[*ambiguous.Client](t)(ambiguous.New(ambiguous.Config{BaseURL: server.URL()}))
	_, err := c.Watch(t.Context(), told(runtime.NoResult{}))
	var failed *runtime.TransportError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, runtime.Executed, failed.Effect)
}

// TestQuestionByTheSameClient: what was lost is found by another call of the client,
// which has its own attempts; what is not there is sent again.
func TestQuestionByTheSameClient(t *testing.T) {
	for name, test := range map[string]struct {
		script []retrytest.Fault
		want   []string
	}{
		"found": {[]retrytest.Fault{retrytest.LoseAnswer(), retrytest.Status(503), retrytest.JSON(200, `{"payments":[{"id":"p-9"}]}`)},
			[]string{`POST /notes {"id":"p-9"}`, "GET /payments", "GET /payments"}},
		"not there": {[]retrytest.Fault{retrytest.LoseAnswer(), retrytest.JSON(200, `{"payments":[]}`), retrytest.JSON(200, `{"id":"p-9"}`)},
			[]string{`POST /notes {"id":"p-9"}`, "GET /payments", `POST /notes {"id":"p-9"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			server := retrytest.NewServer(t, test.script...)
			c := client[*ambiguous.Client](t)(ambiguous.New(ambiguous.Config{BaseURL: server.URL()}))
			payment, err := c.AddNote(t.Context(), ambiguous.Payment{ID: "p-9"}, runtime.Reconcile(
				func(ctx context.Context, _ *runtime.AmbiguousError) (*ambiguous.Payment, runtime.Effect, error) {
					for payment, err := range c.ListPaymentsAll(ctx, ambiguous.ListPaymentsParams{}) {
						if err != nil {
							return nil, runtime.Unknown, err
						}
						if payment.ID == "p-9" {
							return &payment, runtime.Executed, nil
						}
					}
					return nil, runtime.NotExecuted, nil
				}))
			require.NoError(t, err)
			require.Equal(t, "p-9", payment.ID)
			require.Equal(t, test.want, asked(server))
		})
	}
}

// TestForgettingDoesNotCompile, and what compiles without a decision sends nothing.
func TestForgettingDoesNotCompile(t *testing.T) {
	server := retrytest.NewServer(t)
	c := client[*ambiguous.Client](t)(ambiguous.New(ambiguous.Config{BaseURL: server.URL()}))
	_, err := c.CreatePayment(t.Context(), ambiguous.Payment{ID: "p"}, runtime.OnAmbiguous[*ambiguous.Payment]{})
	require.True(t, errors.As(err, new(*runtime.RejectedError)), "%v", err)
	require.Empty(t, server.Requests())

	check := newChecker(t)
	for arguments, says := range map[string]string{
		"runtime.ReturnAmbiguous[*ambiguous.Payment]()": "",
		"":                                  "not enough arguments in call to c.CreatePayment",
		"nil":                               "cannot use nil as",
		"runtime.ReturnAmbiguous[string]()": "cannot use runtime.ReturnAmbiguous[string]()",
		"runtime.MaxAttempts(1)":            "cannot use runtime.MaxAttempts(1)",
	} {
		file, err := parser.ParseFile(check.fset, "pay.go", `package shop

import (
	"context"

	"github.com/retrygen/retrygen/runtime"
	ambiguous "github.com/retrygen/retrygen/testdata/golden/on-ambiguous"
)

var _ runtime.CallOption

func pay(ctx context.Context, c *ambiguous.Client, p ambiguous.Payment) (*ambiguous.Payment, error) {
	return c.CreatePayment(ctx, p, `+arguments+`)
}
`, 0)
		require.NoError(t, err)
		_, err = (&types.Config{Importer: check}).Check("shop", check.fset, []*ast.File{file}, nil)
		if says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, says)
		}
	}
}
