package retrytest

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Protocol is what a server speaks.
type Protocol int

const (
	HTTP1    Protocol = iota // HTTP/1.1 in the clear
	HTTP1TLS                 // HTTP/1.1 over TLS
	HTTP2                    // HTTP/2 over TLS
	H2C                      // HTTP/2 in the clear
)

func (p Protocol) String() string { return [...]string{"HTTP1", "HTTP1TLS", "HTTP2", "H2C"}[p] }

func (p Protocol) secure() bool { return p == HTTP1TLS || p == HTTP2 }
func (p Protocol) isH2() bool   { return p == HTTP2 || p == H2C }

// Config is how a server is reached. Its zero value is that of [NewServer].
type Config struct {
	Protocol Protocol
	// InMemory does without a network: the server's Transport dials it through
	// [net.Pipe]. It is for tests in virtual time; start the server, and build
	// the client, within the bubble. A pipe knows no reset: what would reset the
	// connection closes it.
	InMemory bool
}

// Server is a server that fails as its script says.
type Server struct {
	t        testing.TB
	config   Config
	listener net.Listener
	pipes    *pipes // of a server in memory
	ready    chan net.Conn
	done     chan struct{}
	running  sync.WaitGroup
	server   http.Server

	mu       sync.Mutex
	script   []Fault
	choose   func(*http.Request) Fault // of a server that knows its requests
	requests []*Request
	open     map[*conn]struct{}
	closed   bool
}

// NewServer starts a server of HTTP/1.1 on loopback. The first attempt meets the
// first fault, the second the second. The server is closed with the test.
func NewServer(t testing.TB, script ...Fault) *Server {
	t.Helper()
	return Config{}.NewServer(t, script...)
}

// NewServer starts a server that is reached as c says.
func (c Config) NewServer(t testing.TB, script ...Fault) *Server {
	t.Helper()
	for _, f := range script {
		(&Server{t: t, config: c}).RequireFit(f)
	}
	return c.start(t, script, nil)
}

// NewRouter starts a server that is reached as c says, and asks choose what each
// request meets once its head was read. What strikes before that is for
// [Server.Connect].
func (c Config) NewRouter(t testing.TB, choose func(*http.Request) Fault) *Server {
	t.Helper()
	return c.start(t, nil, choose)
}

// Connect lets the next connections of a router meet these faults, which strike
// before a request is read.
func (s *Server) Connect(faults ...Fault) {
	s.t.Helper()
	for _, f := range faults {
		if f.run != nil {
			s.t.Fatalf("retrytest: %v strikes when a request was read, and no connection before", f)
		}
		s.RequireFit(f)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, faults...)
}

// RequireFit ends a test that wants a fault which cannot happen over what the
// server speaks.
func (s *Server) RequireFit(f Fault) {
	s.t.Helper()
	if why := f.unfit(s.config.Protocol); why != "" {
		s.t.Fatalf("retrytest: %v %s; this server speaks %v", f, why, s.config.Protocol)
	}
}

func (c Config) start(t testing.TB, script []Fault, choose func(*http.Request) Fault) *Server {
	t.Helper()
	s := &Server{t: t, config: c, script: script, choose: choose, open: make(map[*conn]struct{}),
		ready: make(chan net.Conn), done: make(chan struct{})}
	if c.InMemory {
		s.pipes = newPipes()
		s.listener = s.pipes
	} else {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("retrytest: %v", err)
		}
		s.listener = listener
	}
	s.server = http.Server{
		Handler:   http.HandlerFunc(s.serve),
		Protocols: c.Protocol.inTheClear(),
		ErrorLog:  log.New(io.Discard, "", 0),
		ConnState: func(nc net.Conn, state http.ConnState) {
			if c := nc.(*conn); state == http.StateIdle && c.streams == nil && c.last.Load() {
				c.Close()
			}
		},
		MaxHeaderBytes: 16 << 20, // else net/http answers in our place
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	s.running.Go(s.accept)
	s.running.Go(func() { _ = s.server.Serve((*handshaken)(s)) })
	t.Cleanup(s.Close)
	return s
}

// inTheClear is what net/http's server has to speak: TLS is done before.
func (p Protocol) inTheClear() *http.Protocols {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!p.isH2())
	protocols.SetUnencryptedHTTP2(p.isH2())
	return protocols
}

// URL is the server's base URL.
func (s *Server) URL() string {
	scheme := "http://"
	if s.config.Protocol.secure() {
		scheme = "https://"
	}
	if s.config.InMemory {
		return scheme + serverName
	}
	return scheme + s.listener.Addr().String()
}

// Transport is the settings with which a client reaches the server: its dialer,
// certificate and protocol. Every call returns new ones.
func (s *Server) Transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!s.config.Protocol.isH2())
	protocols.SetHTTP2(s.config.Protocol == HTTP2)
	protocols.SetUnencryptedHTTP2(s.config.Protocol == H2C)
	t := &http.Transport{DialContext: s.dial, Protocols: protocols}
	if s.config.Protocol.secure() {
		_, roots := identity()
		t.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: serverName}
	}
	return t
}

func (s *Server) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if f, ok := s.takeIf(func(f *Fault) bool { return f.dial != nil }); ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: f.dial}
	}
	if s.config.InMemory {
		return s.pipes.dial(ctx)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// Close ends all connections and waits for what the server does. The end of the
// test closes the server, too.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	close(s.done)
	open := s.open
	s.open = nil
	s.mu.Unlock()
	s.listener.Close()
	for c := range open {
		c.Close()
	}
	s.server.Close()
	s.running.Wait()
}

// serve is one exchange: a request, and what the script says of it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	c := r.Context().Value(connKey{}).(*conn)
	x := &exchange{server: s, w: w, r: r, conn: c, stream: c.nextStream()}
	f, last := s.take(r)
	x.request = s.record(r, f)
	if last {
		x.leaveConnection()
	}
	f.run(x)
}
