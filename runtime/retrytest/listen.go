package retrytest

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"sync"
	"time"
)

// serverName is the host of a server in memory, and the name on every
// certificate.
const serverName = "retrytest.test"

// accept takes connections, and hands on those that get as far as a request.
func (s *Server) accept() {
	for {
		raw, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.running.Go(func() { s.welcome(raw) })
	}
}

func (s *Server) welcome(raw net.Conn) {
	c := &conn{Conn: raw, raw: raw, server: s, done: make(chan struct{})}
	if !s.track(c) {
		return
	}
	if f, ok := s.takeIf(func(f *Fault) bool { return f.accepted != nil || f.dial != nil }); ok {
		if f.accepted != nil {
			f.accepted(c)
		}
		c.Close()
		return
	}
	if s.config.Protocol.secure() {
		secure := tls.Server(raw, serverTLS(s.config.Protocol))
		if secure.Handshake() != nil {
			c.Close()
			return
		}
		c.Conn = secure
	}
	if s.config.Protocol.isH2() {
		c.streams, c.spoke = make(chan uint32, 1), make(chan struct{})
	}
	c.in = bufio.NewReader(c.Conn)
	select {
	case s.ready <- c:
	case <-s.done:
	}
}

// track remembers a connection until it is closed.
func (s *Server) track(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.raw.Close()
		return false
	}
	s.open[c] = struct{}{}
	return true
}

// handshaken is the listener from which net/http's server takes connections.
type handshaken Server

func (h *handshaken) Accept() (net.Conn, error) {
	select {
	case c := <-h.ready:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

func (h *handshaken) Close() error   { return nil }
func (h *handshaken) Addr() net.Addr { return h.listener.Addr() }

// pipes is a network in memory.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
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
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: serverName} }

func serverTLS(p Protocol) *tls.Config {
	certificate, _ := identity()
	protocol := "http/1.1"
	if p.isH2() {
		protocol = "h2"
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}}
}

// identity is the certificate of all servers of a process, and who trusts it. It
// is valid in virtual time, too.
var identity = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{serverName},
		NotBefore:    time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots
})
