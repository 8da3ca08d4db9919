package runtime

import (
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
