package runtime

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// kind names the type of a call's error.
func kind(err error) string {
	var (
		rejected  *RejectedError
		status    *StatusError
		transport *TransportError
		malformed *MalformedError
		cancelled *CancelledError
		ambiguous *AmbiguousError
	)
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &ambiguous):
		return "ambiguous"
	case errors.As(err, &rejected):
		return "rejected"
	case errors.As(err, &status):
		return "status"
	case errors.As(err, &transport):
		return "transport"
	case errors.As(err, &malformed):
		return "malformed"
	case errors.As(err, &cancelled):
		return "cancelled"
	}
	return "?"
}

// TestCalls plays scripts on a real server. In every one the server reads
// exactly the requests that the call reports (RULE-EVIDENCE-RESPONSE,
// RULE-EVIDENCE-PARTIAL, RULE-EVIDENCE-COUNT), each a copy of the first
// (RULE-BODY-SAME).
func TestCalls(t *testing.T) {
	type want struct {
		kind     string
		attempts []Evidence
		state    State
		reason   Reason
		effect   Effect
		prior    bool
	}
	received, none, partial := ResponseReceived, SentNoResponse, PartialResponse
	tests := map[string]struct {
		op    *Operation
		steps []turn
		want  want
	}{
		"success": {quick(NotIdempotent), nil,
			want{"ok", []Evidence{received}, StateDispatched, NoReason, Executed, false}},
		"503 twice, then success (RULE-STATUS-502)": {quick(Idempotent), []turn{status(503), status(503)},
			want{"ok", []Evidence{received, received, received}, StateDispatched, NoReason, Executed, false}},
		"503 until the attempts are used (RULE-DECIDE-1)": {quick(Idempotent), []turn{status(503), status(503), status(503)},
			want{"status", []Evidence{received, received, received}, StateTerminalExhausted, MaxAttemptsReached, Unknown, false}},
		"503 not idempotent (RULE-STATUS-502)": {quick(NotIdempotent), []turn{status(503)},
			want{"ambiguous", []Evidence{received}, StateAmbiguous, NotSafelyIdempotent, Unknown, false}},
		"504 undeclared is decided like not idempotent (RULE-IDEMPOTENCY-2)": {quick(Undeclared), []turn{status(504)},
			want{"ambiguous", []Evidence{received}, StateAmbiguous, NotSafelyIdempotent, Unknown, false}},
		"lost, idempotent (RULE-FAILURE-NO-RESPONSE)": {quick(Idempotent), []turn{lost},
			want{"ok", []Evidence{none, received}, StateDispatched, NoReason, Executed, true}},
		"lost, not idempotent (RULE-DECIDE-8)": {quick(NotIdempotent), []turn{lost},
			want{"ambiguous", []Evidence{none}, StateAmbiguous, NotSafelyIdempotent, Unknown, false}},
		"lost, by key (RULE-IDEMPOTENCY-1)": {quick(IdempotentByKey), []turn{lost},
			want{"ok", []Evidence{none, received}, StateDispatched, NoReason, Executed, true}},
		"lost thrice, by key (RULE-AMBIGUOUS-1)": {quick(IdempotentByKey), []turn{lost, lost, lost},
			want{"ambiguous", []Evidence{none, none, none}, StateAmbiguous, MaxAttemptsReached, Unknown, true}},
		"lost thrice, idempotent: a plain error (RULE-AMBIGUOUS-2)": {quick(Idempotent), []turn{lost, lost, lost},
			want{"transport", []Evidence{none, none, none}, StateTerminalExhausted, MaxAttemptsReached, Unknown, true}},
		"lost, then 404: the echo of the first (RULE-EFFECT-PRIOR)": {quick(Idempotent), []turn{lost, status(404)},
			want{"status", []Evidence{none, received}, StateDenied, StatusNotRetryable, Unknown, true}},
		"429, then success, whatever the idempotency (RULE-STATUS-429)": {quick(NotIdempotent), []turn{status(429)},
			want{"ok", []Evidence{received, received}, StateDispatched, NoReason, Executed, false}},
		"408, then success (RULE-STATUS-408)": {quick(Idempotent), []turn{status(408)},
			want{"ok", []Evidence{received, received}, StateDispatched, NoReason, Executed, false}},
		"425 twice (RULE-STATUS-425)": {quick(NotIdempotent), []turn{status(425), status(425)},
			want{"status", []Evidence{received, received}, StateDenied, StatusNotRetryable, NotExecuted, false}},
		"503, then 425 (RULE-STATUS-425)": {quick(Idempotent), []turn{status(503), status(425)},
			want{"status", []Evidence{received, received}, StateDenied, StatusNotRetryable, Unknown, false}},
		"500 (RULE-STATUS-500)": {quick(Idempotent), []turn{status(500)},
			want{"status", []Evidence{received}, StateDenied, StatusNotRetryable, Unknown, false}},
		"400 (RULE-STATUS-OTHER)": {quick(Idempotent), []turn{status(400)},
			want{"status", []Evidence{received}, StateDenied, StatusNotRetryable, NotExecuted, false}},
		"307 is not followed (RULE-STATUS-3XX)": {quick(NotIdempotent), []turn{status(307, "Location", "/elsewhere")},
			want{"status", []Evidence{received}, StateDenied, StatusNotRetryable, Unknown, false}},
		"a far Retry-After is not waited for (RULE-RETRY-AFTER-3)": {quick(Idempotent), []turn{status(429, "Retry-After", "3600")},
			want{"status", []Evidence{received}, StateDenied, RetryAfterTooLong, NotExecuted, false}},
		"200 cut, idempotent (RULE-FAILURE-PARTIAL)": {quick(Idempotent), []turn{cut(200)},
			want{"ok", []Evidence{partial, received}, StateDispatched, NoReason, Executed, false}},
		"200 cut, not idempotent: done, and nothing to show (RULE-FAILURE-PARTIAL)": {quick(NotIdempotent), []turn{cut(200)},
			want{"transport", []Evidence{partial}, StateDenied, NotSafelyIdempotent, Executed, false}},
		"404 cut: the status counts": {quick(Idempotent), []turn{cut(404)},
			want{"status", []Evidence{partial}, StateDenied, StatusNotRetryable, NotExecuted, false}},
		"200 with something else (RULE-FAILURE-MALFORMED)": {quick(Idempotent), []turn{text("<html>")},
			want{"malformed", []Evidence{received}, StateDenied, PermanentFailure, Executed, false}},
		"200 without a required property": {quick(Idempotent), []turn{text("{}")},
			want{"malformed", []Evidence{received}, StateDenied, PermanentFailure, Executed, false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, tt.steps...)
			u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
			answer, o, err := do(t, u, tt.op)
			got := want{kind(err), nil, o.State, o.Reason, o.Effect, o.PriorUnknown}
			for _, a := range o.Attempts {
				got.attempts = append(got.attempts, a.Evidence)
			}
			require.Equal(t, tt.want, got, "%v", err)
			requests := server.read()
			require.Len(t, requests, len(o.Attempts), "the server reads what the call reports")
			for i, r := range requests {
				require.Equal(t, `{"name":"rex"}`, r.body)
				require.Equal(t, requests[0].header.Get("Idempotency-Key"), r.header.Get("Idempotency-Key"))
				require.Equal(t, string(rune('1'+i)), r.header.Get(AttemptHeader))
			}
			if err == nil {
				require.Equal(t, &pet{"rex"}, answer)
			} else {
				require.Nil(t, answer)
			}
		})
	}
}

// TestNotSent: what never left is repeated whatever the idempotency
// (RULE-FAILURE-NOT-SENT).
func TestNotSent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())

	u := connect(t, "http://"+address, UpstreamConfig{Budget: plenty{}})
	_, o, err := do(t, u, quick(NotIdempotent))
	require.Equal(t, "transport", kind(err))
	require.Len(t, o.Attempts, 3)
	require.Equal(t, NotExecuted, o.Effect)
	for _, a := range o.Attempts {
		require.Equal(t, NotSent, a.Evidence)
	}
}

// TestCancellationOfSomebodyElse: a dialer or proxy that fails with a
// cancellation of its own does not make it the caller's.
func TestCancellationOfSomebodyElse(t *testing.T) {
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, context.Canceled }
	u := connect(t, "http://upstream.test", UpstreamConfig{Budget: plenty{}, Transport: &http.Transport{DialContext: dial}})
	var o Outcome
	err := exec(t.Context(), u, quick(NotIdempotent), &o)
	require.Equal(t, "transport", kind(err))
	require.Len(t, o.Attempts, 3)
	require.Equal(t, NotSent, o.Evidence())
	require.ErrorIs(t, o.Attempts[0].Cause, context.Canceled)
}

// TestNameNotFound is permanent: no second look-up (RULE-DECIDE-7,
// RULE-FAILURE-PERMANENT).
func TestNameNotFound(t *testing.T) {
	missing := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	}
	u := connect(t, "http://nowhere.test", UpstreamConfig{Budget: plenty{}, Transport: &http.Transport{DialContext: missing}})
	_, o, err := do(t, u, quick(Idempotent))
	require.Equal(t, "transport", kind(err))
	require.Len(t, o.Attempts, 1)
	require.Equal(t, NameNotFound, o.Attempts[0].Failure)
	require.Equal(t, PermanentFailure, o.Reason)
}

// TestAttemptTimeout is evidence, not a cancellation: the call goes on
// (RULE-DEADLINE-3).
func TestAttemptTimeout(t *testing.T) {
	server := serve(t, hang)
	op := quick(Idempotent)
	op.AttemptTimeout = 50 * time.Millisecond
	_, o, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op)
	require.NoError(t, err)
	require.Equal(t, SentNoResponse, o.Attempts[0].Evidence)
	require.Len(t, o.Attempts, 2)
}

// TestDeadlineInFlight ends the call with what is known, as a deadline error
// where nothing is ambiguous (RULE-DEADLINE-1, RULE-AMBIGUOUS-3).
func TestDeadlineInFlight(t *testing.T) {
	for _, tt := range []struct {
		op        *Operation
		kind      string
		isTimeout bool
	}{
		{quick(Idempotent), "transport", true},
		{quick(NotIdempotent), "ambiguous", false},
		{quick(IdempotentByKey), "ambiguous", false},
	} {
		t.Run(tt.op.Idempotency.String(), func(t *testing.T) {
			server := serve(t, hang, hang, hang)
			tt.op.Deadline = 60 * time.Millisecond
			_, o, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), tt.op)
			require.Equal(t, tt.kind, kind(err))
			require.Equal(t, DeadlineTooNear, o.Reason)
			require.Equal(t, tt.isTimeout, errors.Is(err, context.DeadlineExceeded))
		})
	}
}

// TestCancelInFlight: a caller that gives up does not make a lost payment a
// plain cancellation (RULE-AMBIGUOUS-3, RULE-EVIDENCE-CANCEL).
func TestCancelInFlight(t *testing.T) {
	for _, tt := range []struct {
		op   *Operation
		kind string
	}{{quick(Idempotent), "cancelled"}, {quick(NotIdempotent), "ambiguous"}} {
		t.Run(tt.op.Idempotency.String(), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			})
			var o Outcome
			_, err := Do(ctx, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), tt.op,
				Request{Path: []string{"/pets"}}, readPet, []CallOption{Report(&o)})
			require.Equal(t, tt.kind, kind(err))
			require.Equal(t, tt.kind == "cancelled", errors.Is(err, context.Canceled))
			require.Equal(t, CallerCancelled, o.Attempts[0].Failure)
			require.Equal(t, SentNoResponse, o.Attempts[0].Evidence)
		})
	}
}

// TestAmbiguousErrorHidesItsCause from code that repeats timeouts or swallows
// cancellations (RULE-AMBIGUOUS-5).
func TestAmbiguousErrorHidesItsCause(t *testing.T) {
	err := error(&AmbiguousError{
		Outcome: Outcome{Operation: "pay", Upstream: "bank", Key: "customer-7"},
		Cause:   errors.Join(context.DeadlineExceeded, context.Canceled, &net.OpError{Op: "read", Err: errors.New("reset")}),
	})
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, context.Canceled)
	require.False(t, errors.As(err, new(net.Error)))
	require.Nil(t, errors.Unwrap(err))
	require.NotContains(t, err.Error(), "customer-7", "a key may be personal data")
	require.Contains(t, err.Error(), "bank may have acted on it")
}

// TestUndeclaredIsNamed: a newcomer's unannotated GET explains itself
// (RULE-IDEMPOTENCY-2).
func TestUndeclaredIsNamed(t *testing.T) {
	for op, named := range map[*Operation]bool{quick(Undeclared): true, quick(NotIdempotent): false} {
		server := serve(t, lost)
		_, _, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op)
		require.Equal(t, "ambiguous", kind(err))
		require.Equal(t, named, containsAll(err.Error(), "x-idempotent"))
	}
}

// TestErrorBody: a documented error body is decoded, the raw one always kept.
func TestErrorBody(t *testing.T) {
	server := serve(t, status(404), text("x"))
	_, _, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(NotIdempotent))
	body, found := ErrorBody[problem](err)
	require.True(t, found)
	require.Equal(t, "no", body.Title)
	var failed *StatusError
	require.ErrorAs(t, err, &failed)
	require.JSONEq(t, `{"title":"no"}`, string(failed.Body))
	_, found = ErrorBody[pet](err)
	require.False(t, found)

	server = serve(t, status(503))
	_, _, err = do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(NotIdempotent))
	require.Equal(t, "ambiguous", kind(err))
	body, found = ErrorBody[problem](err)
	require.True(t, found, "an ambiguous error has the body of its last response")
	require.Equal(t, "no", body.Title)
}
