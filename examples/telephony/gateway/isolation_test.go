package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/notify"
	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// TestNotificationsCannotStarveLogins (ADV-FD-01): the TLS handshakes of the
// notifications stall and their pool is full, and a login code takes exactly as
// long as it does without them, over connections of its own.
func TestNotificationsCannotStarveLogins(t *testing.T) {
	certificate := httptest.NewTLSServer(nil) // for its certificate; it is not asked
	defer certificate.Close()
	synctest.Test(t, func(t *testing.T) {
		const latency = 25 * time.Millisecond
		network := drill.NewMemory()
		listener, err := network.Listen()
		require.NoError(t, err)
		server := &http.Server{
			Handler:   provider.New(provider.Options{Latency: func() time.Duration { return latency }}),
			TLSConfig: &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"http/1.1"}},
		}
		go func() { _ = server.Serve(tls.NewListener(listener, server.TLSConfig)) }()
		defer server.Close()

		// The first transport is that of the logins, the second that of the
		// notifications, whose connections nobody answers.
		var logins, notices atomic.Int64
		var made int
		stalled := func(context.Context, string, string) (net.Conn, error) {
			notices.Add(1)
			here, there := net.Pipe()
			go func() { _, _ = there.Read(make([]byte, 1<<16)) }()
			return here, nil
		}
		config := gateway.Config{
			ProviderURL: "https://example.com", ProviderToken: "t", Rate: 1, Latency: latency,
			PerLogin: 1000, PerCaller: 1000, CodeTTL: time.Minute,
			Queue:     filepath.Join(t.TempDir(), "fallback.db"),
			QueueKeys: base64.StdEncoding.EncodeToString(make([]byte, 32)),
			Journal:   t.TempDir(),
			Transport: func() *http.Transport {
				made++
				tr := network.Transport()
				tr.TLSClientConfig = certificate.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
				dial := tr.DialContext
				if made == 2 {
					tr.DialContext = stalled
					return tr
				}
				tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					logins.Add(1)
					return dial(ctx, network, address)
				}
				return tr
			},
		}
		g, err := gateway.New(config, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close(context.Background())) }()

		slowest := func() (slowest time.Duration) {
			for range 20 {
				start := time.Now()
				_, err := g.SendCode(t.Context(), gateway.Login{UserID: "u1", LoginSessionID: uuidWord(), To: login.To, Code: login.Code})
				require.NoError(t, err)
				slowest = max(slowest, time.Since(start))
			}
			return slowest
		}
		before := slowest()
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range 150 {
			waiting.Go(func() {
				_, err := g.SendNotice(ctx, gateway.Notice{UserID: "u1", NoticeID: uuidWord(), To: login.To, Text: "Hello"})
				require.Error(t, err)
			})
		}
		synctest.Wait()
		require.EqualValues(t, 100, notices.Load(), "their pool is full")
		connections := logins.Load()
		require.Equal(t, before, slowest())
		require.Equal(t, connections, logins.Load())
		require.EqualValues(t, 1, connections, "the logins came one by one")
		require.EqualValues(t, 100, notices.Load(), "nobody has borrowed a permit")
		cancel()
		waiting.Wait()
	})
}

// TestSharedFailureDomainIsRefused (ADV-FD-01): two upstreams cannot be given one
// budget or one transport.
func TestSharedFailureDomainIsRefused(t *testing.T) {
	ledger, err := runtime.NewLedger(0.1, time.Minute, runtime.DepositSuccess, 0)
	require.NoError(t, err)
	for name, shared := range map[string]runtime.UpstreamConfig{
		"Budget":    {Budget: ledger},
		"Transport": {Transport: &http.Transport{}},
	} {
		t.Run(name, func(t *testing.T) {
			codes, err := sms.New(sms.Config{Token: runtime.Secret("t"), Upstream: shared})
			require.NoError(t, err)
			_, err = notify.New(notify.Config{Token: runtime.Secret("t"), Upstream: shared})
			var leak *runtime.SharedFailureDomainError
			require.ErrorAs(t, err, &leak)
			require.ErrorContains(t, err, runtime.CodeSharedFailureDomain)
			require.NoError(t, codes.Upstream().Drain(t.Context()))
		})
	}
}
