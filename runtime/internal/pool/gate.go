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

	writes atomic.Uint64 // bytes that the kernel accepted, and flags

	mu     sync.Mutex
	closed bool
	tell   func() // of the close; nil: nobody asked

	ended atomic.Bool // a read has failed: nothing more arrives
}

// The flags of gate.writes. Bytes that overflow into them prove nothing any more.
const (
	oneWrite uint64 = 1 << 48 // is in progress
	sealed   uint64 = 1 << 63
)

// exactWrites: a failed Write tells exactly how much it wrote. Windows may
// report too little when an overlapped write is cancelled.
const exactWrites = runtime.GOOS != "windows"

func (g *gate) Write(b []byte) (int, error) {
	if g.writes.Add(oneWrite)&sealed != 0 {
		g.wrote(0)

		return 0, errSealed
	}
	n, err := g.Conn.Write(b)
	if exactWrites {
		g.wrote(n)
	} else {
		g.wrote(len(b))
	}
	return n, own(err)
}

// wrote ends a write.
func (g *gate) wrote(n int) { g.writes.Add(uint64(n) - oneWrite) }

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
func (g *gate) mark() uint64 { return g.writes.Load() }

// seal forbids further writes, and reports whether none was made since mark.
func (g *gate) seal(mark uint64) (untouched bool) {
	writes := g.writes.Or(sealed)
	return writes == mark && writes < oneWrite
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
