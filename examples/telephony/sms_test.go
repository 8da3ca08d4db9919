package telephony_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// provider answers with the given statuses in turn, the last one for ever, and
// lists the keys that it was sent.
type provider struct {
	statuses []int
	keys     []string
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	p.keys = append(p.keys, r.Header.Get("Idempotency-Key"))
	status := p.statuses[min(len(p.keys), len(p.statuses))-1]
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status == http.StatusCreated {
		_, _ = io.WriteString(w, `{"id":"m-1","status":"queued","created_at":"2026-01-01T00:00:00Z"}`)
		return
	}
	_, _ = io.WriteString(w, `{"title":"no","code":"refused"}`)
}

// send sends one message after enough of them that one retry is a tenth.
func send(t *testing.T, p *provider, message sms.NewMessage, opts ...runtime.CallOption) (*sms.Message, error) {
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client, err := sms.New(sms.Config{BaseURL: server.URL, Token: runtime.Secret("demo")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Upstream().Drain(t.Context())) })
	statuses := p.statuses
	p.statuses = []int{http.StatusCreated}
	for range 20 {
		_, err := client.SendMessage(t.Context(), login)
		require.NoError(t, err)
	}
	p.statuses, p.keys = statuses, nil
	return client.SendMessage(t.Context(), message, opts...)
}

var login = sms.NewMessage{UserID: "u1", LoginSessionID: "s1", To: "+4915112345678", Text: "Your code is 123456"}

// TestSendIsRepeatedUnderOneKey: a send that the provider could not take is
// repeated, and the provider can tell that it is the same.
func TestSendIsRepeatedUnderOneKey(t *testing.T) {
	p := &provider{statuses: []int{http.StatusServiceUnavailable, http.StatusCreated}}
	var outcome runtime.Outcome
	message, err := send(t, p, login, runtime.Report(&outcome))
	require.NoError(t, err)
	require.Equal(t, "m-1", message.ID)
	require.Equal(t, []string{"SMS-2FA-u1-s1", "SMS-2FA-u1-s1"}, p.keys)
	require.Len(t, outcome.Attempts, 2)
	require.Equal(t, runtime.Executed, outcome.Effect)
}

// TestSendEndsAmbiguous: after a 502, which this contract does not repeat,
// nobody knows whether the message went out.
func TestSendEndsAmbiguous(t *testing.T) {
	p := &provider{statuses: []int{http.StatusBadGateway}}
	_, err := send(t, p, login)
	var ambiguous *runtime.AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.Equal(t, "SMS-2FA-u1-s1", ambiguous.Key)
	require.Equal(t, runtime.StatusNotRetryable, ambiguous.Reason)
	require.Len(t, p.keys, 1)
}

// TestSendRefused: the provider's refusal is typed, and plain.
func TestSendRefused(t *testing.T) {
	p := &provider{statuses: []int{http.StatusUnprocessableEntity}}
	_, err := send(t, p, login)
	problem, ok := runtime.ErrorBody[sms.Problem](err)
	require.True(t, ok)
	require.Equal(t, "refused", *problem.Code)
	require.False(t, errors.As(err, new(*runtime.AmbiguousError)))
	require.Len(t, p.keys, 1)
}

// TestSendWithoutKeyPartsIsNotSent: without the login session every message of
// the user would bear the same key.
func TestSendWithoutKeyPartsIsNotSent(t *testing.T) {
	p := &provider{statuses: []int{http.StatusCreated}}
	message := login
	message.LoginSessionID = ""
	_, err := send(t, p, message)
	var rejected *runtime.RejectedError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, runtime.ByValidation, rejected.By)
	require.Empty(t, p.keys)
}
