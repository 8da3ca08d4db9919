package provider_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

var login = sms.NewMessage{UserID: "u1", LoginSessionID: "s1", To: "+4915112345678", Text: "Your code is 123456"}

func client(t *testing.T, p *provider.Provider) *sms.Client {
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	c, err := sms.New(sms.Config{BaseURL: server.URL, Token: runtime.Secret("secret")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Upstream().Drain(context.Background())) })
	return c
}

// TestProviderSpeaksItsDocument: every operation, through the generated client.
func TestProviderSpeaksItsDocument(t *testing.T) {
	p := provider.New(provider.Options{})
	c := client(t, p)
	sent, err := c.SendMessage(t.Context(), login)
	require.NoError(t, err)
	again, err := c.SendMessage(t.Context(), login)
	require.NoError(t, err)
	require.Equal(t, sent, again, "the same key is the same message")
	require.Equal(t, 1, p.Sent())

	other := login
	other.Text = "Your code is 654321"
	_, err = c.SendMessage(t.Context(), other)
	problem, ok := runtime.ErrorBody[sms.Problem](err)
	require.True(t, ok)
	require.Equal(t, "KEY_REUSED", *problem.Code)
	other.LoginSessionID += ".2"
	_, err = c.SendMessage(t.Context(), other)
	require.NoError(t, err, "a wanted second message has an ordinal")

	found, err := c.GetMessage(t.Context(), sent.ID)
	require.NoError(t, err)
	require.Equal(t, sent, found)
	listed, err := c.ListMessages(t.Context(), sms.ListMessagesParams{UserID: &login.UserID})
	require.NoError(t, err)
	require.Len(t, listed, 2)
	require.Equal(t, *sent, listed[1], "the newest comes first")
	require.NoError(t, c.CancelMessage(t.Context(), sent.ID))
	receipts, err := c.ListReceipts(t.Context(), sent.ID)
	require.NoError(t, err)
	require.Equal(t, sms.MessageStatusCancelled, receipts[0].Status)
	require.NoError(t, c.UploadMedia(t.Context(), "logo", runtime.Seeker(strings.NewReader("picture"))))
	size, _ := p.Media("logo")
	require.Equal(t, len("picture"), size)
	_, err = c.GetMessage(t.Context(), "m-none")
	require.ErrorContains(t, err, "404")
}

// TestStampedeIsBanned: as many requests as agreed within one second are none, one
// more is.
func TestStampedeIsBanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := provider.New(provider.Options{BanAbove: 3, BanFor: time.Minute})
		status := func() int {
			r := httptest.NewRequest(http.MethodGet, "/v1/messages", nil)
			r.Header.Set("Authorization", "Bearer secret")
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			return w.Code
		}
		for range 10 {
			require.Equal(t, http.StatusOK, status())
			time.Sleep(334 * time.Millisecond)
		}
		time.Sleep(time.Second)
		for range 3 {
			require.Equal(t, http.StatusOK, status())
		}
		require.Zero(t, p.Bans())
		require.Equal(t, http.StatusForbidden, status())
		time.Sleep(time.Minute - 1)
		require.Equal(t, http.StatusForbidden, status())
		time.Sleep(time.Nanosecond)
		require.Equal(t, http.StatusOK, status())
		require.Equal(t, 1, p.Bans())
	})
}

// TestActingFaultsSend: the message is out, whatever the answer says.
func TestActingFaultsSend(t *testing.T) {
	for name, fault := range map[string]provider.Fault{
		"reset":   provider.Reset(),
		"status":  provider.Status(http.StatusServiceUnavailable),
		"garbled": provider.Garble(http.StatusCreated),
	} {
		t.Run(name, func(t *testing.T) {
			script := []provider.Fault{provider.Acting(fault)}
			p := provider.New(provider.Options{Fault: func(a provider.Arrival) (f provider.Fault) {
				if a.Number <= len(script) {
					f = script[a.Number-1]
				}
				return f
			}})
			r := httptest.NewRequest(http.MethodPost, "/v1/messages",
				strings.NewReader(`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","text":"Your code is 123456"}`))
			r.Header.Set("Authorization", "Bearer secret")
			r.Header.Set("Idempotency-Key", "k")
			func() {
				defer func() { _ = recover() }() // how net/http's handlers end a connection
				p.ServeHTTP(httptest.NewRecorder(), r)
			}()
			require.Equal(t, 1, p.Sent())
			require.Len(t, p.Arrivals(), 1)
		})
	}
}
