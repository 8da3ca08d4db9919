package runtime

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// pipes is a transport whose server answers each request on an in-memory
// connection with the next of the given statuses, so that time is virtual.
// Status 0 reads the request and never answers.
func pipes(statuses ...int) *http.Transport {
	next := make(chan int, len(statuses))
	for _, s := range statuses {
		next <- s
	}
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go respond(server, next)
		return client, nil
	}}
}

func respond(conn net.Conn, next <-chan int) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		status := 200
		select {
		case status = <-next:
		default:
		}
		if status == 0 {
			_, _ = io.Copy(io.Discard, conn)
			return
		}
		response := &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: request}
		if status == 429 {
			response.Header.Set("Retry-After", "3")
		}
		_ = response.Write(conn)
	}
}

// virtually makes one call in a bubble of virtual time.
func virtually(t *testing.T, statuses []int, call func(t *testing.T, u *Upstream)) {
	synctest.Test(t, func(t *testing.T) {
		u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{Budget: plenty{}, Transport: pipes(statuses...)}, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, u.Drain(context.Background())) }()
		call(t, u)
	})
}

func exec(ctx context.Context, u *Upstream, op *Operation, o *Outcome, opts ...CallOption) error {
	return Exec(ctx, u, op, Request{Path: []string{"/pets"}}, func(*Response) error { return nil }, append(opts, Report(o)))
}

// slow is an operation with waits that a reader can follow.
func slow() *Operation {
	op := quick(Idempotent)
	op.Deadline = 10 * time.Second
	op.BackoffBase, op.BackoffMax, op.BackoffMultiplier = 100*time.Millisecond, 3*time.Second, 2
	op.MinAttemptBudget = 100 * time.Millisecond
	return op
}

// TestWaits: up to 200 ms before attempt 2, up to 400 ms before attempt 3, never
// none (RULE-BACKOFF-1, RULE-BACKOFF-3).
func TestWaits(t *testing.T) {
	virtually(t, []int{503, 503, 503}, func(t *testing.T, u *Upstream) {
		start := time.Now()
		var o Outcome
		err := exec(t.Context(), u, slow(), &o)
		require.Equal(t, "status", kind(err))
		require.Len(t, o.Attempts, 3)
		require.Zero(t, o.Attempts[0].Delay)
		for i, most := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond} {
			require.GreaterOrEqual(t, o.Attempts[i+1].Delay, time.Millisecond)
			require.LessOrEqual(t, o.Attempts[i+1].Delay, most)
		}
		require.Equal(t, o.Attempts[1].Delay+o.Attempts[2].Delay, time.Since(start))
	})
}

// TestRetryAfterIsALowerBound (RULE-RETRY-AFTER-4).
func TestRetryAfterIsALowerBound(t *testing.T) {
	virtually(t, []int{429}, func(t *testing.T, u *Upstream) {
		var o Outcome
		require.NoError(t, exec(t.Context(), u, slow(), &o))
		require.Greater(t, o.Attempts[1].Delay, 3*time.Second)
		require.LessOrEqual(t, o.Attempts[1].Delay, 3*time.Second+200*time.Millisecond)
	})
}

// TestNoSleepThatCannotPay: where wait and attempt do not fit into the deadline,
// the call ends at once (RULE-DECIDE-DELAY).
func TestNoSleepThatCannotPay(t *testing.T) {
	op := slow()
	op.Deadline = 3 * time.Second
	virtually(t, []int{429}, func(t *testing.T, u *Upstream) {
		start := time.Now()
		var o Outcome
		err := exec(t.Context(), u, op, &o)
		require.Equal(t, "status", kind(err))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, DeadlineTooNear, o.Reason)
		require.Len(t, o.Attempts, 1)
		require.Zero(t, time.Since(start))
	})
}

// TestDeadlineCoversTheCall: three hung attempts of 4 s each end at 10 s
// (RULE-DEADLINE-1).
func TestDeadlineCoversTheCall(t *testing.T) {
	op := slow()
	op.AttemptTimeout = 4 * time.Second
	virtually(t, []int{0, 0, 0}, func(t *testing.T, u *Upstream) {
		start := time.Now()
		var o Outcome
		err := exec(t.Context(), u, op, &o)
		require.Equal(t, "transport", kind(err))
		require.Len(t, o.Attempts, 3)
		require.Equal(t, 4*time.Second, o.Attempts[0].Duration)
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// TestAnyTimeIsEnoughForTheFirst attempt: the minimum is for the others
// (RULE-DEADLINE-4).
func TestAnyTimeIsEnoughForTheFirst(t *testing.T) {
	virtually(t, []int{503}, func(t *testing.T, u *Upstream) {
		var o Outcome
		err := exec(t.Context(), u, slow(), &o, Deadline(time.Millisecond))
		require.Equal(t, "status", kind(err))
		require.Len(t, o.Attempts, 1)
		require.Equal(t, DeadlineTooNear, o.Reason)
	})
}

// TestContextDeadlineWins where it is the smaller (RULE-DEADLINE-1).
func TestContextDeadlineWins(t *testing.T) {
	virtually(t, []int{0}, func(t *testing.T, u *Upstream) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		var o Outcome
		err := exec(ctx, u, slow(), &o)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, DeadlineTooNear, o.Reason)
		require.Equal(t, 2*time.Second, time.Since(start))
	})
}

// TestCancelWakesBackoff: the caller need not wait, and the token goes back
// (RULE-BUDGET-3).
func TestCancelWakesBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := &counting{}
		u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{Budget: budget, Transport: pipes(429)}, nil)
		require.NoError(t, err)
		why := errors.New("the user left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
		start := time.Now()
		var o Outcome
		err = exec(ctx, u, slow(), &o)
		require.Equal(t, "cancelled", kind(err))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, why)
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		require.Equal(t, []int{1, 0, 1}, []int{budget.reserved, budget.committed, budget.cancelled})
		require.Equal(t, StateCancelled, o.State)
		require.NoError(t, u.Drain(t.Context()))
	})
}
