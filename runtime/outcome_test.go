package runtime

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnswersThatTempt: statuses and failures that clients in the wild repeat,
// or report as something that they are not. The server has read as many
// requests as the call reports.
func TestAnswersThatTempt(t *testing.T) {
	any5xx := func(i Idempotency) *Operation {
		op := quick(i)
		op.Transient500 = true
		for code := 500; code <= 599; code++ {
			if code != 501 && code != 505 {
				op.TransientStatuses = append(op.TransientStatuses, code)
			}
		}
		return op
	}
	denying := quick(Idempotent)
	denying.DeniedStatuses = []int{429}
	for name, tt := range map[string]struct {
		op       *Operation
		steps    []turn
		attempts int
		kind     string
		status   int
		effect   Effect
		prior    bool
	}{
		"a gateway's 504 after the job began (RULE-STATUS-502)":                   {quick(Undeclared), []turn{status(504)}, 1, "ambiguous", 504, Unknown, false},
		"a 503 that hides a reset after the work (RULE-STATUS-502)":               {quick(NotIdempotent), []turn{status(503)}, 1, "ambiguous", 503, Unknown, false},
		"a list of transient statuses repeats no write that was lost":             {any5xx(Undeclared), []turn{lost}, 1, "ambiguous", 0, Unknown, false},
		"a list of transient statuses repeats no write that is not idempotent":    {any5xx(NotIdempotent), []turn{status(500)}, 1, "status", 500, Unknown, false},
		"a list of transient statuses does not make a 502 plain":                  {any5xx(NotIdempotent), []turn{status(502)}, 1, "ambiguous", 502, Unknown, false},
		"no credit is permanent (RULE-STATUS-OTHER)":                              {quick(Idempotent), []turn{status(402)}, 1, "status", 402, Unknown, false},
		"a quota that the contract calls permanent (RULE-STATUS-DENIED)":          {denying, []turn{status(429)}, 1, "status", 429, NotExecuted, false},
		"a key that was used for another body (RULE-STATUS-OTHER)":                {quick(IdempotentByKey), []turn{status(422)}, 1, "status", 422, NotExecuted, false},
		"a key that is in use (RULE-STATUS-OTHER)":                                {quick(IdempotentByKey), []turn{status(409)}, 1, "status", 409, Unknown, false},
		"a PUT was lost, and meets its own first copy (RULE-EFFECT-PRIOR)":        {quick(Idempotent), []turn{lost, status(409)}, 2, "status", 409, Unknown, true},
		"a keyed write was lost, and meets its own first copy (RULE-AMBIGUOUS-1)": {quick(IdempotentByKey), []turn{lost, status(409)}, 2, "ambiguous", 409, Unknown, true},
		"a DELETE was lost, and finds nothing (RULE-EFFECT-PRIOR)":                {quick(Idempotent), []turn{lost, status(404)}, 2, "status", 404, Unknown, true},
		"a read that is lost is not ambiguous (RULE-AMBIGUOUS-2)":                 {quick(Idempotent), []turn{lost, lost, lost}, 3, "transport", 0, Unknown, true},
		"too early, of a client that sends no early data (RULE-STATUS-425)":       {quick(Idempotent), []turn{status(425), status(425)}, 2, "status", 425, NotExecuted, false},
		"the header came, then a reset, of a read (RULE-FAILURE-PARTIAL)":         {quick(Idempotent), []turn{cut(200)}, 2, "ok", 200, Executed, false},
		"the header came, then a reset, of a write (RULE-FAILURE-PARTIAL)":        {quick(NotIdempotent), []turn{cut(200)}, 1, "transport", 200, Executed, false},
		"a redirect of a write (RULE-STATUS-3XX)":                                 {quick(NotIdempotent), []turn{status(307, "Location", "/b")}, 1, "status", 307, Unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, tt.steps...)
			budget := &counting{}
			_, o, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: budget}), tt.op)
			require.Equal(t, tt.kind, kind(err), "%v", err)
			require.Len(t, o.Attempts, tt.attempts)
			require.Len(t, server.read(), tt.attempts)
			require.Equal(t, tt.status, o.Status)
			require.Equal(t, tt.effect, o.Effect)
			require.Equal(t, tt.prior, o.PriorUnknown)
			require.Equal(t, tt.attempts-1, budget.reserved, "what is denied takes nothing from the budget")
		})
	}
}

// TestEffectOfAStatus: what each status says of the upstream's side, alone
// (RULE-EFFECT-NOT-EXECUTED, RULE-EFFECT-EXECUTED, RULE-EFFECT-UNKNOWN).
func TestEffectOfAStatus(t *testing.T) {
	refused := []int{400, 401, 403, 404, 405, 413, 415, 422, 425, 429}
	for status := 200; status < 1000; status++ {
		want := Unknown
		switch {
		case status < 300:
			want = Executed
		case slices.Contains(refused, status):
			want = NotExecuted
		}
		for _, evidence := range []Evidence{ResponseReceived, PartialResponse} {
			for _, safe := range []bool{false, true} {
				require.Equal(t, want, effect([]Attempt{{Evidence: evidence, Status: status}}, safe), "%d %v", status, evidence)
			}
		}
	}
}

// TestEffectOfACall joins its attempts: a success settles those before it where
// repeating is safe, and nothing settles them otherwise (RULE-EFFECT-EXECUTED,
// RULE-EFFECT-UNKNOWN).
func TestEffectOfACall(t *testing.T) {
	unsent, lost := Attempt{Evidence: NotSent}, Attempt{Evidence: SentNoResponse}
	answered := func(status int) Attempt { return Attempt{Evidence: ResponseReceived, Status: status} }
	for name, tt := range map[string]struct {
		attempts     []Attempt
		safe, unsafe Effect
	}{
		"none":                   {nil, NotExecuted, NotExecuted},
		"never sent":             {[]Attempt{unsent, unsent}, NotExecuted, NotExecuted},
		"lost":                   {[]Attempt{lost}, Unknown, Unknown},
		"lost, then refused":     {[]Attempt{lost, answered(404)}, Unknown, Unknown},
		"lost, then never sent":  {[]Attempt{lost, unsent}, Unknown, Unknown},
		"lost, then done":        {[]Attempt{lost, answered(200)}, Executed, Unknown},
		"throttled, then done":   {[]Attempt{answered(429), answered(200)}, Executed, Executed},
		"never sent, then done":  {[]Attempt{unsent, answered(200)}, Executed, Executed},
		"done, cut, then lost":   {[]Attempt{answered(200), lost}, Executed, Unknown},
		"failed, then throttled": {[]Attempt{answered(503), answered(429)}, Unknown, Unknown},
	} {
		require.Equal(t, tt.safe, effect(tt.attempts, true), "%s, safely idempotent", name)
		require.Equal(t, tt.unsafe, effect(tt.attempts, false), "%s, not safely idempotent", name)
		require.Equal(t, tt.safe != NotExecuted, tt.safe.MayHaveExecuted(), name)
	}
}

// TestAmbiguousErrorHelpsToReconcile: it bears all that a caller needs to ask
// the upstream, or to call it again by key (RULE-AMBIGUOUS-4, RULE-AMBIGUOUS-6).
func TestAmbiguousErrorHelpsToReconcile(t *testing.T) {
	op := quick(IdempotentByKey)
	op.KeyRetention = time.Hour
	server := serve(t, lost, status(503), status(504))
	_, _, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op, Key("order-7"))
	var ambiguous *AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.Equal(t, "op", ambiguous.Operation)
	require.Equal(t, "pets", ambiguous.Upstream)
	require.Equal(t, "order-7", ambiguous.Key)
	require.Equal(t, MaxAttemptsReached, ambiguous.Reason)
	require.True(t, ambiguous.PriorUnknown)
	require.Equal(t, ambiguous.Attempts[0].Start.Add(time.Hour), ambiguous.KeyExpires)
	require.Len(t, ambiguous.Attempts, 3)
	for i, status := range []int{0, 503, 504} {
		a := ambiguous.Attempts[i]
		require.Equal(t, i+1, a.Number)
		require.Equal(t, status, a.Status)
		require.Equal(t, []Evidence{SentNoResponse, ResponseReceived, ResponseReceived}[i], a.Evidence)
		require.Positive(t, a.Duration)
		require.False(t, a.Start.IsZero())
	}
	var cause *StatusError
	require.ErrorAs(t, ambiguous.Cause, &cause)
	require.Equal(t, 504, cause.Status)
}

// TestErrorsKeepWhatHappened: a deadline does not hide the last cause, nor the
// records, nor why there was no other attempt.
func TestErrorsKeepWhatHappened(t *testing.T) {
	server := serve(t, lost, status(503, "Retry-After", "4"))
	op := quick(Idempotent)
	op.Deadline = 3 * time.Second
	_, _, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var failed *StatusError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 503, failed.Status)
	require.Equal(t, "4", failed.Header.Get("Retry-After"))
	require.Equal(t, DeadlineTooNear, failed.Reason)
	require.Len(t, failed.Attempts, 2)
	require.Equal(t, SentNoResponse, failed.Attempts[0].Evidence)
	require.Error(t, failed.Attempts[0].Cause)
	require.Equal(t, 503, failed.Attempts[1].Status)
	require.Positive(t, failed.Attempts[1].Delay)
	require.ErrorContains(t, err, "attempts: 2: SentNoResponse, ResponseReceived 503; stopped by Deadline")

	server = serve(t, hang, lost, hang)
	op.Deadline, op.AttemptTimeout = 5*time.Second, 30*time.Millisecond
	_, _, err = do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op)
	var broken *TransportError
	require.ErrorAs(t, err, &broken)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the attempt's own timeout is the last cause")
	require.Equal(t, MaxAttemptsReached, broken.Reason)
	require.NotErrorIs(t, broken.Attempts[1].Cause, context.DeadlineExceeded)
}
