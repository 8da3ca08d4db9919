package pool

import (
	"container/list"
	"context"
	"time"
)

// waiter is a request that waits for a connection. Guarded by the pool's lock,
// but for ready.
type waiter struct {
	ctx   context.Context
	place *list.Element // nil: answered, or given up
	dial  *dial         // what it counts on; nil: on others to give back theirs
	timer *time.Timer   // of the acquire timeout; nil: it does not run

	ready chan struct{} // closed with the answer:
	conn  *conn
	proof Proof
	err   error
}

// acquire gives a connection on which one request has been reserved.
func (p *Pool) acquire(ctx context.Context, key originKey) (*conn, Proof, error) {
	p.mu.Lock()
	if p.closed {
		p.unlock()
		return nil, PoolWait, ErrClosed
	}
	o := p.origin(key)
	if o.waiters.Len() == 0 {
		if c := o.take(); c != nil {
			p.unlock()
			return c, Unproven, nil
		}
	}
	w := o.enqueue(ctx)
	p.unlock()

	select {
	case <-w.ready:
		return w.conn, w.proof, w.err
	case <-ctx.Done():
		return nil, o.abandon(w), context.Cause(ctx)
	}
}

// enqueue adds a waiter, last in line.
func (o *origin) enqueue(ctx context.Context) *waiter {
	w := &waiter{ctx: ctx, ready: make(chan struct{})}
	w.place = o.waiters.PushBack(w)
	o.pool.waiting.Add(1)
	o.serve() // once more: a change before Add may have poked nobody
	if w.place != nil && !o.cover(w) {
		o.park(w)
	}
	return w
}

// abandon takes back a waiter whose context has ended, and names the stage in
// which that was.
func (o *origin) abandon(w *waiter) Proof {
	p := o.pool
	p.mu.Lock()
	if w.place == nil { // answered in the same instant
		p.unlock()
		if w.conn != nil {
			p.giveBack(w.conn)
		}
		return PoolWait
	}
	stage := PoolWait
	if d := w.dial; d != nil {
		stage = Proof(d.stage.Load())
		d.waiters--
		w.dial = nil
		if d.waiters == 0 { // nobody wants it, and it may be stuck
			o.abort(d)
		}
	}
	o.remove(w)
	o.coverAll()
	o.retire()
	p.unlock()
	return stage
}

// park starts the acquire timeout of a waiter without a dial. A dial counts
// against the dialer's timeout instead.
func (o *origin) park(w *waiter) {
	if timeout := o.pool.acquireTimeout; timeout > 0 {
		w.timer = time.AfterFunc(timeout, func() { o.expire(w) })
	}
}

func (o *origin) expire(w *waiter) {
	o.pool.mu.Lock()
	defer o.pool.unlock()
	if w.place != nil && w.dial == nil {
		o.answer(w, nil, PoolWait, ErrAcquireTimeout)
		o.retire()
	}
}

// answer ends a wait. A dial that the waiter counted on goes on: the next
// request will be glad of it.
func (o *origin) answer(w *waiter, c *conn, proof Proof, err error) {
	o.remove(w)
	if w.dial != nil {
		w.dial.waiters--
		w.dial = nil
	}
	w.conn, w.proof, w.err = c, proof, err
	close(w.ready)
}

func (o *origin) remove(w *waiter) {
	o.waiters.Remove(w.place)
	w.place = nil
	w.stopTimer()
	o.pool.waiting.Add(-1)
}

func (w *waiter) stopTimer() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// serve hands out what is free, first come, first served.
func (o *origin) serve() {
	for e := o.waiters.Front(); e != nil; e = o.waiters.Front() {
		c := o.take()
		if c == nil {
			return
		}
		o.answer(e.Value.(*waiter), c, Unproven, nil)
	}
}

// cover finds a dial for a waiter, and reports false where MaxConns forbids it.
func (o *origin) cover(w *waiter) bool {
	d := o.spareDial()
	if d == nil {
		if o.full() {
			return false
		}
		d = newDial(w.ctx, o)
		o.dials[d] = struct{}{}
	}
	d.waiters++
	w.dial = d
	w.stopTimer()
	return true
}

// coverAll is cover for all that have no dial, first come, first served.
func (o *origin) coverAll() {
	for e := o.waiters.Front(); e != nil; e = e.Next() {
		if w := e.Value.(*waiter); w.dial == nil && !o.cover(w) {
			return
		}
	}
}

// spareDial is a dial that can serve one more. Where a connection may turn out
// to be HTTP/2, one dial serves all.
func (o *origin) spareDial() *dial {
	for d := range o.dials {
		if d.waiters == 0 || o.shares {
			return d
		}
	}
	return nil
}

func (o *origin) full() bool {
	limit := o.pool.maxConns
	return limit > 0 && len(o.conns)+len(o.dials) >= limit
}
