package runtime

import (
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedFailureDomain: what belongs to one upstream is refused to another
// (RULE-OWNER-5).
func TestSharedFailureDomain(t *testing.T) {
	budget, err := NewLedger(0.1, contract.BudgetWindow, DepositRequest, 10)
	require.NoError(t, err)
	for what, config := range map[string]UpstreamConfig{
		"Transport":    {Transport: &http.Transport{}},
		"RoundTripper": {RoundTripper: &recorder{}},
		"Breaker":      {Breaker: &countingBreaker{}},
		"Budget":       {Budget: budget},
	} {
		t.Run(what, func(t *testing.T) {
			sms := contract
			sms.Name = "sms"
			first, err := NewUpstream(sms, "http://127.0.0.1:1", config, nil)
			require.NoError(t, err)
			_, err = NewUpstream(contract, "http://127.0.0.1:1", config, nil)
			var leak *SharedFailureDomainError
			require.ErrorAs(t, err, &leak)
			require.Equal(t, SharedFailureDomainError{What: what, Holder: "sms", Second: "pets"}, *leak)
			require.ErrorContains(t, err, "ERR_SHARED_FAILURE_DOMAIN_LEAK")

			require.NoError(t, first.Drain(t.Context()))
			second, err := NewUpstream(contract, "http://127.0.0.1:1", config, nil)
			require.NoError(t, err, "what was drained is free")
			require.NoError(t, second.Drain(t.Context()))
		})
	}
}

// TestRefusedUpstreamHoldsNothing: a failed build does not lock its parts away.
func TestRefusedUpstreamHoldsNothing(t *testing.T) {
	breaker := &countingBreaker{}
	_, err := NewUpstream(contract, "http://127.0.0.1:1", UpstreamConfig{Breaker: breaker, RoundTripper: &http.Transport{}}, nil)
	require.ErrorContains(t, err, "set Transport instead of RoundTripper")
	u, err := NewUpstream(contract, "http://127.0.0.1:1", UpstreamConfig{Breaker: breaker}, nil)
	require.NoError(t, err)
	require.NoError(t, u.Drain(t.Context()))
}

// recorder is a RoundTripper of the user's.
type recorder struct {
	rounds int
	err    error
}

func (r *recorder) RoundTrip(*http.Request) (*http.Response, error) {
	r.rounds++
	return nil, r.err
}

// TestForeignRoundTripper claims nothing (RULE-EVIDENCE-NOT-SENT).
func TestForeignRoundTripper(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for idempotency, rounds := range map[Idempotency]int{NotIdempotent: 1, Idempotent: 3} {
		rt := &recorder{err: refused}
		_, o, _ := do(t, connect(t, "http://127.0.0.1:1", UpstreamConfig{Budget: plenty{}, RoundTripper: rt}), quick(idempotency))
		require.Equal(t, SentNoResponse, o.Attempts[0].Evidence)
		require.Equal(t, rounds, rt.rounds)
	}
}

// wrapped is a wrapper that can be unwrapped.
type wrapped struct{ http.RoundTripper }

func (w wrapped) Unwrap() http.RoundTripper { return w.RoundTripper }

// TestRetryingTransportIsRefused, wrapped or not (RULE-OWNER-2).
func TestRetryingTransportIsRefused(t *testing.T) {
	for _, rt := range []http.RoundTripper{&http.Transport{}, wrapped{&http.Transport{}}, wrapped{wrapped{http.DefaultTransport}}} {
		require.ErrorContains(t, refuseRetrier(rt), "repeats requests by itself")
	}
	require.NoError(t, refuseRetrier(wrapped{&recorder{}}))
}
