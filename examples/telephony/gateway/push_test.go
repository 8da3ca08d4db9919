package gateway_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/gateway"
)

// pushService takes deliveries.
type pushService struct {
	*httptest.Server
	taken chan map[string]string
	key   ed25519.PrivateKey
}

func newPushService(t *testing.T) *pushService {
	s := &pushService{taken: make(chan map[string]string, 100), key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		delivery := map[string]string{}
		_ = json.Unmarshal(body, &delivery)
		delivery["authorization"] = r.Header.Get("Authorization")
		s.taken <- delivery
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(s.Close)
	return s
}

// push is the gateway's configuration for it.
func (s *pushService) push(t *testing.T) gateway.Push {
	authorities := filepath.Join(t.TempDir(), "authorities.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(authorities, certificate, 0o600))
	attestation, err := fallback.Attest(fallback.Statement{Channel: "push", Endpoint: s.URL, Expires: time.Now().Add(time.Hour)}, s.key)
	require.NoError(t, err)
	return gateway.Push{
		Endpoint:    s.URL,
		Token:       "push-token",
		Attestation: attestation,
		Attesters:   base64.StdEncoding.EncodeToString(s.key.Public().(ed25519.PublicKey)),
		Authorities: authorities,
	}
}

// refusingProvider is one on loopback, for time that is real, which takes nothing.
func refusingProvider(t *testing.T, status int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

func realConfig(t *testing.T, provider string) gateway.Config {
	dir := t.TempDir()
	return gateway.Config{
		Listen: "127.0.0.1:0", Operators: "127.0.0.1:0", ProviderURL: provider, ProviderToken: "provider-token",
		Rate: 1, Latency: time.Millisecond, PerLogin: 1000, PerCaller: 1000, CodeTTL: time.Minute, DrainTimeout: 10 * time.Second,
		Queue: filepath.Join(dir, "fallback.db"), QueueKeys: base64.StdEncoding.EncodeToString(make([]byte, 32)),
		Journal: filepath.Join(dir, "journal"),
	}
}

// TestQueuedCodesArePushed: through a verified channel, once, and only what the
// provider surely did not send.
func TestQueuedCodesArePushed(t *testing.T) {
	push := newPushService(t)
	config := realConfig(t, refusingProvider(t, http.StatusTooManyRequests).URL)
	config.Push = push.push(t)
	g, err := gateway.New(config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = g.SendCode(t.Context(), login)
	require.Error(t, err)
	delivery := <-push.taken
	require.Equal(t, login.Code, delivery["code"])
	require.Equal(t, login.To, delivery["recipient"])
	require.Equal(t, "Bearer push-token", delivery["authorization"])
	require.NoError(t, g.Close(t.Context()))
	require.Empty(t, push.taken)
}

// TestUnverifiedChannelStopsTheStart (ADV-UC-01): a gateway with a channel that
// nobody has signed for does not start, and nothing leaves.
func TestUnverifiedChannelStopsTheStart(t *testing.T) {
	push := newPushService(t)
	for name, change := range map[string]func(*gateway.Push){
		"not signed":       func(p *gateway.Push) { p.Attestation = "" },
		"by somebody else": func(p *gateway.Push) { p.Attesters = base64.StdEncoding.EncodeToString(make([]byte, 32)) },
		"another endpoint": func(p *gateway.Push) { p.Endpoint += "/v2" },
		"in the clear":     func(p *gateway.Push) { p.Endpoint = "http://127.0.0.1:1" },
	} {
		t.Run(name, func(t *testing.T) {
			config := realConfig(t, refusingProvider(t, http.StatusTooManyRequests).URL)
			first, err := gateway.New(config, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			_, err = first.SendCode(t.Context(), login)
			require.Error(t, err)
			require.NoError(t, first.Close(t.Context()), "a code is queued")

			config.Push = push.push(t)
			change(&config.Push)
			_, err = gateway.New(config, slog.New(slog.DiscardHandler))
			var blocked *fallback.BlockedError
			require.ErrorAs(t, err, &blocked)
			require.ErrorContains(t, err, "ERR_UNTESTED_COMPENSATION_BLOCKED")
			require.Empty(t, push.taken)
		})
	}
}
