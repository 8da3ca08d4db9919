package lifecycle

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
)

var all = []State{StateSubmitted, StateAttempting, StateBackoffWait, StateDispatched, StateBudgetExhausted,
	StateTerminalExhausted, StateAmbiguous, StateRejected, StateCancelled, "Reconciling"}

// TestTransitions is the closed table: from each state to each other.
func TestTransitions(t *testing.T) {
	legal := map[State]string{
		StateSubmitted:   "ATTEMPTING REJECTED CANCELLED",
		StateAttempting:  "BACKOFF_WAIT DISPATCHED BUDGET_EXHAUSTED TERMINAL_EXHAUSTED AMBIGUOUS CANCELLED",
		StateBackoffWait: "ATTEMPTING BUDGET_EXHAUSTED TERMINAL_EXHAUSTED AMBIGUOUS CANCELLED",
	}
	for _, from := range all {
		var got string
		for _, to := range all {
			at := position{state: from, attempts: 1, events: 1}
			e := Event{From: from, To: to, Attempt: 1}
			if to == StateAttempting {
				e.Attempt++
			}
			if at.check(e) == nil {
				got += string(to) + " "
			}
		}
		require.ElementsMatch(t, bytes.Fields([]byte(legal[from])), bytes.Fields([]byte(got)), "from %s", from)
		require.Equal(t, legal[from] == "", from.Terminal(), "%s", from)
	}
}

// TestStates: the runtime's states have words of the table, but for those of calls
// that ask what happened: this provider's do not.
func TestStates(t *testing.T) {
	for s := runtime.StateSubmitted; s <= runtime.StateReconciled; s++ {
		_, known := states[s]
		asking := s == runtime.StateReconciling || s == runtime.StateReconciled
		require.Equal(t, !asking, known, "%v", s)
		if known {
			require.Equal(t, s.Terminal(), stateOf(s).Terminal(), "%v", s)
		}
	}
}

// move is a transition in short.
type move struct {
	call     runtime.CallID
	from, to runtime.State
	attempt  int
}

func (m move) event() runtime.Event {
	return runtime.Event{CallID: m.call, From: m.from, To: m.to, Attempt: m.attempt, Operation: "sendMessage"}
}

// TestIllegalTransitionHaltsTheCall: what the table forbids is refused, with all
// that comes after it, logged and counted; another call goes on.
func TestIllegalTransitionHaltsTheCall(t *testing.T) {
	const submitted, attempting, waiting = runtime.StateSubmitted, runtime.StateAttempting, runtime.StateBackoffWait
	const dispatched, exhausted = runtime.StateDispatched, runtime.StateTerminalExhausted
	for name, test := range map[string]struct {
		moves     []move
		published int
		cause     string
	}{
		"a retry after the end": {[]move{{1, submitted, attempting, 1}, {1, attempting, exhausted, 1}, {1, exhausted, attempting, 2}},
			2, "no such call is open, and a new one begins with SUBMITTED"},
		"a second end": {[]move{{1, submitted, attempting, 1}, {1, attempting, exhausted, 1}, {1, attempting, dispatched, 1}},
			2, "no such call is open, and a new one begins with SUBMITTED"},
		"a success without an attempt": {[]move{{1, submitted, dispatched, 0}, {1, submitted, waiting, 0}},
			0, "the table has no such transition"},
		"from where the call is not": {[]move{{1, submitted, attempting, 1}, {1, waiting, attempting, 2}, {1, attempting, dispatched, 2}},
			1, "the call is in state ATTEMPTING"},
		"a retry without a wait": {[]move{{1, submitted, attempting, 1}, {1, attempting, attempting, 2}, {1, attempting, dispatched, 2}},
			1, "the table has no such transition"},
		"an attempt is left out": {[]move{{1, submitted, attempting, 1}, {1, attempting, waiting, 1}, {1, waiting, attempting, 3}},
			2, "attempt 3 is counted where attempt 2 is due"},
		"an attempt that nobody announced": {[]move{{1, submitted, attempting, 1}, {1, attempting, waiting, 2}},
			1, "attempt 2 is counted where attempt 1 is due"},
		"a fourth attempt": {[]move{{1, submitted, attempting, 1}, {1, attempting, waiting, 1}, {1, waiting, attempting, 2},
			{1, attempting, waiting, 2}, {1, waiting, attempting, 3}, {1, attempting, waiting, 3}},
			5, "no attempt may follow attempt 3"},
		"a state without a word": {[]move{{1, submitted, attempting, 1}, {1, attempting, runtime.StateReconciling, 1}},
			1, "the table has no such transition"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			var published []Event
			o := NewObserver(func(e Event) { published = append(published, e) }, slog.New(slog.NewTextHandler(&log, nil)))
			o.Observe(move{2, submitted, attempting, 1}.event())
			for _, m := range test.moves {
				o.Observe(m.event())
			}
			require.Equal(t, 1, o.Open(), "the other call")
			o.Observe(move{2, attempting, dispatched, 1}.event())
			require.Zero(t, o.Open())
			require.Len(t, published, 2+test.published)
			require.Equal(t, StateDispatched, published[len(published)-1].To)
			require.Equal(t, len(test.moves)-test.published, o.Illegal())
			require.Contains(t, log.String(), "level=ERROR")
			require.Contains(t, log.String(), test.cause)
		})
	}
}

// TestEvent is what consumers read. Ids are of one observer, and so of one
// process.
func TestEvent(t *testing.T) {
	at := time.Date(2026, 9, 15, 12, 0, 0, 123456789, time.FixedZone("", 7200))
	common := runtime.Event{Time: at, Operation: "sendMessage", Upstream: "pool-sms-auth", CallID: 71, KeyHash: "0123456789ab"}
	var published []Event
	o := NewObserver(func(e Event) { published = append(published, e) }, slog.Default())
	o.instance = "I"
	for _, change := range []func(*runtime.Event){
		func(e *runtime.Event) { e.From, e.To, e.Attempt = runtime.StateSubmitted, runtime.StateAttempting, 1 },
		func(e *runtime.Event) {
			e.From, e.To, e.Attempt = runtime.StateAttempting, runtime.StateBackoffWait, 1
			e.Evidence, e.Status, e.Delay = runtime.ResponseReceived, 503, 170*time.Millisecond
		},
		func(e *runtime.Event) {
			e.From, e.To, e.Attempt = runtime.StateBackoffWait, runtime.StateAttempting, 2
			e.Evidence, e.Status, e.TokenTaken = runtime.ResponseReceived, 503, true
		},
		func(e *runtime.Event) {
			e.From, e.To, e.Attempt = runtime.StateAttempting, runtime.StateAmbiguous, 2
			e.Evidence, e.Reason, e.Effect = runtime.SentNoResponse, runtime.BudgetExhausted, runtime.Unknown
		},
	} {
		e := common
		change(&e)
		o.Observe(e)
	}
	const head = `,"time":"2026-09-15T10:00:00.123456789Z","operation":"sendMessage","upstream":"pool-sms-auth","key_hash":"0123456789ab",`
	for i, want := range []string{
		`{"schema":1,"id":"I-1z-1","call":"I-1z","sequence":1` + head + `"from":"SUBMITTED","to":"ATTEMPTING","attempt":1}`,
		`{"schema":1,"id":"I-1z-2","call":"I-1z","sequence":2` + head + `"from":"ATTEMPTING","to":"BACKOFF_WAIT","attempt":1,` +
			`"evidence":"ResponseReceived","status":503,"delay_ms":170}`,
		`{"schema":1,"id":"I-1z-3","call":"I-1z","sequence":3` + head + `"from":"BACKOFF_WAIT","to":"ATTEMPTING","attempt":2,` +
			`"evidence":"ResponseReceived","status":503,"token_taken":true}`,
		`{"schema":1,"id":"I-1z-4","call":"I-1z","sequence":4` + head + `"from":"ATTEMPTING","to":"AMBIGUOUS","attempt":2,` +
			`"evidence":"SentNoResponse","reason":"BudgetExhausted","effect":"Unknown"}`,
	} {
		got, err := json.Marshal(published[i])
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.Len(t, published, 4)
	require.NotEqual(t, NewObserver(nil, nil).instance, NewObserver(nil, nil).instance)
}
