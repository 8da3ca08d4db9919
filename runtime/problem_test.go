package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProblems: every way a call can fail has a code of its own, and no secret
// shows.
func TestProblems(t *testing.T) {
	outcome := func(r Reason) Outcome {
		return Outcome{Operation: "pay", Upstream: "bank", Reason: r, Key: "customer-7", Effect: Unknown, Status: 503,
			Attempts: []Attempt{{Number: 1}}}
	}
	secret := errors.New("dial 10.0.0.1: token hunter2")
	seen := map[string]bool{}
	check := func(err error, code string) {
		t.Helper()
		p := ProblemOf(err)
		require.Equal(t, code, p.Code)
		require.NotEmpty(t, p.Title, code)
		require.GreaterOrEqual(t, p.Status, 400, code)
		text, encodeErr := json.Marshal(p)
		require.NoError(t, encodeErr)
		require.NotContains(t, string(text), "customer-7")
		require.NotContains(t, string(text), "hunter2")
		seen[code] = true
	}
	for reason := MaxAttemptsReached; reason <= Rejected; reason++ {
		check(&TransportError{Outcome: outcome(reason), Cause: secret}, codeByReason[reason])
		check(&StatusError{Outcome: outcome(reason), Body: []byte("hunter2")}, codeByReason[reason])
		check(&AmbiguousError{Outcome: outcome(reason), Cause: secret}, CodeAmbiguous)
	}
	for by, code := range codeByRejecter {
		check(&RejectedError{Outcome: outcome(Rejected), By: by, Cause: secret}, code)
	}
	check(&CancelledError{Outcome: outcome(PermanentFailure), Cause: secret}, CodeCancelled)
	check(&MalformedError{Outcome: outcome(PermanentFailure), Cause: secret}, CodeMalformedResponse)
	check(secret, CodeInternal)
	check(nil, CodeInternal)
	require.Len(t, seen, len(problemKinds), "no code is out of reach")
}

// TestLimitsDoNotHideTheFailure (RULE-DECIDE-FAILURE): the rules ask for limits first,
// and a 404 is told as one whichever limit they met. What would have been repeated
// was stopped by the limit.
func TestLimitsDoNotHideTheFailure(t *testing.T) {
	once := func(op *Operation) { op.MaxAttempts = 1 }
	hurried := func(op *Operation) { op.MinAttemptBudget = op.Deadline }
	tests := map[string]struct {
		idempotency Idempotency
		step        turn
		limit       func(*Operation)
		budget      Budget
		reason      Reason
		failure     Reason
		code        string
	}{
		"404, one attempt":            {Idempotent, status(404), once, plenty{}, MaxAttemptsReached, StatusNotRetryable, CodeStatusNotRetryable},
		"404, no budget":              {Idempotent, status(404), nil, broke{}, BudgetExhausted, StatusNotRetryable, CodeStatusNotRetryable},
		"404, no time":                {Idempotent, status(404), hurried, plenty{}, DeadlineTooNear, StatusNotRetryable, CodeStatusNotRetryable},
		"404, no limit":               {Idempotent, status(404), nil, plenty{}, StatusNotRetryable, StatusNotRetryable, CodeStatusNotRetryable},
		"503, one attempt":            {Idempotent, status(503), once, plenty{}, MaxAttemptsReached, NoReason, CodeRetryLimit},
		"503, no budget":              {Idempotent, status(503), nil, broke{}, BudgetExhausted, NoReason, CodeRetryBudget},
		"503, another took the last":  {Idempotent, status(503), nil, sold{}, BudgetExhausted, NoReason, CodeRetryBudget},
		"503, no time":                {Idempotent, status(503), hurried, plenty{}, DeadlineTooNear, NoReason, CodeDeadline},
		"503 with too long a wait":    {Idempotent, status(503, "Retry-After", "60"), once, plenty{}, MaxAttemptsReached, RetryAfterTooLong, CodeRetryAfterTooLong},
		"no 2xx that makes sense":     {Idempotent, status(200, "Content-Type", "text/plain"), once, plenty{}, MaxAttemptsReached, PermanentFailure, CodeMalformedResponse},
		"500 that is not registered":  {NotIdempotent, status(500), nil, broke{}, BudgetExhausted, StatusNotRetryable, CodeStatusNotRetryable},
		"doubt is the first to know":  {NotIdempotent, lost, once, plenty{}, MaxAttemptsReached, NotSafelyIdempotent, CodeAmbiguous},
		"429 is told as the limit is": {NotIdempotent, status(429), once, plenty{}, MaxAttemptsReached, NoReason, CodeRetryLimit},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			op := quick(tt.idempotency)
			if tt.limit != nil {
				tt.limit(op)
			}
			var last Event
			u := connect(t, serve(t, tt.step).URL, UpstreamConfig{Budget: tt.budget, Observer: func(e Event) { last = e }})
			_, o, err := do(t, u, op)
			require.Equal(t, tt.reason, o.Reason)
			require.Equal(t, tt.failure, o.FailureReason)
			require.Equal(t, tt.failure, last.FailureReason)
			require.Equal(t, tt.code, ProblemOf(err).Code)
			require.Equal(t, tt.code == CodeDeadline, errors.Is(err, context.DeadlineExceeded))
			require.Contains(t, err.Error(), "stopped by "+cmp.Or(tt.failure, tt.reason).String())
		})
	}
}
