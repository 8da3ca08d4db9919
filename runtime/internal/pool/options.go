package pool

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"time"
)

// Options are the settings of a pool. The zero value works.
type Options struct {
	// Transport holds the settings for connections: proxy, TLS, dialer,
	// timeouts, protocols. It is cloned, and never used to send. Its own limits
	// on connections count where the Options set none. nil: the settings of
	// [http.DefaultTransport], without its limits.
	//
	// Proxy is asked once per connection, with a request for "/". Connections
	// of a DialTLS or DialTLSContext prove nothing once a request was handed to
	// them.
	Transport *http.Transport
	// MaxConns limits the connections per origin, idle ones and those being
	// dialed included. 0: no limit.
	MaxConns int
	// MaxIdle limits the idle connections per origin. 0: 100; negative: none.
	MaxIdle int
	// IdleTimeout is how long an idle connection is kept. It should be shorter
	// than the server's. 0: 30 s; negative: for ever.
	IdleTimeout time.Duration
	// AcquireTimeout is how long a request waits for a connection while MaxConns
	// keeps the pool from dialing one for it. 0: as long as its context.
	AcquireTimeout time.Duration
}

const (
	defaultMaxIdle     = 100
	defaultIdleTimeout = 30 * time.Second

	// An HTTP/2 connection that was silent this long is asked for a sign of
	// life; a dead one would otherwise swallow every request.
	pingAfter   = 15 * time.Second
	pingTimeout = 5 * time.Second
)

// protocols is what the connections of a pool can turn out to speak.
type protocols struct {
	h1, h2, h2c bool
}

func (p *Pool) configure(options Options) error {
	user := options.Transport
	if user == nil {
		user = defaultTransport()
	}
	if options.MaxConns < 0 || options.AcquireTimeout < 0 {
		return errors.New("pool: MaxConns and AcquireTimeout must not be negative")
	}
	p.policy = protocolsOf(user)
	if !p.policy.h1 && !p.policy.h2 && !p.policy.h2c {
		return errors.New("pool: the transport enables no protocol")
	}
	p.maxConns = firstSet(options.MaxConns, user.MaxConnsPerHost)
	p.maxIdle = max(firstSet(options.MaxIdle, user.MaxIdleConnsPerHost, defaultMaxIdle), 0)
	p.idleTimeout = max(firstSet(options.IdleTimeout, user.IdleConnTimeout, defaultIdleTimeout), 0)
	p.acquireTimeout = options.AcquireTimeout
	p.transport = dialing(user, p.policy)
	return nil
}

// firstSet is the first value that is not zero.
func firstSet[T int | time.Duration](values ...T) T {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}

func defaultTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// protocolsOf reads a Transport as net/http does. It must look at the user's
// own, since a clone says less.
func protocolsOf(t *http.Transport) protocols {
	if t.Protocols != nil {
		return protocols{t.Protocols.HTTP1(), t.Protocols.HTTP2(), t.Protocols.UnencryptedHTTP2()}
	}
	h2 := t.ForceAttemptHTTP2
	if t.TLSNextProto != nil { // an empty map is the documented way to turn HTTP/2 off
		h2 = t.TLSNextProto["h2"] != nil
	} else if t.TLSClientConfig == nil && t.Dial == nil && t.DialContext == nil && t.DialTLS == nil && t.DialTLSContext == nil {
		h2 = true
	}
	return protocols{h1: true, h2: h2}
}

// dialing is a clone of t that is fit to make single connections, and tells the
// dial found in its context what it does.
func dialing(user *http.Transport, policy protocols) *http.Transport {
	t := user.Clone()
	t.DisableCompression = true // a cut stream must not look like bad gzip
	t.MaxConnsPerHost = 0       // net/http counts connections that it never made, and panics
	t.MaxIdleConnsPerHost = 0
	t.IdleConnTimeout = 0
	t.TLSNextProto = nil // golang.org/x/net/http2 cannot make single connections
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(policy.h1)
	t.Protocols.SetHTTP2(policy.h2)
	t.Protocols.SetUnencryptedHTTP2(policy.h2c)
	if !policy.h2 && t.TLSClientConfig != nil {
		t.TLSClientConfig.NextProtos = slices.DeleteFunc(slices.Clone(t.TLSClientConfig.NextProtos),
			func(name string) bool { return name == "h2" })
	}
	if t.HTTP2 == nil {
		t.HTTP2 = new(http.HTTP2Config)
	}
	if t.HTTP2.SendPingTimeout == 0 {
		t.HTTP2.SendPingTimeout, t.HTTP2.PingTimeout = pingAfter, pingTimeout
	}
	t.DialContext = gated(dialerOf(t))
	t.Dial = nil
	t.Proxy = noted(t.Proxy)
	return t
}

func dialerOf(t *http.Transport) dialFunc {
	switch {
	case t.DialContext != nil:
		return t.DialContext
	case t.Dial != nil:
		return withoutContext(t.Dial)
	}
	return (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
}
