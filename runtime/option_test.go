package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOptionsOnlyLower: a call may lower its limits, never raise them
// (RULE-OWNER-4).
func TestOptionsOnlyLower(t *testing.T) {
	op := &Operation{MaxAttempts: 3, Deadline: 4 * time.Second}
	for opt, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 3, 4: 3, -1: 1} {
		s := collect([]CallOption{MaxAttempts(opt)})
		require.Equal(t, want, s.attempts(op), "MaxAttempts(%d)", opt)
	}
	none := collect(nil)
	require.Equal(t, 3, none.attempts(op))
	require.Equal(t, 1, none.attempts(&Operation{}), "a zero operation makes one attempt")

	for opt, want := range map[time.Duration]time.Duration{
		time.Second: time.Second, 5 * time.Second: 4 * time.Second, 0: 4 * time.Second, -1: 4 * time.Second,
	} {
		s := collect([]CallOption{Deadline(opt)})
		require.Equal(t, want, s.timeout(op), "Deadline(%v)", opt)
	}
	s := collect([]CallOption{Deadline(time.Second)})
	require.Equal(t, time.Second, s.timeout(&Operation{}))
	require.Equal(t, NoDeadline, none.timeout(&Operation{}))
}

func TestNoOptionsAllocateNothing(t *testing.T) {
	var s settings
	require.Zero(t, testing.AllocsPerRun(100, func() { s = collect(nil) }))
	require.Empty(t, s.key)
}

func TestMaxAttemptsOfACall(t *testing.T) {
	for n := 1; n <= 3; n++ {
		server := serve(t, status(503), status(503), status(503))
		_, o, err := do(t, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent), MaxAttempts(n))
		require.Equal(t, "status", kind(err))
		require.Len(t, o.Attempts, n)
		require.Len(t, server.read(), n)
	}
}

// TestHeadersOfACall: what the caller adds is on every attempt; what the
// contract owns cannot be taken over.
func TestHeadersOfACall(t *testing.T) {
	server := serve(t, status(503))
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, UserAgent: "shop/1", Header: map[string][]string{"X-Tenant": {"a"}}})
	_, o, err := do(t, u, quick(IdempotentByKey), Header("X-Trace", "t-1"), Header("X-Tenant", "b"),
		Header("Idempotency-Key", "forged"), Header("Content-Type", "text/plain"), Key("k-1"))
	require.NoError(t, err)
	require.Len(t, o.Attempts, 2)
	require.Equal(t, "k-1", o.Key)
	for _, r := range server.read() {
		require.Equal(t, []string{"t-1"}, r.header["X-Trace"])
		require.Equal(t, []string{"b"}, r.header["X-Tenant"])
		require.Equal(t, []string{"shop/1"}, r.header["User-Agent"])
		require.Equal(t, []string{"k-1"}, r.header["Idempotency-Key"])
		require.Equal(t, []string{"application/json"}, r.header["Content-Type"])
	}
}

// TestNestedCallMakesOneAttempt: retries have one owner (RULE-OWNER-1).
func TestNestedCallMakesOneAttempt(t *testing.T) {
	for name, attempts := range map[string]int{"same upstream": 1, "another upstream": 3} {
		steps := []turn{status(503), status(503), status(503)}
		server := serve(t, steps[:attempts]...)
		u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
		nested := u
		if name == "another upstream" {
			nested = connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
		}
		var inner Outcome
		token := tokenFunc(func(ctx context.Context) (string, error) {
			if len(inner.Attempts) > 0 {
				return "t", nil
			}
			_, _ = Do(ctx, nested, quick(Idempotent), Request{Path: []string{"/token"}}, readPet, []CallOption{Report(&inner)})
			return "t", nil
		})
		_, err := Do(t.Context(), u, quick(Idempotent), Request{
			Path: []string{"/pets"}, Auth: AnyOf(AllOf(Bearer("Token", token))),
		}, readPet, nil)
		require.NoError(t, err)
		require.Len(t, inner.Attempts, attempts, name)
	}
}
