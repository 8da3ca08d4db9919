package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// TestRejections: what is rejected makes no attempt, sends nothing, and says who
// rejected it (RULE-STATE-4).
func TestRejections(t *testing.T) {
	open := &countingBreaker{err: errors.New("open")}
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	keyed := quick(IdempotentByKey)
	keyed.KeyTemplate = "pet-{owner}-{name}"
	byID := quick(Idempotent)
	byID.Route = "GET /pets/{petId}"

	tests := map[string]struct {
		op      *Operation
		request Request
		config  UpstreamConfig
		ctx     context.Context
		opts    []CallOption
		by      Rejecter
		says    string
	}{
		"invalid":          {op: quick(Idempotent), request: Request{Invalid: errors.New("/name is empty")}, by: ByValidation, says: "/name is empty"},
		"empty path value": {op: byID, request: Request{Path: []string{"/pets/", ""}}, by: ByValidation, says: "petId is empty"},
		"path value ..":    {op: byID, request: Request{Path: []string{"/pets/", ".."}}, by: ByValidation, says: `petId makes a segment ".."`},
		"empty key value":  {op: keyed, request: Request{Key: []string{"pet-", "", "-", "rex"}}, by: ByValidation, says: `owner is ""`},
		"key value with its own end": {op: keyed, request: Request{Key: []string{"pet-", "1-2", "-", "3"}}, by: ByValidation,
			says: "another call could get the same key"},
		"key without a contract for it": {op: quick(Idempotent), opts: []CallOption{Key("k")}, by: ByValidation, says: "takes no idempotency key"},
		"body that cannot be encoded":   {op: quick(Idempotent), request: Request{Body: JSON(func() {})}, by: ByValidation, says: "cannot be encoded"},
		"reader that is missing":        {op: quick(Idempotent), request: Request{Body: Stream("text/plain", nil)}, by: ByValidation, says: "no reader"},
		"header with a line break": {op: quick(Idempotent), opts: []CallOption{Header("X-A", "1\r\nX-B: 2")}, by: ByValidation,
			says: "X-A has a control character"},
		"no credential": {op: quick(Idempotent), request: Request{Auth: AnyOf(AllOf(Bearer("Token", nil)))}, by: ByCredential, says: "set Config.Token"},
		"empty secret":  {op: quick(Idempotent), request: Request{Auth: AnyOf(AllOf(Bearer("Token", Secret(""))))}, by: ByCredential, says: "Token"},
		"open breaker":  {op: quick(Idempotent), config: UpstreamConfig{Breaker: open}, by: ByBreaker, says: "open"},
		"past deadline": {op: quick(Idempotent), ctx: past, by: ByDeadline, says: "deadline"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			tt.config.Budget = plenty{}
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			var o Outcome
			_, err := Do(tt.ctx, connect(t, server.URL, tt.config), tt.op, tt.request, readPet, append(tt.opts, Report(&o)))
			var rejected *RejectedError
			require.ErrorAs(t, err, &rejected)
			require.Equal(t, tt.by, rejected.By)
			require.ErrorContains(t, err, tt.says)
			require.Empty(t, o.Attempts)
			require.Equal(t, StateRejected, o.State)
			require.Equal(t, Rejected, o.Reason)
			require.Equal(t, NotExecuted, o.Effect)
			require.Empty(t, server.read())
		})
	}
}

func TestDrain(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { <-release; ok(w, r) })
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})

	running := make(chan error)
	go func() {
		_, err := Do(context.Background(), u, quick(Idempotent), Request{Path: []string{"/pets"}}, readPet, nil)
		running <- err
	}()
	require.Eventually(t, func() bool { return len(server.read()) == 1 }, 5*time.Second, time.Millisecond)

	impatient, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, u.Drain(impatient), context.DeadlineExceeded, "a call is still running")

	_, _, err := do(t, u, quick(Idempotent))
	var rejected *RejectedError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, ByDrain, rejected.By)

	close(release)
	require.NoError(t, <-running)
	require.NoError(t, u.Drain(t.Context()))
	require.NoError(t, u.Drain(t.Context()), "draining twice is no error")
	over, end := context.WithCancel(t.Context())
	end()
	for range 20 { // a select between the two would fail half of them
		require.NoError(t, u.Drain(over), "nothing runs, so there is nothing to wait for")
	}
}

// TestDrainEndsBackoff: a call that waits for its next attempt makes none
// (RULE-DECIDE-5).
func TestDrainEndsBackoff(t *testing.T) {
	server := serve(t, status(503))
	waiting := make(chan struct{}, 1)
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Observer: func(e Event) {
		if e.To == StateBackoffWait {
			waiting <- struct{}{}
		}
	}})
	op := quick(Idempotent)
	op.BackoffBase, op.BackoffMax = 2*time.Second, 2*time.Second
	op.BackoffJitter = DecorrelatedJitter // at least the base
	go func() { <-waiting; _ = u.Drain(context.Background()) }()
	start := time.Now()
	_, o, err := do(t, u, op)
	require.Equal(t, "status", kind(err))
	require.Equal(t, Draining, o.Reason)
	require.Len(t, o.Attempts, 1)
	require.Less(t, time.Since(start), time.Second)
}

func TestBulkheadRejectsWhenFull(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { <-release; ok(w, r) })
	limited := contract
	limited.MaxConcurrent, limited.BulkheadAcquireTimeout = 1, 20*time.Millisecond
	u, err := NewUpstream(limited, server.URL, UpstreamConfig{Budget: plenty{}}, nil)
	require.NoError(t, err)

	running := make(chan error)
	go func() {
		_, err := Do(context.Background(), u, quick(Idempotent), Request{Path: []string{"/pets"}}, readPet, nil)
		running <- err
	}()
	require.Eventually(t, func() bool { return len(server.read()) == 1 }, 5*time.Second, time.Millisecond)
	_, _, err = do(t, u, quick(Idempotent))
	var rejected *RejectedError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, ByBulkhead, rejected.By)
	close(release)
	require.NoError(t, <-running)
	_, _, err = do(t, u, quick(Idempotent))
	require.NoError(t, err, "the place is free again")
	require.NoError(t, u.Drain(t.Context()))
}

// TestBulkheadIsFreeDuringBackoff: a call that waits holds nothing
// (RULE-BACKOFF-5).
func TestBulkheadIsFreeDuringBackoff(t *testing.T) {
	server := serve(t, status(503))
	limited := contract
	limited.MaxConcurrent = 1
	var u *Upstream
	var inside error
	observer := func(e Event) {
		if e.To == StateBackoffWait && e.Operation == "op" {
			other := quick(Idempotent)
			other.Name = "other"
			_, inside = Do(context.Background(), u, other, Request{Path: []string{"/pets"}}, readPet, nil)
		}
	}
	u, err := NewUpstream(limited, server.URL, UpstreamConfig{Budget: plenty{}, Observer: observer}, nil)
	require.NoError(t, err)
	_, o, err := do(t, u, quick(Idempotent), Deadline(2*time.Second))
	require.NoError(t, err)
	require.NoError(t, inside)
	require.Len(t, o.Attempts, 2)
	require.NoError(t, u.Drain(t.Context()))
}

// countingBreaker admits unless err is set, and keeps what it is told.
type countingBreaker struct {
	err      error
	verdicts []error
}

func (b *countingBreaker) Name() string { return "counting" }

func (b *countingBreaker) Allow() (func(error), error) {
	return func(err error) { b.verdicts = append(b.verdicts, err) }, b.err
}

// TestBreakerSeesOneResultPerCall (RULE-OWNER-3).
func TestBreakerSeesOneResultPerCall(t *testing.T) {
	tests := map[string]struct {
		steps   []turn
		op      *Operation
		failed  bool
		neutral bool
	}{
		"success at the third attempt": {steps: []turn{status(503), lost}, op: quick(Idempotent)},
		"three failed attempts":        {steps: []turn{status(503), status(503), status(503)}, op: quick(Idempotent), failed: true},
		"ambiguous":                    {steps: []turn{lost}, op: quick(NotIdempotent), failed: true},
		"404: the upstream is well":    {steps: []turn{status(404)}, op: quick(Idempotent)},
		"429: says nothing":            {steps: []turn{status(429), status(429), status(429)}, op: quick(Idempotent), neutral: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			breaker := &countingBreaker{}
			server := serve(t, tt.steps...)
			_, _, _ = do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Breaker: breaker}), tt.op)
			require.Len(t, breaker.verdicts, 1)
			require.Equal(t, tt.failed || tt.neutral, breaker.verdicts[0] != nil)
			require.Equal(t, tt.neutral, IsNeutral(breaker.verdicts[0]))
		})
	}
	t.Run("a call rejected behind it is neutral", func(t *testing.T) {
		breaker := &countingBreaker{}
		u := connect(t, serve(t).URL, UpstreamConfig{Budget: plenty{}, Breaker: breaker})
		_, err := Do(t.Context(), u, quick(Idempotent), Request{Auth: AnyOf(AllOf(Bearer("Token", Secret(""))))}, readPet, nil)
		require.Equal(t, "rejected", kind(err))
		require.Len(t, breaker.verdicts, 1)
		require.True(t, IsNeutral(breaker.verdicts[0]))
	})
}

// TestBodies: the body in hand decides about a second attempt (RULE-BODY-NONE,
// RULE-BODY-REPLAYABLE, RULE-BODY-REOPENABLE, RULE-BODY-ONE-SHOT).
func TestBodies(t *testing.T) {
	opened := 0
	reopen := Reopen("text/plain", func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader("hello")), nil
	})
	tests := map[string]struct {
		body     Body
		attempts int
		reason   Reason
	}{
		"none":     {Body{}, 2, NoReason},
		"bytes":    {Bytes("text/plain", []byte("hello")), 2, NoReason},
		"reopened": {reopen, 2, NoReason},
		"seeker":   {Reopen("text/plain", Seeker(strings.NewReader("hello"))), 2, NoReason},
		"one shot": {Stream("text/plain", bytes.NewBufferString("hello")), 1, BodyNotReplayable},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, status(503))
			var o Outcome
			_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent),
				Request{Path: []string{"/pets"}, Body: tt.body}, readPet, []CallOption{Report(&o)})
			require.Len(t, o.Attempts, tt.attempts, "%v", err)
			require.Equal(t, tt.reason, o.Reason)
			for _, r := range server.read() {
				if name == "none" {
					require.Empty(t, r.body)
					continue
				}
				require.Equal(t, "hello", r.body)
				require.Equal(t, "text/plain", r.header.Get("Content-Type"))
			}
		})
	}
	require.Equal(t, 2, opened, "opened once per attempt")
}

// TestReopenFails: the call ends, with the evidence of the earlier attempt
// (RULE-BODY-REOPEN).
func TestReopenFails(t *testing.T) {
	server := serve(t, lost)
	opened := 0
	body := Reopen("text/plain", func() (io.ReadCloser, error) {
		if opened++; opened > 1 {
			return nil, errors.New("the file is gone")
		}
		return io.NopCloser(strings.NewReader("hello")), nil
	})
	var o Outcome
	_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(IdempotentByKey),
		Request{Path: []string{"/pets"}, Body: body}, readPet, []CallOption{Report(&o)})
	require.Equal(t, "ambiguous", kind(err))
	require.Equal(t, PermanentFailure, o.Reason)
	require.Len(t, o.Attempts, 1)
	require.Equal(t, SentNoResponse, o.Attempts[0].Evidence)
	require.Len(t, server.read(), 1)
	var ambiguous *AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.ErrorContains(t, ambiguous.Cause, "the file is gone")
}

// TestOneShotSurvivesAFailedDial: a reader that no attempt has read is whole
// (RULE-DECIDE-3), and is closed once, with the call.
func TestOneShotSurvivesAFailedDial(t *testing.T) {
	server := serve(t)
	dials := 0
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials == 1 {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Transport: &http.Transport{DialContext: dial}})
	reader := &closeCounter{Reader: strings.NewReader("hello")}
	var o Outcome
	_, err := Do(t.Context(), u, quick(NotIdempotent), Request{Path: []string{"/pets"}, Body: Stream("text/plain", reader)},
		readPet, []CallOption{Report(&o)})
	require.NoError(t, err)
	require.Len(t, o.Attempts, 2)
	require.Equal(t, NotSent, o.Attempts[0].Evidence)
	require.Equal(t, "hello", server.read()[0].body)
	require.Equal(t, 1, reader.closed)
}

type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

// TestReopenFailsAfterAStatus: the status is the news, and the cause is kept.
func TestReopenFailsAfterAStatus(t *testing.T) {
	server := serve(t, status(503))
	gone := errors.New("the file is gone")
	first := true
	body := Reopen("text/plain", func() (io.ReadCloser, error) {
		if !first {
			return nil, gone
		}
		first = false
		return io.NopCloser(strings.NewReader("hello")), nil
	})
	_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent),
		Request{Path: []string{"/pets"}, Body: body}, readPet, nil)
	require.Equal(t, "status", kind(err))
	require.ErrorIs(t, err, gone)
}
