package drill

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// Network is how the gateway reaches the provider.
type Network interface {
	Listen() (net.Listener, error)
	// Transport dials what Listen has returned.
	Transport() *http.Transport
	// virtual: time there is not that of disks.
	virtual() bool
}

// Loopback is a network of real sockets.
type Loopback struct{}

// Listen implements [Network].
func (Loopback) Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// Transport implements [Network].
func (Loopback) Transport() *http.Transport { return &http.Transport{} }

func (Loopback) virtual() bool { return false }

// Memory is a network of pipes, for drills in virtual time: who waits on a socket
// does not sleep in the eyes of testing/synctest, who waits on a pipe does.
type Memory struct {
	once   sync.Once
	conns  chan net.Conn
	closed chan struct{}
}

// NewMemory makes a network. Make and use it within the bubble.
func NewMemory() *Memory {
	return &Memory{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Listen implements [Network].
func (m *Memory) Listen() (net.Listener, error) { return m, nil }

// Transport implements [Network].
func (m *Memory) Transport() *http.Transport { return &http.Transport{DialContext: m.dial} }

func (m *Memory) virtual() bool { return true }

func (m *Memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case m.conns <- there:
		return here, nil
	case <-m.closed:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept implements [net.Listener].
func (m *Memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (m *Memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// Addr implements [net.Listener].
func (m *Memory) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "provider.test:80" }
