package telephony_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/sony/gobreaker/v2"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// TestBreakerHearsCalls: three failed calls in a row open it. A cancelled call and a throttled one are neither success nor failure.
func TestBreakerHearsCalls(t *testing.T) {
	p := &provider{statuses: []int{http.StatusServiceUnavailable}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client, err := sms.New(telephony.WithBreaker(
		sms.Config{BaseURL: server.URL, Token: runtime.Secret("demo")},
		gobreaker.Settings{Name: "sms", ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures == 3 }},
	))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Upstream().Drain(t.Context())) })

	call := func(ctx context.Context) error {
		_, err := client.SendMessage(ctx, login)
		return err
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		require.Error(t, call(t.Context()))
		require.Error(t, call(ended))
		p.statuses = []int{http.StatusTooManyRequests}
		require.Error(t, call(t.Context()))
		p.statuses = []int{http.StatusServiceUnavailable}
	}
	var rejected *runtime.RejectedError
	require.NotErrorAs(t, call(t.Context()), &rejected, "two failures so far, and four results that do not count")

	read := len(p.keys)
	require.ErrorAs(t, call(t.Context()), &rejected)
	require.Equal(t, runtime.ByBreaker, rejected.By)
	require.ErrorIs(t, rejected, gobreaker.ErrOpenState)
	require.Empty(t, rejected.Attempts)
	require.Len(t, p.keys, read, "nothing was sent")
}
