package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

type payment struct {
	ID string `json:"id"`
}

// writing is an operation with the waits of a real one, whose OnAmbiguous has two
// seconds.
func writing(idempotency runtime.Idempotency) *runtime.Operation {
	op := &runtime.Operation{
		Name: "createPayment", Route: "POST /payments", Idempotency: idempotency, Replayability: runtime.Replayable,
		MaxAttempts: 3, Deadline: 10 * time.Second, MinAttemptBudget: 100 * time.Millisecond,
		BackoffBase: 100 * time.Millisecond, BackoffMax: 3 * time.Second, BackoffMultiplier: 2,
		RetryAfterMax: 5 * time.Second, ReconcileTimeout: 2 * time.Second,
	}
	if idempotency == runtime.IdempotentByKey {
		op.KeyHeader = "Idempotency-Key"
	}
	return op
}

// paying is a budget that pays for so many retries, and counts what it is told.
type paying struct {
	retries              int
	primaries, successes int
}

func (b *paying) Primary(time.Duration)      { b.primaries++ }
func (b *paying) Success(time.Duration)      { b.successes++ }
func (b *paying) Affords(time.Duration) bool { return b.retries > 0 }
func (b *paying) Reserve(time.Duration) bool { b.retries--; return b.retries >= 0 }
func (b *paying) Commit(time.Duration) bool  { return true }
func (b *paying) Cancel(time.Duration)       { b.retries++ }

// hearing is a breaker that keeps what it hears of calls.
type hearing struct{ heard []error }

func (*hearing) Name() string { return "hearing" }

func (b *hearing) Allow() (func(error), error) {
	return func(err error) { b.heard = append(b.heard, err) }, nil
}

// stage is an upstream in virtual time, with one connection and one place, so that
// whoever holds either while he asks has no answer.
type stage struct {
	t        *testing.T
	server   *retrytest.Server
	upstream *runtime.Upstream
	budget   *paying
	breaker  *hearing
	mu       sync.Mutex
	events   []runtime.Event
}

func newStage(t *testing.T, script ...retrytest.Fault) *stage {
	t.Helper()
	b := &stage{t: t, budget: &paying{retries: 100}, breaker: &hearing{}}
	b.server = retrytest.Config{InMemory: true}.NewServer(t, script...)
	u, err := runtime.NewUpstream(runtime.UpstreamContract{
		Name: "payments", BudgetRatio: 0.1, BudgetWindow: time.Minute, MaxConnections: 1, MaxConcurrent: 1,
	}, b.server.URL(), runtime.UpstreamConfig{Transport: b.server.Transport(), Budget: b.budget, Breaker: b.breaker, Observer: b.observe}, nil)
	require.NoError(t, err)
	b.upstream = u
	return b
}

func (b *stage) observe(e runtime.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// states are those that a call went through.
func (b *stage) states(id runtime.CallID) (states []runtime.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.CallID == id {
			states = append(states, e.To)
		}
	}
	return states
}

// close ends what runs in the bubble.
func (b *stage) close() {
	require.NoError(b.t, b.upstream.Drain(context.Background()))
	b.server.Close()
}

// pay makes one call.
func (b *stage) pay(ctx context.Context, op *runtime.Operation, body runtime.Body, on runtime.OnAmbiguous[*payment], opts ...runtime.CallOption) (*payment, runtime.Outcome, error) {
	var o runtime.Outcome
	p, err := runtime.Do(ctx, b.upstream, op, runtime.Request{Path: []string{"/payments"}, Body: body, Ask: on},
		readPayment, append(opts, runtime.Report(&o)))
	return p, o, err
}

func readPayment(r *runtime.Response) (*payment, error) {
	if r.StatusCode/100 != 2 {
		return nil, nil
	}
	return runtime.ReadJSON[*payment](r)
}

// word says which error a call ended with.
func word(err error) string {
	var ambiguous *runtime.AmbiguousError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &ambiguous):
		return "ambiguous"
	case errors.As(err, new(*runtime.StatusError)):
		return "status"
	case errors.As(err, new(*runtime.TransportError)):
		return "transport"
	case errors.As(err, new(*runtime.CancelledError)):
		return "cancelled"
	case errors.As(err, new(*runtime.RejectedError)):
		return "rejected"
	}
	return fmt.Sprintf("%T", err)
}

type end struct {
	word     string
	attempts int
	effect   runtime.Effect
	state    runtime.State
	reason   runtime.Reason
}

type answer = func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error)

// unknowns are the answers that leave a call as it was, with what is kept of them.
var unknowns = map[string]struct {
	answer     answer
	unanswered string
}{
	"unknown": {func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		return nil, runtime.Unknown, nil
	}, ""},
	"an error": {func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		return nil, runtime.NotExecuted, errors.New("secret-7")
	}, "secret-7"},
	"a panic": {func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		panic("secret-7")
	}, "retrygen: the function of OnAmbiguous panicked"},
	"no answer in its time": {func(ctx context.Context, _ *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		<-ctx.Done()
		return nil, runtime.Unknown, ctx.Err()
	}, "context deadline exceeded"},
	"an answer after its time": {func(ctx context.Context, _ *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		<-ctx.Done()
		return nil, runtime.NotExecuted, nil // what was not found in time
	}, "context deadline exceeded"},
	"no effect that there is": {func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		return &payment{"p-9"}, runtime.Executed + 1, nil
	}, ""},
}

// situation is a call that is about to end ambiguous.
type situation struct {
	op      *runtime.Operation
	script  []retrytest.Fault
	body    runtime.Body
	opts    []runtime.CallOption
	prepare func(*stage)
	// attempts and reason are those when the question is asked, didNotHappen is how
	// the call ends after that answer.
	attempts     int
	reason       runtime.Reason
	didNotHappen end
}

func situations() map[string]situation {
	lose, answered := retrytest.LoseAnswer(), retrytest.JSON(201, `{"id":"p-1"}`)
	unavailable := retrytest.Status(503)
	bytes := runtime.Bytes("text/plain", []byte("995"))
	once := writing(runtime.NotIdempotent)
	keyed := writing(runtime.IdempotentByKey)
	late := writing(runtime.NotIdempotent)
	late.Deadline = time.Second
	denying := writing(runtime.IdempotentByKey)
	denying.DeniedStatuses = []int{503}
	patient := writing(runtime.IdempotentByKey)
	patient.BackoffBase, patient.BackoffJitter = 3*time.Second, runtime.DecorrelatedJitter
	second := end{"ok", 2, runtime.Executed, runtime.StateDispatched, runtime.NoReason}
	not := func(word string, attempts int, state runtime.State, reason runtime.Reason) end {
		return end{word, attempts, runtime.NotExecuted, state, reason}
	}
	return map[string]situation{
		"lost":                       {op: once, script: []retrytest.Fault{lose, answered}, body: bytes, attempts: 1, reason: runtime.NotSafelyIdempotent, didNotHappen: second},
		"503":                        {op: once, script: []retrytest.Fault{unavailable, answered}, body: bytes, attempts: 1, reason: runtime.NotSafelyIdempotent, didNotHappen: second},
		"undeclared":                 {op: writing(runtime.Undeclared), script: []retrytest.Fault{lose, answered}, body: bytes, attempts: 1, reason: runtime.NotSafelyIdempotent, didNotHappen: second},
		"throttled, then lost":       {op: once, script: []retrytest.Fault{retrytest.Status(429), lose, answered}, body: bytes, attempts: 2, reason: runtime.NotSafelyIdempotent, didNotHappen: end{"ok", 3, runtime.Executed, runtime.StateDispatched, runtime.NoReason}},
		"503 thrice by key":          {op: keyed, script: []retrytest.Fault{unavailable, unavailable, unavailable}, body: bytes, attempts: 3, reason: runtime.MaxAttemptsReached, didNotHappen: not("status", 3, runtime.StateTerminalExhausted, runtime.MaxAttemptsReached)},
		"lost by key, then 503, 409": {op: keyed, script: []retrytest.Fault{lose, unavailable, retrytest.Status(409)}, body: bytes, attempts: 3, reason: runtime.MaxAttemptsReached, didNotHappen: not("status", 3, runtime.StateTerminalExhausted, runtime.MaxAttemptsReached)},
		"lost by key, then 400":      {op: keyed, script: []retrytest.Fault{lose, retrytest.Status(400)}, body: bytes, attempts: 2, reason: runtime.StatusNotRetryable, didNotHappen: not("status", 2, runtime.StateDenied, runtime.StatusNotRetryable)},
		"503, which is denied":       {op: denying, script: []retrytest.Fault{unavailable}, body: bytes, attempts: 1, reason: runtime.StatusNotRetryable, didNotHappen: not("status", 1, runtime.StateDenied, runtime.StatusNotRetryable)},
		"503, far Retry-After":       {op: once, script: []retrytest.Fault{retrytest.Status(503, "Retry-After", "60")}, body: bytes, attempts: 1, reason: runtime.NotSafelyIdempotent, didNotHappen: not("status", 1, runtime.StateDenied, runtime.RetryAfterTooLong)},
		"one attempt":                {op: once, script: []retrytest.Fault{lose}, body: bytes, opts: []runtime.CallOption{runtime.MaxAttempts(1)}, attempts: 1, reason: runtime.MaxAttemptsReached, didNotHappen: not("transport", 1, runtime.StateTerminalExhausted, runtime.MaxAttemptsReached)},
		"budget spent":               {op: once, script: []retrytest.Fault{lose}, body: bytes, prepare: func(b *stage) { b.budget.retries = 0 }, attempts: 1, reason: runtime.BudgetExhausted, didNotHappen: not("transport", 1, runtime.StateBudgetExhausted, runtime.BudgetExhausted)},
		"body that is read once":     {op: once, script: []retrytest.Fault{lose}, body: runtime.Stream("text/plain", io.LimitReader(neverEnding{}, 9)), attempts: 1, reason: runtime.BodyNotReplayable, didNotHappen: not("transport", 1, runtime.StateDenied, runtime.BodyNotReplayable)},
		"deadline gone":              {op: late, script: []retrytest.Fault{retrytest.Hang()}, body: bytes, attempts: 1, reason: runtime.DeadlineTooNear, didNotHappen: not("transport", 1, runtime.StateDenied, runtime.DeadlineTooNear)},
		"head that makes no sense":   {op: once, script: []retrytest.Fault{retrytest.MalformedStatusLine()}, body: bytes, attempts: 1, reason: runtime.PermanentFailure, didNotHappen: not("transport", 1, runtime.StateDenied, runtime.PermanentFailure)},
		"drained in the backoff": {op: patient, script: []retrytest.Fault{lose}, body: bytes, prepare: func(b *stage) {
			time.AfterFunc(time.Second, func() { _ = b.upstream.Drain(context.Background()) })
		}, attempts: 1, reason: runtime.Draining, didNotHappen: not("transport", 1, runtime.StateDenied, runtime.Draining)},
		"body that does not open again": {op: keyed, script: []retrytest.Fault{lose}, body: runtime.Reopen("text/plain", opensOnce()), attempts: 1, reason: runtime.PermanentFailure, didNotHappen: not("transport", 1, runtime.StateDenied, runtime.PermanentFailure)},
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return copy(p, "9"), nil }

func opensOnce() runtime.Opener {
	opened := 0
	return func() (io.ReadCloser, error) {
		if opened++; opened > 1 {
			return nil, errors.New("it is gone")
		}
		return io.NopCloser(strings.NewReader("995")), nil
	}
}

// play plays a situation with an answer, and checks what holds whatever it is: the
// question is asked once, of an ambiguous call, while nothing is held
// (RULE-RECONCILE-ASKED); the states follow each other legally, and the last is the
// outcome's; the server reads what the call reports (RULE-EVIDENCE-COUNT).
func play(t *testing.T, name string, reply answer) (p *payment, o runtime.Outcome, b *stage, err error) {
	t.Helper()
	s := situations()[name] // with bodies and functions of its own
	b = newStage(t, s.script...)
	if s.prepare != nil {
		s.prepare(b)
	}
	asked := 0
	on := runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		asked++
		require.Len(t, a.Attempts, s.attempts)
		require.Equal(t, s.reason, a.Reason)
		require.Equal(t, runtime.StateReconciling, a.State)
		require.Equal(t, runtime.Unknown, a.Effect)
		require.NotNil(t, a.Cause)
		deadline, _ := ctx.Deadline()
		require.Equal(t, 2*time.Second, time.Until(deadline), "its time is its own (RULE-RECONCILE-TIME)")
		return reply(ctx, a)
	})
	p, o, err = b.pay(t.Context(), s.op, s.body, on, s.opts...)
	require.Equal(t, 1, asked)
	require.Len(t, b.server.Requests(), len(o.Attempts))
	states := b.states(o.CallID)
	require.Equal(t, o.State, states[len(states)-1])
	for _, state := range states[:len(states)-1] {
		require.False(t, state.Terminal())
	}
	require.Contains(t, states, runtime.StateReconciling)
	require.Len(t, b.breaker.heard, 1)
	b.close()
	return p, o, b, err
}

func endOf(o runtime.Outcome, err error) end {
	return end{word(err), len(o.Attempts), o.Effect, o.State, o.Reason}
}

// TestExecutedIsASuccess with the value, whatever stopped the call. No attempt
// succeeded, so the budget earns nothing and the breaker hears of the failure
// (RULE-RECONCILE-EXECUTED).
func TestExecutedIsASuccess(t *testing.T) {
	for name, s := range situations() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, o, b, err := play(t, name, func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
					return &payment{"p-9"}, runtime.Executed, nil
				})
				require.NoError(t, err)
				require.Equal(t, &payment{"p-9"}, p)
				require.Equal(t, end{"ok", s.attempts, runtime.Executed, runtime.StateReconciled, s.reason}, endOf(o, err))
				require.Equal(t, runtime.Executed, o.Reconciled)
				require.Equal(t, 1, b.budget.primaries)
				require.Zero(t, b.budget.successes)
				if name == "lost by key, then 503, 409" || name == "lost by key, then 400" {
					require.NoError(t, b.breaker.heard[0], "the upstream is there, and said no")
				} else {
					require.Equal(t, "ambiguous", word(b.breaker.heard[0]))
				}
			})
		})
	}
}

// TestNotExecutedIsDecidedAnew: all rules run once more, as for what is safe to
// repeat; where they permit no attempt, the error is plain, and tells that nothing
// happened (RULE-RECONCILE-NOT-EXECUTED).
func TestNotExecutedIsDecidedAnew(t *testing.T) {
	for name, s := range situations() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, o, b, err := play(t, name, func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
					return &payment{"p-9"}, runtime.NotExecuted, nil
				})
				require.Equal(t, s.didNotHappen, endOf(o, err), "%v", err)
				require.Equal(t, runtime.NotExecuted, o.Reconciled)
				require.False(t, o.PriorUnknown, "no answer is the echo of what did not happen")
				if states := b.states(o.CallID); s.didNotHappen.attempts == s.attempts {
					require.Equal(t, []runtime.State{runtime.StateReconciling, s.didNotHappen.state}, states[len(states)-2:])
				}
				if err == nil {
					require.Equal(t, &payment{"p-1"}, p)
				} else {
					require.Nil(t, p)
					require.ErrorContains(t, err, "reconciled: NotExecuted")
				}
			})
		})
	}
}

// TestUnknownStaysAmbiguous: what the function says of it is kept, and shown nowhere
// (RULE-RECONCILE-UNKNOWN).
func TestUnknownStaysAmbiguous(t *testing.T) {
	for name, s := range situations() {
		for kind, u := range unknowns {
			t.Run(name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p, o, _, err := play(t, name, u.answer)
					require.Nil(t, p)
					require.Equal(t, end{"ambiguous", s.attempts, runtime.Unknown, runtime.StateAmbiguous, s.reason}, endOf(o, err))
					require.Equal(t, runtime.Unknown, o.Reconciled)
					var ambiguous *runtime.AmbiguousError
					require.ErrorAs(t, err, &ambiguous)
					if u.unanswered == "" {
						require.NoError(t, ambiguous.Unanswered)
					} else {
						require.EqualError(t, ambiguous.Unanswered, u.unanswered)
					}
					require.NotErrorIs(t, err, context.DeadlineExceeded, "it unwraps to nothing (RULE-AMBIGUOUS-5)")
					text, jsonErr := o.MarshalJSON()
					require.NoError(t, jsonErr)
					require.NotContains(t, err.Error()+fmt.Sprintf("%+v %#v", o, o)+string(text), "secret-7")
				})
			})
		}
	}
}

// TestPanicIsKept with its stack.
func TestPanicIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, err := play(t, "lost", unknowns["a panic"].answer)
		var ambiguous *runtime.AmbiguousError
		require.ErrorAs(t, err, &ambiguous)
		var panicked *runtime.PanicError
		require.ErrorAs(t, ambiguous.Unanswered, &panicked)
		require.Equal(t, "secret-7", panicked.Value)
		require.Contains(t, string(panicked.Stack), "reconcile_test.go")
	})
}

// TestQuestionIsAskedOnce: what did not happen is sent again, and what is lost then
// stays ambiguous. Only the later attempt is in doubt (RULE-RECONCILE-ASKED).
func TestQuestionIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.LoseAnswer(), retrytest.LoseAnswer())
		defer b.close()
		asked := 0
		_, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, runtime.Reconcile(
			func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
				asked++
				return nil, runtime.NotExecuted, nil
			}))
		require.Equal(t, end{"ambiguous", 2, runtime.Unknown, runtime.StateAmbiguous, runtime.NotSafelyIdempotent}, endOf(o, err))
		require.Equal(t, 1, asked)
		require.Equal(t, []runtime.State{runtime.StateAttempting, runtime.StateReconciling, runtime.StateBackoffWait,
			runtime.StateAttempting, runtime.StateAmbiguous}, b.states(o.CallID))
	})
}

// TestEffectAfterNotExecuted is that of the attempts since: those before have an
// answer (RULE-RECONCILE-NOT-EXECUTED).
func TestEffectAfterNotExecuted(t *testing.T) {
	for name, tt := range map[string]struct {
		then retrytest.Fault
		want end
	}{
		"refused": {retrytest.Status(422), end{"status", 2, runtime.NotExecuted, runtime.StateDenied, runtime.StatusNotRetryable}},
		"500":     {retrytest.Status(500), end{"status", 2, runtime.Unknown, runtime.StateDenied, runtime.StatusNotRetryable}},
		"cut":     {retrytest.CutBody(200), end{"transport", 2, runtime.Executed, runtime.StateDenied, runtime.NotSafelyIdempotent}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, retrytest.LoseAnswer(), tt.then)
				defer b.close()
				_, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, didNotHappen())
				require.Equal(t, tt.want, endOf(o, err))
			})
		})
	}
}

func didNotHappen() runtime.OnAmbiguous[*payment] {
	return runtime.Reconcile(func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		return nil, runtime.NotExecuted, nil
	})
}

// TestRetryAfterHoldsAfterNotExecuted (RULE-RETRY-AFTER-4), and so does the deadline
// that the call began with: the question's time counts against it.
func TestRetryAfterHoldsAfterNotExecuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.Status(503, "Retry-After", "3"), retrytest.JSON(201, `{"id":"p-1"}`))
		defer b.close()
		_, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, didNotHappen())
		require.NoError(t, err)
		require.GreaterOrEqual(t, o.Attempts[1].Delay, 3*time.Second)
	})
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.LoseAnswer())
		defer b.close()
		op := writing(runtime.NotIdempotent)
		op.Deadline = time.Second
		_, o, err := b.pay(t.Context(), op, runtime.Body{}, runtime.Reconcile(
			func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
				time.Sleep(950 * time.Millisecond)
				return nil, runtime.NotExecuted, nil
			}))
		require.Equal(t, end{"transport", 1, runtime.NotExecuted, runtime.StateDenied, runtime.DeadlineTooNear}, endOf(o, err))
	})
}

// TestCancelledCallerIsNotMadeToWait: he is not asked for, or no longer, unless he
// has said so (RULE-RECONCILE-CANCEL).
func TestCancelledCallerIsNotMadeToWait(t *testing.T) {
	gone := errors.New("the customer is gone")
	for name, tt := range map[string]struct {
		even  bool
		after time.Duration // of the call's 1 s of silence
		takes time.Duration // to answer
		end   end
		ended time.Duration
		asked int
	}{
		"before the question":                   {false, 500 * time.Millisecond, time.Second, end{"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.PermanentFailure}, 500 * time.Millisecond, 0},
		"while it is asked":                     {false, 1500 * time.Millisecond, time.Second, end{"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.DeadlineTooNear}, 1500 * time.Millisecond, 1},
		"before the question, and must know":    {true, 500 * time.Millisecond, time.Second, end{"ok", 1, runtime.Executed, runtime.StateReconciled, runtime.PermanentFailure}, 1500 * time.Millisecond, 1},
		"while it is asked, and must know":      {true, 1500 * time.Millisecond, time.Second, end{"ok", 1, runtime.Executed, runtime.StateReconciled, runtime.DeadlineTooNear}, 2 * time.Second, 1},
		"must know, and nobody answers in time": {true, 500 * time.Millisecond, time.Hour, end{"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.PermanentFailure}, 2500 * time.Millisecond, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, retrytest.Hang())
				defer b.close()
				op := writing(runtime.NotIdempotent)
				op.Deadline = time.Second
				ctx, cancel := context.WithCancelCause(t.Context())
				defer time.AfterFunc(tt.after, func() { cancel(gone) }).Stop()
				asked := 0
				on := runtime.Reconcile(func(ctx context.Context, _ *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
					asked++
					select {
					case <-time.After(tt.takes):
						return &payment{"p-9"}, runtime.Executed, nil
					case <-ctx.Done():
						return nil, runtime.Unknown, context.Cause(ctx)
					}
				})
				if tt.even {
					on = on.EvenIfCancelled()
				}
				began := time.Now()
				_, o, err := b.pay(ctx, op, runtime.Body{}, on)
				require.Equal(t, tt.end, endOf(o, err))
				require.Equal(t, tt.ended, time.Since(began))
				require.Equal(t, tt.asked, asked)
				var ambiguous *runtime.AmbiguousError
				if errors.As(err, &ambiguous) && !tt.even {
					require.Equal(t, gone, ambiguous.Unanswered)
				}
			})
		})
	}
}

// TestCancelledAndDidNotHappen ends as a cancelled call of which nothing happened.
func TestCancelledAndDidNotHappen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.Hang())
		defer b.close()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, o, err := b.pay(ctx, writing(runtime.NotIdempotent), runtime.Body{}, didNotHappen().EvenIfCancelled())
		require.Equal(t, end{"cancelled", 1, runtime.NotExecuted, runtime.StateCancelled, runtime.PermanentFailure}, endOf(o, err))
	})
}

// TestQuestionHasTimeOfItsOwn: a caller's deadline that has passed, or is near, does
// not shorten it; the caller's values are there (RULE-RECONCILE-TIME).
func TestQuestionHasTimeOfItsOwn(t *testing.T) {
	type tenant struct{}
	for name, tt := range map[string]struct {
		deadline time.Duration
		fault    retrytest.Fault
		timeout  time.Duration
		want     time.Duration
	}{
		"a deadline that has passed":           {time.Second, retrytest.Hang(), 2 * time.Second, 2 * time.Second},
		"a deadline that is near":              {time.Second, retrytest.LoseAnswer(), 2 * time.Second, 2 * time.Second},
		"a contract by hand that says nothing": {time.Second, retrytest.LoseAnswer(), 0, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, tt.fault)
				defer b.close()
				op := writing(runtime.NotIdempotent)
				op.ReconcileTimeout = tt.timeout
				ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), tenant{}, "7"), tt.deadline)
				defer cancel()
				var asked time.Time
				_, o, err := b.pay(ctx, op, runtime.Body{}, runtime.Reconcile(
					func(ctx context.Context, _ *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
						asked = time.Now()
						require.Equal(t, "7", ctx.Value(tenant{}))
						<-ctx.Done()
						return nil, runtime.Unknown, ctx.Err()
					}))
				require.Equal(t, "ambiguous", word(err))
				require.Equal(t, runtime.StateAmbiguous, o.State)
				require.Equal(t, tt.want, time.Since(asked))
			})
		})
	}
}

// TestCallsOfTheQuestionAreTheirOwn: they have the attempts of their own contract,
// find connection and place free, and are observed as calls (RULE-RECONCILE-CALLS,
// RULE-OWNER-1).
func TestCallsOfTheQuestionAreTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.LoseAnswer(), retrytest.Status(503), retrytest.LoseAnswer(), retrytest.JSON(200, `{"id":"p-9"}`))
		defer b.close()
		reading := writing(runtime.Idempotent)
		reading.Name, reading.Route = "findPayment", "GET /payments"
		var inner runtime.Outcome
		p, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.JSON(payment{"p-9"}), runtime.Reconcile(
			func(ctx context.Context, _ *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
				found, err := runtime.Do(ctx, b.upstream, reading, runtime.Request{Path: []string{"/payments"}}, readPayment,
					[]runtime.CallOption{runtime.Report(&inner)})
				return found, runtime.Executed, err
			}))
		require.NoError(t, err)
		require.Equal(t, &payment{"p-9"}, p)
		require.Len(t, o.Attempts, 1)
		require.Len(t, inner.Attempts, 3, "a nested attempt would have one")
		require.NotEqual(t, o.CallID, inner.CallID)
		require.Equal(t, []runtime.State{runtime.StateAttempting, runtime.StateReconciling, runtime.StateReconciled}, b.states(o.CallID))
		require.Equal(t, runtime.StateDispatched, inner.State)
		require.Equal(t, 2, b.budget.primaries)
		require.Equal(t, 1, b.budget.successes, "of the call that was answered")
		require.Len(t, b.breaker.heard, 2)
		require.NoError(t, b.breaker.heard[0])
		require.Equal(t, "ambiguous", word(b.breaker.heard[1]))
	})
}

// TestReturnAmbiguous returns the error as it is, and asks nobody.
func TestReturnAmbiguous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t, retrytest.LoseAnswer())
		defer b.close()
		_, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, runtime.ReturnAmbiguous[*payment]())
		require.Equal(t, end{"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.NotSafelyIdempotent}, endOf(o, err))
		require.Equal(t, []runtime.State{runtime.StateAttempting, runtime.StateAmbiguous}, b.states(o.CallID))
	})
}

// TestNobodyIsAskedOfWhatIsClear: a success, a plain failure, what was never sent.
func TestNobodyIsAskedOfWhatIsClear(t *testing.T) {
	for name, script := range map[string][]retrytest.Fault{
		"ok":      {retrytest.JSON(201, `{"id":"p-1"}`)},
		"status":  {retrytest.Status(400)},
		"failure": {retrytest.RefuseConnection(), retrytest.RefuseConnection(), retrytest.RefuseConnection()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, script...)
				defer b.close()
				_, _, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, runtime.Reconcile(
					func(context.Context, *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
						t.Error("asked")
						return nil, runtime.Unknown, nil
					}))
				require.NotEqual(t, "ambiguous", word(err))
			})
		})
	}
}

// TestUndecidedIsRejected: to leave the decision out sends nothing, so that it shows
// before it matters (RULE-RECONCILE-DECIDED).
func TestUndecidedIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newStage(t)
		defer b.close()
		for name, on := range map[string]runtime.OnAmbiguous[*payment]{
			"zero":           {},
			"nil function":   runtime.Reconcile[*payment](nil),
			"zero, and even": runtime.OnAmbiguous[*payment]{}.EvenIfCancelled(),
		} {
			_, o, err := b.pay(t.Context(), writing(runtime.NotIdempotent), runtime.Body{}, on)
			require.Equal(t, end{"rejected", 0, runtime.NotExecuted, runtime.StateRejected, runtime.Rejected}, endOf(o, err), name)
			require.ErrorContains(t, err, "pass runtime.ReturnAmbiguous or runtime.Reconcile", name)
		}
		for name, ask := range map[string]any{"nil": runtime.ReconcileEffect(nil), "of another result": runtime.ReturnAmbiguous[string]()} {
			request := runtime.Request{Path: []string{"/payments"}}
			switch ask := ask.(type) {
			case runtime.OnAmbiguous[runtime.NoResult]:
				request.Ask = ask
			case runtime.OnAmbiguous[string]:
				request.Ask = ask
			}
			err := runtime.Exec(t.Context(), b.upstream, writing(runtime.NotIdempotent), request, nothing, nil)
			require.Equal(t, "rejected", word(err), name)
		}
		require.Empty(t, b.server.Requests())
	})
}

func nothing(*runtime.Response) error { return nil }

// TestMethodsWithoutAResult ask for the effect alone (RULE-RECONCILE-EXECUTED).
func TestMethodsWithoutAResult(t *testing.T) {
	for effect, want := range map[runtime.Effect]end{
		runtime.Executed:    {"ok", 1, runtime.Executed, runtime.StateReconciled, runtime.NotSafelyIdempotent},
		runtime.NotExecuted: {"ok", 2, runtime.Executed, runtime.StateDispatched, runtime.NoReason},
		runtime.Unknown:     {"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.NotSafelyIdempotent},
	} {
		t.Run(effect.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, retrytest.LoseAnswer(), retrytest.Status(204))
				defer b.close()
				var o runtime.Outcome
				err := runtime.Exec(t.Context(), b.upstream, writing(runtime.NotIdempotent), runtime.Request{
					Path: []string{"/payments"},
					Ask: runtime.ReconcileEffect(func(context.Context, *runtime.AmbiguousError) (runtime.Effect, error) {
						return effect, nil
					}),
				}, nothing, []runtime.CallOption{runtime.Report(&o)})
				require.Equal(t, want, endOf(o, err))
			})
		})
	}
}

// TestStreamsThatHappened have nothing to read: the error is plain, and says that it
// was done, as where a whole body broke (RULE-RECONCILE-EXECUTED).
func TestStreamsThatHappened(t *testing.T) {
	for effect, want := range map[runtime.Effect]end{
		runtime.Executed:    {"transport", 1, runtime.Executed, runtime.StateDenied, runtime.NotSafelyIdempotent},
		runtime.NotExecuted: {"ok", 2, runtime.Executed, runtime.StateDispatched, runtime.NoReason},
		runtime.Unknown:     {"ambiguous", 1, runtime.Unknown, runtime.StateAmbiguous, runtime.NotSafelyIdempotent},
	} {
		t.Run(effect.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newStage(t, retrytest.LoseAnswer(), retrytest.Answer(200, "data: 1\n\n", "Content-Type", "text/event-stream"))
				defer b.close()
				var o runtime.Outcome
				stream, err := runtime.DoEvents(t.Context(), b.upstream, writing(runtime.NotIdempotent), runtime.Request{
					Path: []string{"/payments"},
					Ask: runtime.ReconcileEffect(func(context.Context, *runtime.AmbiguousError) (runtime.Effect, error) {
						return effect, nil
					}),
				}, nothing, []runtime.CallOption{runtime.Report(&o)})
				require.Equal(t, want, endOf(o, err))
				if err == nil {
					for event, err := range stream.All() {
						require.NoError(t, err)
						require.Equal(t, "1", event.Data)
					}
				} else {
					require.Nil(t, stream)
				}
			})
		})
	}
}

// TestNoRequestIsUnaccountedFor: over random faults, contracts, callers and answers,
// the server reads no request that is not reported, nobody is asked twice, nothing
// is repeated of what may have happened, and each call ends once, in a state that
// its error fits (RULE-RECONCILE-ASKED, RULE-STATE-2).
func TestNoRequestIsUnaccountedFor(t *testing.T) {
	ends := map[string]int{}
	for seed := range uint64(400) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { ends[randomCall(t, rand.New(rand.NewPCG(seed, 1)))]++ })
		})
	}
	t.Log(ends)
	for _, end := range []string{"ok Dispatched", "ok Reconciled", "ambiguous Ambiguous", "status TerminalExhausted", "transport Denied", "cancelled Cancelled"} {
		require.Positive(t, ends[end], "no call ended %s: the test shows less than it should", end)
	}
}

func randomCall(t *testing.T, random *rand.Rand) string {
	faults := []retrytest.Fault{
		retrytest.LoseAnswer(), retrytest.LoseAnswer(), retrytest.LoseAnswer(), retrytest.Hang(), retrytest.RefuseConnection(),
		retrytest.Status(503), retrytest.Status(504), retrytest.Status(429), retrytest.Status(500), retrytest.Status(400),
		retrytest.CutBody(200), retrytest.MalformedStatusLine(), retrytest.JSON(201, `{"id":"p-1"}`),
	}
	var script []retrytest.Fault
	for range 5 {
		script = append(script, faults[random.IntN(len(faults))])
	}
	b := newStage(t, script...)
	defer b.close()
	b.budget.retries = random.IntN(5)
	op := writing([]runtime.Idempotency{runtime.Undeclared, runtime.NotIdempotent, runtime.Idempotent, runtime.IdempotentByKey}[random.IntN(4)])
	op.MaxAttempts = 1 + random.IntN(5)
	op.AttemptTimeout = 3 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if random.IntN(4) == 0 {
		defer time.AfterFunc(time.Duration(random.IntN(4000))*time.Millisecond, cancel).Stop()
	}
	effect, takes, fails := runtime.Effect(random.IntN(3)), time.Duration(random.IntN(2500))*time.Millisecond, random.IntN(8) == 0
	asked, before := 0, 0
	on := runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*payment, runtime.Effect, error) {
		asked, before = asked+1, len(a.Attempts)
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			effect = runtime.Unknown
		}
		if fails {
			effect = runtime.Unknown
			panic("fails")
		}
		return &payment{"p-9"}, effect, nil
	})
	if random.IntN(2) == 0 {
		on = on.EvenIfCancelled()
	}
	_, o, err := b.pay(ctx, op, runtime.JSON(payment{"p-1"}), on)

	require.LessOrEqual(t, len(b.server.Requests()), len(o.Attempts))
	require.LessOrEqual(t, len(o.Attempts), op.MaxAttempts)
	require.LessOrEqual(t, asked, 1)
	doubtful := 0 // attempts that may have been executed, and have no answer
	for i, a := range o.Attempts {
		settled := asked == 1 && effect == runtime.NotExecuted && i < before
		if a.Evidence == runtime.SentNoResponse && !settled {
			doubtful++
		}
	}
	if op.Idempotency == runtime.Undeclared || op.Idempotency == runtime.NotIdempotent {
		require.LessOrEqual(t, doubtful, 1, "repeated what may have happened")
	}
	if asked == 1 && effect != runtime.NotExecuted {
		require.Len(t, o.Attempts, before, "an attempt after an answer that permits none")
		require.Equal(t, effect, o.Effect)
	}
	if o.Effect == runtime.NotExecuted {
		require.Zero(t, doubtful)
	}
	states := b.states(o.CallID)
	last := slices.IndexFunc(states, runtime.State.Terminal)
	require.Equal(t, len(states)-1, last, "%v", states)
	require.Equal(t, o.State, states[last])
	require.Equal(t, o.State == runtime.StateAmbiguous, word(err) == "ambiguous")
	require.Equal(t, o.State == runtime.StateDispatched || o.State == runtime.StateReconciled, err == nil)
	return word(err) + " " + o.State.String()
}
