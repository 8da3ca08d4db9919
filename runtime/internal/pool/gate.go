package pool

import (
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
)

var errSealed = errors.New("the connection is sealed")

// gate is a connection, below TLS, that counts the bytes written and can be
// sealed. On an HTTP/1 connection, which one request has to itself, no byte
// since the request got it, and no way for one to follow, is proof that the
// request was not sent. The reverse does not hold: a byte that was written may
// never have been read.
type gate struct {
	net.Conn

	mu      sync.Mutex
	written int64 // bytes that the kernel accepted
	writing int   // writes in progress
	sealed  bool
	closed  bool
	tell    func() // of the close; nil: nobody asked

	ended atomic.Bool // a read has failed: nothing more arrives
}

// exactWrites: a failed Write tells exactly how much it wrote. Windows may
// report too little when an overlapped write is cancelled.
const exactWrites = runtime.GOOS != "windows"

func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	if g.sealed {
		g.mu.Unlock()
		return 0, errSealed
	}
	g.writing++
	g.mu.Unlock()

	n, err := g.Conn.Write(b)

	g.mu.Lock()
	g.writing--
	if exactWrites {
		g.written += int64(n)
	} else {
		g.written += int64(len(b))
	}
	g.mu.Unlock()
	return n, own(err)
}

func (g *gate) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if err != nil {
		g.ended.Store(true)
	}
	return n, own(err)
}

func (g *gate) Close() error {
	err := g.Conn.Close()
	g.mu.Lock()
	tell := g.tell
	g.closed, g.tell = true, nil
	g.mu.Unlock()
	if tell != nil {
		tell()
	}
	return err
}

// whenClosed has tell called once the connection is closed.
func (g *gate) whenClosed(tell func()) {
	g.mu.Lock()
	closed := g.closed
	if !closed {
		g.tell = tell
	}
	g.mu.Unlock()
	if closed {
		tell()
	}
}

// mark is what seal compares with.
func (g *gate) mark() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written
}

// seal forbids further writes, and reports whether none was made since mark.
func (g *gate) seal(mark int64) (untouched bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sealed = true
	return g.writing == 0 && g.written == mark
}

// own makes an error recognizable as one of this connection. A dialer that
// tunnels through HTTP/2 can fail with the REFUSED_STREAM of its tunnel, which
// must not pass for one of ours (see h2Proof).
func own(err error) error {
	switch err.(type) {
	case nil, *net.OpError:
		return err
	}
	if err == io.EOF {
		return err
	}
	return &net.OpError{Op: "conn", Err: err}
}
