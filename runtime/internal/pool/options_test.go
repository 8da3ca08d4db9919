package pool

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProtocolsOf(t *testing.T) {
	dial := new(net.Dialer).DialContext
	var h2c, both http.Protocols
	h2c.SetUnencryptedHTTP2(true)
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	used := &http.Transport{}
	used.Clone() // net/http fills in TLSNextProto and TLSClientConfig
	type nextProto = map[string]func(string, *tls.Conn) http.RoundTripper
	for _, c := range []struct {
		name      string
		transport *http.Transport
		want      protocols
	}{
		{"zero", &http.Transport{}, protocols{h1: true, h2: true}},
		{"used before", used, protocols{h1: true, h2: true}},
		{"ours", defaultTransport(), protocols{h1: true, h2: true}},
		{"own dialer", &http.Transport{DialContext: dial}, protocols{h1: true}},
		{"own TLS", &http.Transport{TLSClientConfig: &tls.Config{}}, protocols{h1: true}},
		{"own dialer, forced", &http.Transport{DialContext: dial, ForceAttemptHTTP2: true}, protocols{h1: true, h2: true}},
		{"turned off", &http.Transport{TLSNextProto: nextProto{}}, protocols{h1: true}},
		{"by another package", &http.Transport{TLSNextProto: nextProto{"h2": func(string, *tls.Conn) http.RoundTripper { return nil }}}, protocols{h1: true, h2: true}},
		{"set", &http.Transport{Protocols: &both, DialContext: dial}, protocols{h1: true, h2: true}},
		{"h2c", &http.Transport{Protocols: &h2c}, protocols{h2c: true}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, protocolsOf(c.transport)) })
	}
}

func TestOptionsAreTakenOver(t *testing.T) {
	user := &http.Transport{MaxConnsPerHost: 3, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute}
	p := newPool(t, Options{Transport: user})
	require.Equal(t, []int{3, 2}, []int{p.maxConns, p.maxIdle})
	require.Equal(t, time.Minute, p.idleTimeout)
	require.Equal(t, 3, user.MaxConnsPerHost, "the user's transport is not touched")
	require.Nil(t, user.DialContext)
	require.False(t, user.DisableCompression)

	p = newPool(t, Options{Transport: user, MaxConns: 5, MaxIdle: -1, IdleTimeout: -1})
	require.Equal(t, []int{5, 0}, []int{p.maxConns, p.maxIdle})
	require.Zero(t, p.idleTimeout)

	p = newPool(t, Options{})
	require.Equal(t, []int{0, 100}, []int{p.maxConns, p.maxIdle})
	require.Equal(t, 30*time.Second, p.idleTimeout)
}

func TestOptionsAreRefused(t *testing.T) {
	for _, options := range []Options{
		{MaxConns: -1},
		{AcquireTimeout: -1},
		{Transport: &http.Transport{Protocols: new(http.Protocols)}},
	} {
		_, err := New(options)
		require.Error(t, err)
	}
}

// A limit in the transport itself makes net/http panic when the server hangs up.
func TestMaxConnsPerHost(t *testing.T) {
	addr := listen(t, nil, answering("HTTP/1.1 204 No Content\r\n\r\n", ""))
	p := newPool(t, Options{Transport: &http.Transport{MaxConnsPerHost: 1}, AcquireTimeout: time.Second})
	for range 3 {
		_, err := roundTrip(p, get(t, "http://"+addr))
		require.NoError(t, err)
		_, err = roundTrip(p, get(t, "http://"+addr))
		require.Error(t, err)
	}
}

// An HTTP/2 implementation set by another package cannot make single
// connections: net/http's own takes its place.
func TestForeignHTTP2(t *testing.T) {
	url := startH2(t, func(p *h2Peer, s uint32, _ string) { p.status(s, 204, flagEnd) })
	transport := trusting()
	transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{
		"h2": func(string, *tls.Conn) http.RoundTripper { panic("used") },
	}
	p := newPool(t, Options{Transport: transport})
	_, err := roundTrip(p, get(t, url))
	require.NoError(t, err)
}

// HTTP/2 is off, yet the user's TLS settings offer it.
func TestHTTP2IsNotOfferedWhereItIsOff(t *testing.T) {
	url, transport := startTLS(t, http.NotFoundHandler(), true)
	transport.TLSClientConfig.NextProtos = []string{"h2", "http/1.1"}
	transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	transport.ForceAttemptHTTP2 = false
	p := newPool(t, Options{Transport: transport})
	resp, _, err := p.RoundTrip(get(t, url))
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1", resp.Proto)
	readAll(t, resp)
}

// A connection of the user's own TLS dialer works over both protocols. It has
// no gate, so it proves nothing.
func TestDialTLSContext(t *testing.T) {
	_, roots := identity()
	transport := &http.Transport{ForceAttemptHTTP2: true, DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := tls.Dialer{Config: &tls.Config{RootCAs: roots, NextProtos: []string{"h2", "http/1.1"}}}
		return d.DialContext(ctx, network, addr)
	}}
	p := newPool(t, Options{Transport: transport})
	refusing := startH2(t, func(p *h2Peer, s uint32, _ string) {
		if s > 1 {
			p.rst(s, codeRefused)
			return
		}
		p.status(s, 204, flagEnd)
	})
	resp, _, err := p.RoundTrip(get(t, refusing))
	require.NoError(t, err)
	require.Equal(t, 2, resp.ProtoMajor)
	require.Empty(t, readAll(t, resp))
	_, proof, err := p.RoundTrip(get(t, refusing))
	require.Error(t, err)
	require.Equal(t, Unproven, proof)

	h1, _ := startTLS(t, http.NotFoundHandler(), false)
	resp, _, err = p.RoundTrip(get(t, h1))
	require.NoError(t, err)
	require.Equal(t, 1, resp.ProtoMajor)
	readAll(t, resp)
}

// The old Dial still works.
func TestDialWithoutContext(t *testing.T) {
	addr := listen(t, nil, answering("HTTP/1.1 204 No Content\r\n\r\n"))
	dialed := false
	p := newPool(t, Options{Transport: &http.Transport{Dial: func(network, a string) (net.Conn, error) {
		dialed = true
		return net.Dial(network, a)
	}}})
	_, err := roundTrip(p, get(t, "http://"+addr))
	require.NoError(t, err)
	require.True(t, dialed)
}
