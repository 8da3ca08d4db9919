package pool

import (
	"net/http"
	"time"
)

// conn is one connection. All but the first four fields are guarded by the
// pool's lock.
type conn struct {
	o    *origin
	cc   *http.ClientConn
	gate *gate // nil: made by the user's DialTLSContext, it proves nothing
	h2   bool

	active    int           // requests that hold it
	idleSince time.Duration // by the pool's clock
}

// watch sees to it that the pool hears of a change of the connection. Of HTTP/1 it
// needs to know the end only, which the gate tells: net/http's hook would look at
// the connection several times per request, and the caller waits for some of that.
func (c *conn) watch() {
	if c.h2 || c.gate == nil {
		c.cc.SetStateHook(c.changed)
		return
	}
	c.gate.whenClosed(func() { go c.o.pool.poke() }) // net/http closes it under a lock that a sweep needs
}

// changed is called by net/http when the connection ended, or can take more. What
// an HTTP/1 connection can take is known when its request releases it.
func (c *conn) changed(*http.ClientConn) {
	if p := c.o.pool; c.cc.Err() != nil || c.h2 && p.waiting.Load() > 0 {
		p.poke()
	}
}

// finished reports whether the connection has no request, and can take none any
// more. HTTP/1: it ended, or is about to. HTTP/2: it ended, or drains after a
// GOAWAY; such a one has no Err and would stay open for ever.
func (c *conn) finished() bool {
	switch {
	case c.active > 0:
		return false
	case !c.h2:
		return c.cc.Available() == 0
	}
	return c.cc.Err() != nil || c.cc.InFlight() == 0 && c.cc.Available() == 0 // InFlight first
}

func (c *conn) stale() bool {
	timeout := c.o.pool.idleTimeout
	return timeout > 0 && c.o.pool.now()-c.idleSince >= timeout
}
