package runtime

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTransitions is the closed table (RULE-STATE-SUBMITTED, RULE-STATE-ATTEMPTING,
// RULE-STATE-BACKOFF-WAIT, RULE-STATE-RECONCILING).
func TestTransitions(t *testing.T) {
	legal := map[State][]State{
		StateSubmitted: {StateAttempting, StateRejected, StateCancelled},
		StateAttempting: {StateDispatched, StateBackoffWait, StateReconciling, StateBudgetExhausted, StateTerminalExhausted,
			StateDenied, StateAmbiguous, StateCancelled},
		StateBackoffWait: {StateAttempting, StateReconciling, StateBudgetExhausted, StateDenied, StateAmbiguous, StateCancelled},
		StateReconciling: {StateReconciled, StateBackoffWait, StateBudgetExhausted, StateTerminalExhausted, StateDenied,
			StateAmbiguous, StateCancelled},
	}
	for from := StateSubmitted; from <= StateReconciled+1; from++ {
		for to := StateSubmitted; to <= StateReconciled+1; to++ {
			want := false
			for _, s := range legal[from] {
				want = want || s == to
			}
			require.Equal(t, want, to.follows(from), "%v -> %v", from, to)
			require.False(t, from.Terminal() && to.follows(from), "%v is terminal", from)
		}
	}
}

// TestIllegalTransition fails the call and names both states (RULE-STATE-1).
func TestIllegalTransition(t *testing.T) {
	told := 0
	u := connect(t, "http://127.0.0.1:1", UpstreamConfig{Budget: plenty{}, Observer: func(Event) { told++ }})
	var c call
	c.begin(t.Context(), u, quick(Idempotent), &Request{}, nil, nil)
	c.state = StateTerminalExhausted
	err := c.attemptUntilAnswered()
	var illegal *TransitionError
	require.ErrorAs(t, err, &illegal)
	require.Equal(t, StateTerminalExhausted, illegal.From)
	require.Equal(t, StateAttempting, illegal.To)
	require.ErrorContains(t, err, "from TerminalExhausted to Attempting")
	require.Zero(t, told)
	require.Empty(t, c.outcome.Attempts)
}

// TestLateCancellation: a caller who gives up when the call has just ended changes
// nothing; the error fits the state that was told (RULE-STATE-2).
func TestLateCancellation(t *testing.T) {
	tests := map[string]struct {
		i      Idempotency
		step   turn
		budget Budget
		want   string
	}{
		"denied":           {Idempotent, status(404), plenty{}, "status"},
		"budget exhausted": {Idempotent, status(503), broke{}, "status"},
		"no response":      {Idempotent, lost, broke{}, "transport"},
		"ambiguous":        {NotIdempotent, lost, plenty{}, "ambiguous"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			u := connect(t, serve(t, test.step).URL, UpstreamConfig{Budget: test.budget, Observer: func(e Event) {
				if e.To.Terminal() {
					cancel()
				}
			}})
			var o Outcome
			err := exec(ctx, u, quick(test.i), &o)
			require.Equal(t, test.want, kind(err), "%v", err)
			require.Contains(t, endOf(err), o.State)
			require.NotErrorIs(t, err, context.Canceled, "nor is it the cause")
		})
	}
}

// TestEvents: each transition is one event, and each call ends in exactly one
// terminal state (RULE-STATE-2, RULE-STATE-3).
func TestEvents(t *testing.T) {
	type seen struct {
		from, to State
		attempt  int
		status   int
		token    bool
	}
	tests := map[string]struct {
		op     *Operation
		steps  []turn
		budget Budget
		want   []seen
	}{
		"success": {quick(Idempotent), nil, plenty{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateDispatched, 1, 200, false}}},
		"retry, then success": {quick(Idempotent), []turn{status(503)}, plenty{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateBackoffWait, 1, 503, false},
			{StateBackoffWait, StateAttempting, 2, 503, true},
			{StateAttempting, StateDispatched, 2, 200, false}}},
		"ambiguous": {quick(NotIdempotent), []turn{lost}, plenty{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateAmbiguous, 1, 0, false}}},
		"budget exhausted": {quick(Idempotent), []turn{status(503)}, broke{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateBudgetExhausted, 1, 503, false}}},
		"another call took the last of the budget (RULE-DECIDE-RESERVE)": {quick(Idempotent), []turn{status(503)}, sold{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateBudgetExhausted, 1, 503, false}}},
		"the budget's bound no longer holds at dispatch": {quick(Idempotent), []turn{status(503)}, late{}, []seen{
			{StateSubmitted, StateAttempting, 1, 0, false},
			{StateAttempting, StateBackoffWait, 1, 503, false},
			{StateBackoffWait, StateBudgetExhausted, 1, 503, false}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var got []seen
			ids := map[CallID]bool{}
			server := serve(t, tt.steps...)
			u := connect(t, server.URL, UpstreamConfig{Budget: tt.budget, Observer: func(e Event) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, seen{e.From, e.To, e.Attempt, e.Status, e.TokenTaken})
				ids[e.CallID] = true
				require.Equal(t, "op", e.Operation)
				require.Equal(t, "pets", e.Upstream)
				require.Equal(t, e.To == StateBackoffWait, e.Delay > 0)
			}})
			_, o, _ := do(t, u, tt.op)
			require.Equal(t, tt.want, got)
			require.Len(t, ids, 1)
			require.True(t, o.State.Terminal())
			require.Equal(t, got[len(got)-1].to, o.State)
		})
	}
}

// broke is a budget that never pays; sold one that has nothing left when it is
// asked to pay; late one that changes its mind.
type broke struct{ plenty }

func (broke) Affords(time.Duration) bool { return false }

type sold struct{ plenty }

func (sold) Reserve(time.Duration) bool { return false }

type late struct{ plenty }

func (late) Commit(time.Duration) bool { return false }

// TestPanickingObserver does not break a call.
func TestPanickingObserver(t *testing.T) {
	u := connect(t, serve(t).URL, UpstreamConfig{Budget: plenty{}, Observer: func(Event) { panic("no") }})
	_, o, err := do(t, u, quick(Idempotent))
	require.NoError(t, err)
	require.Equal(t, StateDispatched, o.State)
}

// TestKeysAreHashedInEvents: a key may be personal data (RULE-KEY-PRIVATE).
func TestKeysAreHashedInEvents(t *testing.T) {
	var events []Event
	u := connect(t, serve(t).URL, UpstreamConfig{Budget: plenty{}, Observer: func(e Event) { events = append(events, e) }})
	_, o, err := do(t, u, quick(IdempotentByKey), Key("customer-7"))
	require.NoError(t, err)
	require.Equal(t, "customer-7", o.Key)
	for _, e := range events {
		require.Len(t, e.KeyHash, 12)
		require.NotContains(t, e.KeyHash, "customer")
	}
}

// counting is a budget that pays and counts what is taken and given back.
type counting struct {
	plenty
	reserved, committed, cancelled int
}

func (c *counting) Reserve(time.Duration) bool { c.reserved++; return true }
func (c *counting) Commit(time.Duration) bool  { c.committed++; return true }
func (c *counting) Cancel(time.Duration)       { c.cancelled++ }

// TestTokensAreGivenBack: every reservation is committed or cancelled, whatever
// ends the call (RULE-BUDGET-3).
func TestTokensAreGivenBack(t *testing.T) {
	for name, tt := range map[string]struct {
		steps     []turn
		deadline  time.Duration
		committed int
		cancelled int
	}{
		"two retries":               {[]turn{status(503), status(503)}, 0, 2, 0},
		"denied, nothing was taken": {[]turn{status(404)}, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			budget := &counting{}
			_, _, _ = do(t, connect(t, serve(t, tt.steps...).URL, UpstreamConfig{Budget: budget}), quick(Idempotent))
			require.Equal(t, []int{tt.committed + tt.cancelled, tt.committed, tt.cancelled},
				[]int{budget.reserved, budget.committed, budget.cancelled})
		})
	}
}
