package pool

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// dial is one connection in the making. Waiters may share it.
type dial struct {
	o       *origin
	waiters int // those that count on it; guarded by the pool's lock
	cancel  context.CancelFunc
	stage   atomic.Uint32 // the Proof, should it fail now

	// Noted by the hooks of the dial, and read when it is done.
	proxied bool
	gate    *gate
	tls     bool
	alpn    string
}

type dialKey struct{}

func dialOf(ctx context.Context) *dial {
	d, _ := ctx.Value(dialKey{}).(*dial)
	return d
}

// newDial begins a dial on behalf of the request of ctx. It outlives the
// request, for others may share it, but keeps the values of its context.
func newDial(ctx context.Context, o *origin) *dial {
	d := &dial{o: o}
	d.at(Dial)
	ctx, d.cancel = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), dialKey{}, d))
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: func() { d.at(TLS) },
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			if err == nil {
				d.tls, d.alpn = true, state.NegotiatedProtocol // of the last one, behind a TLS proxy
				d.connected()
			}
		},
	})
	go d.run(ctx)
	return d
}

// abort gives up a dial. Whatever comes of it is closed.
func (o *origin) abort(d *dial) {
	delete(o.dials, d)
	d.cancel()
}

func (d *dial) run(ctx context.Context) {
	defer d.cancel()
	p := d.o.pool
	cc, err := p.transport.NewClientConn(ctx, d.o.scheme, d.o.addr)
	if err != nil {
		d.o.failed(d, d.proof(err), err)
		return
	}
	c := &conn{o: d.o, cc: cc, gate: d.gate, h2: d.speaksH2()}
	c.watch()
	d.o.dialed(d, c)
}

// speaksH2 decides as net/http does.
func (d *dial) speaksH2() bool {
	if d.tls {
		return d.alpn == "h2"
	}
	policy := d.o.pool.policy
	return policy.h2c && !policy.h1
}

func (d *dial) at(stage Proof) { d.stage.Store(uint32(stage)) }

// connected notes what comes after a connect or a handshake.
func (d *dial) connected() {
	if d.proxied {
		d.at(Proxy)
	} else {
		d.at(Dial)
	}
}

// proof names the stage in which the dial failed.
func (d *dial) proof(err error) Proof {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "proxyconnect" {
		return Proxy
	}
	return Proof(d.stage.Load())
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// gated puts a gate around the connections of a dialer.
func gated(next dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := next(ctx, network, addr)
		if err != nil || nc == nil {
			return nc, err
		}
		d := dialOf(ctx)
		if d == nil {
			return nc, nil
		}
		d.gate = &gate{Conn: nc}
		d.connected()
		return d.gate, nil
	}
}

func withoutContext(next func(network, addr string) (net.Conn, error)) dialFunc {
	return func(_ context.Context, network, addr string) (net.Conn, error) { return next(network, addr) }
}

// noted tells the dial whether it goes through a proxy.
func noted(next func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if next == nil {
		return nil
	}
	return func(req *http.Request) (*url.URL, error) {
		d := dialOf(req.Context())
		if d == nil {
			return next(req)
		}
		req.URL.Host, req.Host = d.o.key.host, d.o.key.host // net/http leaves the port out
		proxy, err := next(req)
		d.proxied = proxy != nil
		if err != nil {
			d.at(Proxy)
		}
		return proxy, err
	}
}
