package retrytest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// conn is a connection to a client, in the clear. Of HTTP/2 it follows the frames
// in both directions, so that a fault knows its stream and can write frames of
// its own between those of net/http.
type conn struct {
	net.Conn
	raw     net.Conn // below TLS
	server  *Server
	in      *bufio.Reader // what the client sends
	touched bool          // a request began to arrive (HTTP/1)
	last    atomic.Bool   // no request follows the one at hand
	closing sync.Once
	done    chan struct{}

	// HTTP/2:
	streams chan uint32 // the stream that a handler is about to serve
	frame   []byte      // rest of the frame that is being handed to net/http
	newest  uint32      // stream
	writing sync.Mutex
	out     []byte        // net/http's, up to the end of a frame
	spoke   chan struct{} // closed when net/http has sent its settings, which must come first
	greeted sync.Once
}

type connKey struct{}

func (c *conn) Read(p []byte) (int, error) {
	if c.streams != nil {
		return c.readFrames(p)
	}
	if !c.touched {
		c.touched = true
		if err := c.awaitRequest(); err != nil {
			return 0, err
		}
	}
	return c.in.Read(p)
}

// awaitRequest waits for the first byte of a request, where faults strike that
// leave it unread.
func (c *conn) awaitRequest() error {
	if _, err := c.in.Peek(1); err != nil {
		return err
	}
	return c.leaveUnread()
}

func (c *conn) leaveUnread() error {
	f, ok := c.server.takeIf(func(f *Fault) bool { return f.unread != nil })
	if !ok {
		return nil
	}
	f.unread(c)
	return net.ErrClosed
}

const (
	preface     = 24 // bytes that come before a client's first frame
	frameHeader = 9
)

// readFrames hands one frame after the other to net/http. A frame that opens a
// stream waits until the handler of the one before knows which stream it serves.
func (c *conn) readFrames(p []byte) (int, error) {
	if len(c.frame) == 0 {
		size := preface
		if c.frame != nil {
			head, err := c.in.Peek(frameHeader)
			if err != nil {
				return 0, err
			}
			size = frameHeader + int(binary.BigEndian.Uint32(head)>>8)
		}
		frame := make([]byte, size)
		if _, err := io.ReadFull(c.in, frame); err != nil {
			return 0, err
		}
		if opensStream := size != preface || c.frame != nil; opensStream && frame[3] == frameHeaders {
			if err := c.announce(binary.BigEndian.Uint32(frame[5:])); err != nil {
				return 0, err
			}
		}
		c.frame = frame
	}
	n := copy(p, c.frame)
	c.frame = c.frame[n:]
	return n, nil
}

func (c *conn) announce(stream uint32) error {
	if stream <= c.newest { // trailers
		return nil
	}
	c.newest = stream
	if err := c.leaveUnread(); err != nil {
		return err
	}
	select {
	case c.streams <- stream:
		return nil
	case <-c.done:
		return net.ErrClosed
	}
}

// nextStream is the stream that the handler which asks serves; 0 over HTTP/1.
func (c *conn) nextStream() uint32 {
	if c.streams == nil {
		return 0
	}
	return <-c.streams
}

// Write keeps half a frame back, so that others can write between two.
func (c *conn) Write(p []byte) (int, error) {
	if c.streams == nil {
		return c.Conn.Write(p)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.out = append(c.out, p...)
	whole, ends := wholeFrames(c.out)
	_, err := c.Conn.Write(c.out[:whole])
	c.out = append(c.out[:0], c.out[whole:]...)
	if whole > 0 {
		c.greeted.Do(func() { close(c.spoke) })
	}
	if ends && c.last.Load() {
		c.Close()
	}
	return len(p), err
}

// wholeFrames is the length of the frames that are complete, and whether one of
// them ends a stream.
func wholeFrames(b []byte) (n int, ends bool) {
	for len(b)-n >= frameHeader {
		end := n + frameHeader + int(binary.BigEndian.Uint32(b[n:])>>8)
		if end > len(b) {
			break
		}
		kind, flags := b[n+3], b[n+4]
		ends = ends || kind <= frameHeaders && flags&flagEndStream != 0
		n = end
	}
	return n, ends
}

func (c *conn) Close() (err error) {
	c.closing.Do(func() {
		close(c.done)
		err = c.Conn.Close()
		c.server.mu.Lock()
		defer c.server.mu.Unlock()
		delete(c.server.open, c)
	})
	return err
}

// reset makes the close an RST instead of a FIN, where the network knows one.
func (c *conn) reset() {
	if tcp, ok := c.raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
		tcp.Close()
	}
	c.Close()
}
