package telephony_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/examples/telephony/sms/smstest"
	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// provider is a fake that sends every message.
func provider(t *testing.T) *smstest.Server {
	fake := smstest.New(t)
	fake.SendMessage.Answer(smstest.SendMessage201(sms.Message{ID: "m-1", Status: sms.MessageStatusQueued}))
	return fake
}

var login = sms.NewMessage{UserID: "u1", LoginSessionID: "s1", To: "+4915112345678", Text: "Your code is 123456"}

// TestSendIsRepeatedUnderOneKey: a send that the provider could not take is
// repeated, and so is one whose answer got lost: the provider can tell that it is
// the same, and sends it once.
func TestSendIsRepeatedUnderOneKey(t *testing.T) {
	for name, fault := range map[string]func(*smstest.Server){
		"not taken":         func(p *smstest.Server) { p.SendMessage.Before(retrytest.Status(http.StatusServiceUnavailable)) },
		"sent, answer lost": func(p *smstest.Server) { p.SendMessage.After(retrytest.LoseAnswer()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := provider(t)
			fault(p)
			var outcome runtime.Outcome
			message, err := p.Client(sms.Config{}).SendMessage(t.Context(), login, runtime.Report(&outcome))
			require.NoError(t, err)
			require.Equal(t, "m-1", message.ID)
			require.Len(t, outcome.Attempts, 2)
			require.Equal(t, runtime.Executed, outcome.Effect)
			require.Len(t, p.SendMessage.Attempts(), 2)
			for _, attempt := range p.SendMessage.Attempts() {
				require.Equal(t, "SMS-2FA-u1-s1", attempt.Key)
			}
			require.Equal(t, 1, p.SendMessage.Handled())
		})
	}
}

// TestSendEndsAmbiguous: after a 502, which this contract does not repeat,
// nobody knows whether the message went out.
func TestSendEndsAmbiguous(t *testing.T) {
	p := provider(t)
	p.SendMessage.After(retrytest.Status(http.StatusBadGateway))
	_, err := p.Client(sms.Config{}).SendMessage(t.Context(), login)
	var ambiguous *runtime.AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.Equal(t, "SMS-2FA-u1-s1", ambiguous.Key)
	require.Equal(t, runtime.StatusNotRetryable, ambiguous.Reason)
	require.Len(t, p.SendMessage.Attempts(), 1)
}

// TestSendRefused: the provider's refusal is typed, and plain.
func TestSendRefused(t *testing.T) {
	p := provider(t)
	code := "refused"
	p.SendMessage.Answer(smstest.SendMessageDefault(http.StatusUnprocessableEntity, sms.Problem{Title: "no", Code: &code}))
	_, err := p.Client(sms.Config{}).SendMessage(t.Context(), login)
	problem, ok := runtime.ErrorBody[sms.Problem](err)
	require.True(t, ok)
	require.Equal(t, code, *problem.Code)
	require.False(t, errors.As(err, new(*runtime.AmbiguousError)))
	require.Len(t, p.SendMessage.Attempts(), 1)
}

// TestSendWithoutKeyPartsIsNotSent: without the login session every message of
// the user would bear the same key.
func TestSendWithoutKeyPartsIsNotSent(t *testing.T) {
	p := provider(t)
	message := login
	message.LoginSessionID = ""
	_, err := p.Client(sms.Config{}).SendMessage(t.Context(), message)
	var rejected *runtime.RejectedError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, runtime.ByValidation, rejected.By)
	require.Empty(t, p.SendMessage.Attempts())
}
