package pool

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is one way to speak to a server.
type wire struct {
	name  string
	proto string
	start func(testing.TB, http.HandlerFunc) (url string, transport *http.Transport)
}

var wires = []wire{
	{"h1", "HTTP/1.1", func(t testing.TB, h http.HandlerFunc) (string, *http.Transport) {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL, nil
	}},
	{"h1 TLS", "HTTP/1.1", func(t testing.TB, h http.HandlerFunc) (string, *http.Transport) { return startTLS(t, h, false) }},
	{"h2 TLS", "HTTP/2.0", func(t testing.TB, h http.HandlerFunc) (string, *http.Transport) { return startTLS(t, h, true) }},
	{"h2c", "HTTP/2.0", func(t testing.TB, h http.HandlerFunc) (string, *http.Transport) {
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		s := httptest.NewUnstartedServer(h)
		s.Config.Protocols = &p
		s.Start()
		t.Cleanup(s.Close)
		return s.URL, &http.Transport{Protocols: &p}
	}},
}

// startTLS runs net/http's server with a certificate that the transport trusts.
func startTLS(t testing.TB, h http.Handler, h2 bool) (string, *http.Transport) {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = quiet
	s.EnableHTTP2 = h2
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, s.Client().Transport.(*http.Transport)
}

func newPool(t testing.TB, options Options) *Pool {
	p, err := New(options)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// over runs a test over each wire.
func over(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, w wire, p *Pool, url string)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			url, transport := w.start(t, handler)
			test(t, w, newPool(t, Options{Transport: transport}), url)
		})
	}
}

func get(t *testing.T, url string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	require.NoError(t, err)
	return req
}

func readAll(t *testing.T, resp *http.Response) string {
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return string(b)
}

func TestConnectionsAreReused(t *testing.T) {
	var seen atomic.Int64
	echo := func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		_, _ = io.Copy(w, r.Body)
	}
	over(t, echo, func(t *testing.T, w wire, p *Pool, url string) {
		seen.Store(0)
		for range 20 {
			req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader("hello"))
			require.NoError(t, err)
			resp, proof, err := p.RoundTrip(req)
			require.NoError(t, err)
			require.False(t, proof.Unsent())
			require.Equal(t, w.proto, resp.Proto)
			require.Same(t, req, resp.Request)
			require.Equal(t, "hello", readAll(t, resp))
			require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
		}
		require.EqualValues(t, 20, seen.Load())
	})
}

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	p := newPool(t, Options{})
	_, proof, err := p.RoundTrip(get(t, "http://"+l.Addr().String()))
	require.Equal(t, Dial, proof)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.Zero(t, p.Stats())
}

func TestUntrustedCertificate(t *testing.T) {
	url, _ := startTLS(t, http.NotFoundHandler(), true)
	p := newPool(t, Options{})
	_, proof, err := p.RoundTrip(get(t, url))
	require.Equal(t, TLS, proof)
	require.Error(t, err)
	var op *net.OpError
	require.False(t, errors.As(err, &op), "the error of the handshake comes as it is")
}
