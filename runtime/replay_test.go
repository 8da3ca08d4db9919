package runtime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReplay: the same key again while the upstream knows it, and never after
// (RULE-AMBIGUOUS-6).
func TestReplay(t *testing.T) {
	tests := map[string]struct {
		retention time.Duration
		age       time.Duration
		refused   string
	}{
		"within the retention":               {24 * time.Hour, 23 * time.Hour, ""},
		"after the retention":                {24 * time.Hour, 24 * time.Hour, "may have forgotten the key"},
		"no retention, within the deadline":  {NoRetention, time.Second, ""},
		"no retention, after the deadline":   {NoRetention, 11 * time.Second, "may have forgotten the key"},
		"a short retention beats a deadline": {time.Second, 2 * time.Second, "may have forgotten the key"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			virtually(t, []int{504, 504, 504, 200}, func(t *testing.T, u *Upstream) {
				op := slow()
				op.Idempotency, op.KeyHeader, op.KeyRetention = IdempotentByKey, "Idempotency-Key", tt.retention
				start := time.Now()
				var first, second Outcome
				err := exec(t.Context(), u, op, &first)
				require.Equal(t, "ambiguous", kind(err))
				require.Equal(t, tt.retention != NoRetention, !first.KeyExpires.IsZero())
				time.Sleep(tt.age - time.Since(start))

				again, refused := Replay(err)
				if tt.refused != "" {
					require.ErrorContains(t, refused, tt.refused)
					again, refused = ReplayAcceptingDuplicate(err)
				}
				require.NoError(t, refused)
				err = Exec(t.Context(), u, op, Request{Path: []string{"/pets"}}, func(*Response) error { return nil },
					[]CallOption{again, Report(&second)})
				require.NoError(t, err)
				require.Equal(t, first.Key, second.Key)
			})
		})
	}
}

// TestReplayEndsWithTheKey: an option that was made in time is of no use too
// late.
func TestReplayEndsWithTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{Budget: plenty{}, Transport: pipes()}, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, u.Drain(context.Background())) }()
		again, err := Replay(&AmbiguousError{Outcome: Outcome{Key: "k", KeyExpires: time.Now().Add(time.Minute)}})
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		op := slow()
		op.Idempotency, op.KeyHeader = IdempotentByKey, "Idempotency-Key"
		err = Exec(t.Context(), u, op, Request{Path: []string{"/pets"}}, func(*Response) error { return nil }, []CallOption{again})
		var rejected *RejectedError
		require.ErrorAs(t, err, &rejected)
		require.Equal(t, ByDeadline, rejected.By)
	})
}

func TestReplayRefuses(t *testing.T) {
	for _, err := range []error{nil, errors.New("other"), &StatusError{}, &AmbiguousError{Outcome: Outcome{Operation: "pay", Upstream: "bank"}}} {
		_, refused := Replay(err)
		require.Error(t, refused)
		_, refused = ReplayAcceptingDuplicate(err)
		require.Error(t, refused)
	}
	_, refused := Replay(&AmbiguousError{Outcome: Outcome{Operation: "pay", Key: "k"}})
	require.ErrorContains(t, refused, "neither a key retention nor a deadline")
}
