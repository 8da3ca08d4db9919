package spec

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a document does not say has the defaults of RULE-ANNOTATION-RANGE, and
// nobody who said it; a method says nothing about idempotency.
func TestDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("api.yaml", []byte(head30+"paths:\n  /a:\n    get:\n      "+noBody+"\n"), 0o644))
	api, err := Load(Options{Spec: "api.yaml", Package: "test"})
	require.NoError(t, err)
	require.Equal(t, Upstream{
		Name:               Value[string]{V: "t"},
		BudgetRatio:        Value[float64]{V: 0.1},
		BudgetWindow:       Value[time.Duration]{V: time.Minute},
		BudgetDeposit:      Value[Deposit]{V: DepositRequest},
		BudgetMinPerWindow: Value[int]{V: 10},
	}, api.Upstream)
	require.Equal(t, Contract{
		Idempotency:         Value[Idempotency]{V: Undeclared},
		Replayability:       Value[Replayability]{V: NoBody},
		TransientStatuses:   Value[[]int]{V: []int{}},
		DeniedStatuses:      Value[[]int]{V: []int{}},
		MaxAttempts:         Value[int]{V: 3},
		Deadline:            Value[time.Duration]{V: 10 * time.Second},
		MinAttemptBudget:    Value[time.Duration]{V: 100 * time.Millisecond},
		BackoffBase:         Value[time.Duration]{V: 100 * time.Millisecond},
		BackoffMax:          Value[time.Duration]{V: 3 * time.Second},
		BackoffMultiplier:   Value[float64]{V: 2},
		BackoffJitter:       Value[Jitter]{V: FullJitter},
		RetryAfterMax:       Value[time.Duration]{V: 10 * time.Second},
		RetryAfterMalformed: Value[Malformed]{V: IgnoreMalformed},
		ReconcileTimeout:    Value[time.Duration]{V: 5 * time.Second},
	}, api.Operations[0].Contract)
}

// The root says what holds unless an operation says something else, value by
// value (RULE-ANNOTATION-OVERRIDE).
func TestOperationOverridesRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	text := head30 + "x-transient-500: true\nx-retry: {max-attempts: 4, deadline: 7s, backoff: {base: 50ms, max: 1s}}\n" +
		"paths:\n  /a:\n    get:\n      " + noBody + "\n" +
		"    post:\n      x-transient-500: false\n      x-retry: {deadline: 3s, backoff: {base: 20ms}}\n      " + noBody + "\n"
	require.NoError(t, os.WriteFile("api.yaml", []byte(text), 0o644))
	api, err := Load(Options{Spec: "api.yaml", Package: "test"})
	require.NoError(t, err)
	require.Len(t, api.Operations, 2)
	got := map[string]Contract{}
	for _, op := range api.Operations {
		got[op.Method] = op.Contract
	}
	for method, want := range map[string]struct {
		transient      bool
		deadline, base time.Duration
	}{"GET": {true, 7 * time.Second, 50 * time.Millisecond}, "POST": {false, 3 * time.Second, 20 * time.Millisecond}} {
		c := got[method]
		require.Equal(t, want.transient, c.Transient500.V, method)
		require.Equal(t, want.deadline, c.Deadline.V, method)
		require.Equal(t, want.base, c.BackoffBase.V, method)
		require.Equal(t, 4, c.MaxAttempts.V, "%s inherits", method)
		require.Equal(t, time.Second, c.BackoffMax.V, "%s inherits", method)
	}
}
