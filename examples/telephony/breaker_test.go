package telephony_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/sony/gobreaker/v2"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/examples/telephony/sms/smstest"
	"github.com/retrygen/retrygen/runtime"
)

// TestBreakerHearsCalls: three failed calls in a row open it. A cancelled call and a throttled one are neither success nor failure.
func TestBreakerHearsCalls(t *testing.T) {
	p := provider(t)
	client := p.Client(telephony.WithBreaker(sms.Config{},
		gobreaker.Settings{Name: "sms", ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures == 3 }}))

	call := func(ctx context.Context) error {
		_, err := client.SendMessage(ctx, login)
		return err
	}
	answers := func(status int) {
		p.SendMessage.Answer(smstest.SendMessageDefault(status, sms.Problem{Title: "no"}))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		answers(http.StatusServiceUnavailable)
		require.Error(t, call(t.Context()))
		require.Error(t, call(ended))
		answers(http.StatusTooManyRequests)
		require.Error(t, call(t.Context()))
	}
	answers(http.StatusServiceUnavailable)
	var rejected *runtime.RejectedError
	require.NotErrorAs(t, call(t.Context()), &rejected, "two failures so far, and four results that do not count")

	read := len(p.SendMessage.Attempts())
	require.ErrorAs(t, call(t.Context()), &rejected)
	require.Equal(t, runtime.ByBreaker, rejected.By)
	require.ErrorIs(t, rejected, gobreaker.ErrOpenState)
	require.Empty(t, rejected.Attempts)
	require.Len(t, p.SendMessage.Attempts(), read, "nothing was sent")
}
