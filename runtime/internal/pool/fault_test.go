package pool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The servers of these tests misbehave on purpose: raw TCP or TLS, hand-made
// HTTP/2 frames, and pipes for tests in virtual time.

var quiet = log.New(io.Discard, "", 0)

var identity = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s.TLS.Certificates[0], roots
})

// serverTLS is a server's side of a handshake, for the given protocol.
func serverTLS(alpn string) *tls.Config {
	cert, _ := identity()
	return &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{alpn}}
}

// trusting is a transport that trusts serverTLS.
func trusting() *http.Transport {
	_, roots := identity()
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
}

// listen serves each connection, n counted from 1, in a goroutine of its own
// that ends before the test does.
func listen(t *testing.T, config *tls.Config, serve func(c net.Conn, n int)) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open sync.Map
	var running sync.WaitGroup
	running.Go(func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(c, nil)
			running.Go(func() {
				defer open.Delete(c)
				defer c.Close()
				if config == nil {
					serve(c, n)
					return
				}
				secure := tls.Server(c, config)
				if secure.Handshake() == nil {
					serve(secure, n)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
		running.Wait()
	})
	return l.Addr().String()
}

// reset makes the close of a connection an RST instead of a FIN.
func reset(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// Frame types and codes of HTTP/2.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway = 0, 1, 3, 4, 6, 7
	flagEnd, flagAck, flagEndHeaders                                           = 1, 1, 4

	codeNone, codeProtocol, codeInternal, codeRefused, codeCancel, codeCalm = 0, 1, 2, 7, 8, 11
)

// status as HPACK encodes it, from its static table.
var hpackStatus = map[int]byte{200: 0x88, 204: 0x89, 404: 0x8d}

// h2Peer is the server's side of an HTTP/2 connection, made by hand.
type h2Peer struct {
	net.Conn
	n       int // of the connection
	writing sync.Mutex

	// For servers that keep their promises: the last stream processed, and
	// whether GOAWAY has named it.
	last uint32
	gone bool
}

func (p *h2Peer) frame(kind, flags byte, stream uint32, payload []byte) {
	b := make([]byte, 9, 9+len(payload))
	binary.BigEndian.PutUint32(b, uint32(len(payload))<<8|uint32(kind))
	b[4] = flags
	binary.BigEndian.PutUint32(b[5:], stream)
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = p.Write(append(b, payload...))
}

func (p *h2Peer) status(stream uint32, status int, end byte) {
	p.frame(frameHeaders, flagEndHeaders|end, stream, []byte{hpackStatus[status]})
}

func (p *h2Peer) data(stream uint32, end byte, body string) {
	p.frame(frameData, end, stream, []byte(body))
}

func (p *h2Peer) rst(stream, code uint32) {
	p.frame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

func (p *h2Peer) goAway(last, code uint32) {
	p.frame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code))
}

// serve reads frames until the connection ends, and calls answer for each whole
// request.
func (p *h2Peer) serve(answer func(p *h2Peer, stream uint32, body string)) {
	preface := make([]byte, 24)
	if _, err := io.ReadFull(p, preface); err != nil {
		return
	}
	p.frame(frameSettings, 0, 0, nil)
	bodies := make(map[uint32]string)
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(p, head); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head)>>8)
		if _, err := io.ReadFull(p, payload); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch kind {
		case frameSettings, framePing:
			if flags&flagAck == 0 {
				if kind == frameSettings {
					payload = nil
				}
				p.frame(kind, flagAck, 0, payload)
			}
		case frameHeaders, frameData:
			if kind == frameData {
				bodies[stream] += string(payload)
			}
			if flags&flagEnd != 0 {
				answer(p, stream, bodies[stream])
				delete(bodies, stream)
			}
		}
	}
}

// startH2 runs a hand-made HTTP/2 server.
func startH2(t *testing.T, answer func(p *h2Peer, stream uint32, body string)) (url string) {
	return "https://" + listen(t, serverTLS("h2"), func(c net.Conn, n int) {
		(&h2Peer{Conn: c, n: n}).serve(answer)
	})
}

// pipes dials net.Pipe instead of the network, for tests in virtual time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// servePipes runs net/http's server, in plain text, and gives a transport that
// reaches it.
func servePipes(t *testing.T, h2c bool, handler http.HandlerFunc) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(!h2c)
	protocols.SetUnencryptedHTTP2(h2c)
	network := newPipes()
	s := &http.Server{Handler: handler, Protocols: &protocols, ErrorLog: quiet}
	go func() { _ = s.Serve(network) }()
	t.Cleanup(func() { s.Close() })
	return &http.Transport{DialContext: network.dial, Protocols: &protocols}
}
