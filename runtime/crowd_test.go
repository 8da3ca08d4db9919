package runtime

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// stats are the connections of an upstream.
func (u *Upstream) stats() pool.Stats { return u.transport.(*pool.Pool).Stats() }

// unlucky is a server that fails at random, in every way that it can.
func unlucky(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	switch n := rand.IntN(20); n {
	case 0:
		lost(w, r)
	case 1:
		cut(200)(w, r)
	case 2:
		cut(503)(w, r)
	case 3:
		hang(w, r)
	case 4:
		text("<html>")(w, r)
	case 5, 6, 7, 8, 9, 10, 11:
		status([]int{400, 401, 404, 408, 425, 429, 500}[n-5])(w, r)
	case 12, 13, 14:
		status(502+n-12)(w, r)
	case 15:
		status(307, "Location", "/elsewhere")(w, r)
	default:
		ok(w, r)
	}
}

// census counts the ends of calls, as an observer and as the caller sees them.
type census struct {
	mu   sync.Mutex
	ends map[CallID][]State
}

func (c *census) observe(e Event) {
	if !e.To.Terminal() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends[e.CallID] = append(c.ends[e.CallID], e.To)
}

// TestCrowd: five thousand concurrent calls of every kind meet random faults,
// impatient callers and a full bulkhead. Each ends in exactly one terminal
// state, with an error that fits it, and nothing stays behind (RULE-STATE-2).
func TestCrowd(t *testing.T) {
	const calls = 5000
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	server := httptest.NewServer(http.HandlerFunc(unlucky))
	defer server.Close()
	c := contract
	c.MaxConcurrent, c.MaxConnections = 64, 32
	seen := census{ends: map[CallID][]State{}}
	breaker := &lenient{}
	u, err := NewUpstream(c, server.URL, UpstreamConfig{Observer: seen.observe, Breaker: breaker}, nil)
	require.NoError(t, err)

	var mu sync.Mutex
	reported := map[CallID]State{}
	kinds := map[string]int{}
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			op := quick(Idempotency(n % 4))
			op.Deadline, op.AttemptTimeout = 20*time.Second, 100*time.Millisecond
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if n%7 == 0 {
				time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, cancel)
			}
			opts := []CallOption{}
			if n%11 == 0 {
				opts = append(opts, Deadline(time.Duration(1+rand.IntN(300))*time.Millisecond))
			}
			var o Outcome
			err := sometimesStream(ctx, u, op, n, append(opts, Report(&o)))
			mu.Lock()
			defer mu.Unlock()
			reported[o.CallID] = o.State
			kinds[kind(err)]++
			if got, fits := o.State, endOf(err); !fits[got] {
				t.Errorf("state %v does not fit %v", got, err)
			}
		})
	}
	all.Wait()
	t.Log(kinds)
	require.Len(t, reported, calls)
	require.Len(t, seen.ends, calls)
	for id, ends := range seen.ends {
		require.Equal(t, []State{reported[id]}, ends, "call %v", id)
	}
	for _, k := range []string{"ok", "status", "transport", "malformed", "cancelled", "ambiguous"} {
		require.Positive(t, kinds[k], "no call ended %s: the test shows less than it should", k)
	}
	require.Equal(t, breaker.admitted.Load(), breaker.told.Load(), "each admitted call is told to the breaker, once")
	requireEmpty(t, u)
	require.NoError(t, u.Drain(t.Context()))
	require.Zero(t, u.stats())
}

// sometimesStream makes a call, every ninth as a stream of which every other is
// left before its end.
func sometimesStream(ctx context.Context, u *Upstream, op *Operation, n int, opts []CallOption) error {
	request := Request{Path: []string{"/pets"}, Body: JSON(pet{"rex"})}
	if n%9 != 0 {
		_, err := Do(ctx, u, op, request, readPet, opts)
		return err
	}
	stream, err := DoStream(ctx, u, op, request, func(*Response) error { return nil }, opts)
	if err != nil {
		return err
	}
	if n%2 == 0 {
		_, _ = io.ReadAll(stream)
	}
	return stream.Close()
}

// endOf is the states in which a call may end that returns the error.
func endOf(err error) map[State]bool {
	return map[string]map[State]bool{
		"ok":        {StateDispatched: true},
		"rejected":  {StateRejected: true},
		"cancelled": {StateCancelled: true},
		"ambiguous": {StateAmbiguous: true},
		"malformed": {StateDenied: true, StateTerminalExhausted: true, StateBudgetExhausted: true},
		"status":    {StateDenied: true, StateTerminalExhausted: true, StateBudgetExhausted: true},
		"transport": {StateDenied: true, StateTerminalExhausted: true, StateBudgetExhausted: true},
	}[kind(err)]
}

// lenient is a breaker that admits all.
type lenient struct{ admitted, told atomic.Int64 }

func (*lenient) Name() string { return "lenient" }

func (b *lenient) Allow() (func(error), error) {
	b.admitted.Add(1)
	return func(error) { b.told.Add(1) }, nil
}

// requireEmpty: no call, no place, no reservation, no connection in use.
func requireEmpty(t *testing.T, u *Upstream) {
	t.Helper()
	require.Zero(t, u.drain.calls.Load())
	require.Empty(t, u.bulkhead.places)
	if ledger, is := u.budget.(*Ledger); is {
		require.Zero(t, ledger.reserved)
	}
	require.Eventually(t, func() bool { // a cancelled request leaves its connection a moment later
		s := u.stats()
		return s.InUse == 0 && s.Waiting == 0
	}, 5*time.Second, time.Millisecond)
}

// TestWaitingCallsHoldNothing: while a hundred calls wait for their second
// attempt, bulkhead and pool are empty, of calls that were answered and of
// those that were not (RULE-BACKOFF-5).
func TestWaitingCallsHoldNothing(t *testing.T) {
	for name, first := range map[string]int{"answered": 429, "timed out": 0} {
		t.Run(name, func(t *testing.T) {
			const calls = 100
			synctest.Test(t, func(t *testing.T) {
				statuses := make([]int, calls)
				for i := range statuses {
					statuses[i] = first
				}
				c := contract
				c.MaxConcurrent, c.MaxConnections = calls, calls
				u, err := NewUpstream(c, "http://pets.test", UpstreamConfig{Budget: plenty{}, Transport: pipes(statuses...)}, nil)
				require.NoError(t, err)
				op := slow()
				op.AttemptTimeout = time.Second
				op.BackoffJitter, op.BackoffBase = DecorrelatedJitter, 2*time.Second
				var all sync.WaitGroup
				for range calls {
					all.Go(func() { require.NoError(t, exec(t.Context(), u, op, new(Outcome))) })
				}
				time.Sleep(1500 * time.Millisecond)
				synctest.Wait()
				require.EqualValues(t, calls, u.drain.calls.Load(), "all are under way")
				require.Empty(t, u.bulkhead.places)
				require.Zero(t, u.stats().InUse)
				require.Zero(t, u.stats().Waiting)
				all.Wait()
				require.NoError(t, u.Drain(context.Background()))
			})
		})
	}
}
