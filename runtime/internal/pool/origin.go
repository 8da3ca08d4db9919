package pool

import (
	"container/list"
	"slices"
	"time"
)

// originKey is the scheme and the host of a URL, as they are written there.
type originKey struct{ scheme, host string }

// origin is what the pool knows of one server. Guarded by the pool's lock.
type origin struct {
	pool   *Pool
	key    originKey
	scheme string
	addr   string

	conns   map[*conn]struct{} // all that are open
	idle    []*conn            // HTTP/1 without a request, the last used last
	shared  []*conn            // HTTP/2
	dials   map[*dial]struct{}
	waiters list.List // of *waiter

	// shares: the next connection may be HTTP/2, as far as we know.
	shares bool
	timer  *time.Timer // for idle connections; nil: not running
}

func (p *Pool) origin(key originKey) *origin {
	o := p.origins[key]
	if o == nil {
		o = &origin{
			pool: p, key: key, scheme: key.scheme, addr: address(key.scheme, key.host),
			conns: make(map[*conn]struct{}), dials: make(map[*dial]struct{}),
			shares: key.scheme == "https" && p.policy.h2 || p.policy.h2c && !p.policy.h1,
		}
		p.origins[key] = o
	}
	return o
}

// retire forgets an origin with which nothing is going on.
func (o *origin) retire() {
	if len(o.conns) == 0 && len(o.dials) == 0 && o.waiters.Len() == 0 {
		delete(o.pool.origins, o.key)
		if o.timer != nil {
			o.timer.Stop()
		}
	}
}

// take reserves a request on a connection that is open; nil if there is none.
func (o *origin) take() *conn {
	for i := 0; i < len(o.shared); {
		c := o.shared[i]
		stale := c.active == 0 && c.stale()
		switch {
		case !stale && c.cc.Reserve() == nil:
			c.active++
			return c
		case stale || c.finished():
			o.drop(c)
		default:
			i++
		}
	}
	for len(o.idle) > 0 {
		c := o.idle[len(o.idle)-1]
		if !c.stale() && c.cc.Reserve() == nil {
			o.idle = o.idle[:len(o.idle)-1]
			c.active++
			return c
		}
		o.drop(c)
	}
	return nil
}

// dialed adds a new connection.
func (o *origin) dialed(d *dial, c *conn) {
	// A connection that is dead on arrival fails those that wait for it, else
	// the pool would dial for ever.
	if err := c.cc.Reserve(); err != nil {
		c.cc.Close()
		o.failed(d, Dial, err)
		return
	}
	o.pool.mu.Lock()
	defer o.pool.unlock()
	if _, wanted := o.dials[d]; !wanted {
		o.pool.doomed = append(o.pool.doomed, c)
		return
	}
	delete(o.dials, d)
	o.shares = c.h2
	o.conns[c] = struct{}{}
	c.active = 1
	if c.h2 {
		o.shared = append(o.shared, c)
	}
	lost := o.uncover(d)
	if e := o.waiters.Front(); e != nil {
		o.answer(e.Value.(*waiter), c, Unproven, nil)
	} else {
		c.cc.Release()
		o.put(c)
	}
	o.serve()
	o.coverAll()
	for _, w := range lost {
		if w.place != nil && w.dial == nil {
			o.park(w)
		}
	}
}

// failed ends a dial in vain, and the wait of those that counted on it.
func (o *origin) failed(d *dial, proof Proof, err error) {
	o.pool.mu.Lock()
	defer o.pool.unlock()
	delete(o.dials, d)
	for _, w := range o.uncover(d) {
		o.answer(w, nil, proof, err)
	}
	o.coverAll()
	o.retire()
}

// uncover lists the waiters that counted on a dial.
func (o *origin) uncover(d *dial) []*waiter {
	var lost []*waiter
	for e := o.waiters.Front(); e != nil; e = e.Next() {
		if w := e.Value.(*waiter); w.dial == d {
			w.dial = nil
			lost = append(lost, w)
		}
	}
	return lost
}

// release ends a request's hold on a connection.
func (p *Pool) release(c *conn) {
	p.mu.Lock()
	defer p.unlock()
	c.o.put(c)
}

// giveBack is release for a connection on which nothing was sent.
func (p *Pool) giveBack(c *conn) {
	c.cc.Release()
	p.release(c)
}

// put takes back a connection from a request, and keeps it if it is any good.
func (o *origin) put(c *conn) {
	c.active--
	if _, open := o.conns[c]; !open {
		return
	}
	if c.finished() {
		o.drop(c)
	} else if c.active == 0 {
		o.rest(c)
	}
	o.serve()
	o.coverAll()
	o.retire()
}

// rest keeps a connection without a request. Of too many, the one that rested
// longest goes: it is the likeliest to be dead.
func (o *origin) rest(c *conn) {
	if o.pool.idleTimeout > 0 {
		c.idleSince = o.pool.now()
	}
	if !c.h2 {
		o.idle = append(o.idle, c)
		if len(o.idle) > o.pool.maxIdle && o.waiters.Len() == 0 {
			o.drop(o.idle[0])
		}
	}
	o.watch()
}

// drop forgets a connection and dooms it to be closed.
func (o *origin) drop(c *conn) {
	if _, open := o.conns[c]; !open {
		return
	}
	delete(o.conns, c)
	list := &o.idle
	if c.h2 {
		list = &o.shared
	}
	if i := slices.Index(*list, c); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	o.pool.doomed = append(o.pool.doomed, c)
}

// sweep drops what has ended by itself, and serves from what became free.
func (o *origin) sweep() {
	for c := range o.conns {
		if c.finished() {
			o.drop(c)
		}
	}
	o.serve()
	o.coverAll()
	o.retire()
}

// watch sees to it that idle connections expire.
func (o *origin) watch() {
	if timeout := o.pool.idleTimeout; timeout > 0 && o.timer == nil {
		o.timer = time.AfterFunc(timeout, o.expireIdle)
	}
}

func (o *origin) expireIdle() {
	o.pool.mu.Lock()
	defer o.pool.unlock()
	o.timer = nil
	now := o.pool.now()
	o.closeIdle((*conn).stale)
	next := o.pool.idleTimeout
	idle := false
	for c := range o.conns {
		if c.active == 0 {
			idle = true
			next = min(next, c.idleSince+o.pool.idleTimeout-now)
		}
	}
	if idle {
		o.timer = time.AfterFunc(next, o.expireIdle)
	}
}

// closeIdle closes the connections without a request for which which is true.
func (o *origin) closeIdle(which func(*conn) bool) {
	for c := range o.conns {
		if c.active == 0 && which(c) {
			o.drop(c)
		}
	}
	o.retire()
}

func (o *origin) close() {
	for d := range o.dials {
		o.abort(d)
	}
	for e := o.waiters.Front(); e != nil; e = o.waiters.Front() {
		o.answer(e.Value.(*waiter), nil, PoolWait, ErrClosed)
	}
	for c := range o.conns {
		o.drop(c)
	}
	o.retire()
}
