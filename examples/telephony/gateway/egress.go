package gateway

import (
	"net"
	"net/http"
	"time"
)

// maxAnswer is more than any answer of the provider needs, header or body: every
// connection may hold one of each.
const maxAnswer = 64 << 10

// egress is the way out of one upstream. Dialer and resolver are its own: Go has
// no cache of names, but merges look-ups that run at the same time on one
// resolver, and one that stalls must not stall the other upstream's (ADV-FD-01).
func egress(http2 bool) *http.Transport {
	dialer := &net.Dialer{
		Timeout:   2 * time.Second,
		KeepAlive: 30 * time.Second,
		Resolver:  &net.Resolver{PreferGo: true},
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    2 * time.Second,
		MaxResponseHeaderBytes: maxAnswer,
		ForceAttemptHTTP2:      true,
	}
	if http2 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetUnencryptedHTTP2(true)
		t.Protocols.SetHTTP2(true)
	}
	return t
}
