package fallback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResolve: from which state a person can do what.
func TestResolve(t *testing.T) {
	q := newQueue(t)
	held := retryable()
	held.Effect = Unknown
	sending := begin(t, q).ID()
	for name, test := range map[string]struct {
		failure Failure
		actions []Action
		state   State
		refused string
	}{
		"queued, close":             {retryable(), []Action{Close}, Resolved, ""},
		"queued, release":           {retryable(), []Action{Release}, Queued, "is queued: only what is held can be released"},
		"held, close":               {held, []Action{Close}, Resolved, ""},
		"held, release":             {held, []Action{Release}, Queued, ""},
		"held, release and close":   {held, []Action{Release, Close}, Resolved, ""},
		"held without code":         {Failure{Class: Ambiguous, Effect: Unknown}, []Action{Release}, Held, "has no good code: nothing is left to deliver; close it"},
		"expired, close":            {Failure{Class: Refused, Effect: NotExecuted}, []Action{Close}, Resolved, ""},
		"expired, release":          {Failure{Class: Refused, Effect: NotExecuted}, []Action{Release}, Expired, "is expired: only what is held can be released"},
		"resolved, close once more": {held, []Action{Close, Close}, Resolved, "is resolved: nothing is left to decide"},
	} {
		t.Run(name, func(t *testing.T) {
			id := keep(t, q, test.failure)
			var err error
			for _, action := range test.actions {
				require.NoError(t, err)
				err = q.Resolve(id, Decision{Action: action, By: "ann"})
			}
			decided := len(test.actions)
			if test.refused != "" {
				require.ErrorContains(t, err, test.refused)
				decided--
			} else {
				require.NoError(t, err)
			}
			r := record(t, q, id)
			require.Equal(t, test.state, r.State)
			require.Len(t, r.Decisions, decided)
			require.Equal(t, test.state == Resolved, stored(t, q, id).Message == nil && !r.Closed.IsZero() && r.State == Resolved)
		})
	}
	require.ErrorContains(t, q.Resolve(sending, Decision{Action: Close, By: "ann"}), "its call still runs")
}
