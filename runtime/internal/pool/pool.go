// Package pool sends each request at most once and says what is proven when
// that fails.
//
// It stands where other clients have [http.Transport.RoundTrip], which sends a
// request again on its own when a connection turns out to be dead. Here one
// call of [Pool.RoundTrip] is one call of [http.ClientConn.RoundTrip]: there is
// no loop below it, so every send is one that the caller asked for. The pool
// dials through a clone of the user's Transport and does by itself what a
// ClientConn leaves out: limits, waiting, idle connections, and [Proof].
//
// How a proof is made, from the outside in:
//   - The request was never handed to a connection: the stage that failed is
//     the proof, whatever the error is.
//   - HTTP/1: the connection is ours alone, so a counter under TLS tells
//     whether a byte of the request left; sealing the connection makes that
//     final (see gate).
//   - HTTP/2: the peer says that it did not process the stream (see h2Proof).
//
// Anything else is [Unproven] (RULE-EVIDENCE).
package pool

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of a request that got no connection.
var (
	ErrAcquireTimeout = errors.New("no connection became free within the acquire timeout")
	ErrClosed         = errors.New("the connection pool is closed")
)

// Pool holds the connections of one upstream. It is safe for concurrent use.
type Pool struct {
	transport      *http.Transport // dials; its own pool is never used
	maxConns       int             // per origin; 0: no limit
	maxIdle        int             // per origin
	idleTimeout    time.Duration   // 0: none
	acquireTimeout time.Duration   // 0: none
	policy         protocols
	started        time.Time

	waiting atomic.Int64 // waiters of all origins
	poked   atomic.Bool  // a connection changed its state

	mu      sync.Mutex
	origins map[originKey]*origin
	doomed  []*conn // to be closed once mu is free
	closed  bool
}

// New builds a pool. It refuses settings that cannot work.
func New(options Options) (*Pool, error) {
	p := &Pool{origins: make(map[originKey]*origin), started: time.Now()}
	if err := p.configure(options); err != nil {
		return nil, err
	}
	return p, nil
}

// RoundTrip sends req at most once, on a connection to the origin of req.URL.
// It follows no redirect and decodes no content.
//
// With an error it says by the Proof whether the request was provably not sent
// or not processed; without one the final header has arrived, and the Proof is
// Unproven. The error is the one of the network, unwrapped. A response body that
// breaks gives a [*BodyError] from Read.
//
// The request body is closed in any case, possibly after RoundTrip returned.
// The caller must close the response body; until its end or its close the
// connection is in use. The context of req must end soon after that: net/http
// leaves a child of it behind on each failure, which would pile up on one that
// lives long.
func (p *Pool) RoundTrip(req *http.Request) (*http.Response, Proof, error) {
	ctx := req.Context()
	if err := check(req); err != nil {
		closeBody(req)
		return nil, NotStarted, err
	}
	// A ClientConn may write before it looks at the context.
	if ctx.Err() != nil {
		closeBody(req)
		return nil, NotStarted, context.Cause(ctx)
	}
	c, proof, err := p.acquire(ctx, originKey{req.URL.Scheme, req.URL.Host})
	if err != nil {
		closeBody(req)
		return nil, proof, err
	}
	if ctx.Err() != nil {
		p.giveBack(c)
		closeBody(req)
		return nil, PoolWait, context.Cause(ctx)
	}
	return newAttempt(p, c, req).roundTrip()
}

// now is the age of the pool: cheaper to read than the time of day.
func (p *Pool) now() time.Duration { return time.Since(p.started) }

// CloseIdle closes the connections that no request uses.
func (p *Pool) CloseIdle() {
	p.mu.Lock()
	defer p.unlock()
	for _, o := range p.origins {
		o.closeIdle(func(*conn) bool { return true })
	}
}

// Close closes all connections. Requests in flight break, those that wait for
// a connection, and later ones, fail with [ErrClosed].
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.unlock()
	p.closed = true
	for _, o := range p.origins {
		o.close()
	}
}

// Stats is a snapshot of a pool.
type Stats struct {
	Open    int // connections, InUse + Idle
	InUse   int // connections with at least one request
	Idle    int // connections without a request
	Dialing int // connections being made
	Waiting int // requests that wait for a connection
}

// Stats counts over all origins.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.unlock()
	var s Stats
	for _, o := range p.origins {
		for c := range o.conns {
			if c.active > 0 {
				s.InUse++
			}
		}
		s.Open += len(o.conns)
		s.Dialing += len(o.dials)
		s.Waiting += o.waiters.Len()
	}
	s.Idle = s.Open - s.InUse
	return s
}

// poke is called when a connection changed its state by itself. It may be
// called by net/http from within a call that was made under the lock, so it
// must not wait for the lock: whoever holds it looks at the mark (see unlock).
func (p *Pool) poke() {
	p.poked.Store(true)
	if p.mu.TryLock() {
		p.unlock()
	}
}

// unlock ends a critical section: it attends to what poked the pool meanwhile,
// and closes what was doomed once the lock is free, for a close may block.
func (p *Pool) unlock() {
	for {
		if p.poked.Load() && p.poked.Swap(false) {
			for _, o := range p.origins {
				o.sweep()
			}
		}
		doomed := p.doomed
		p.doomed = nil
		p.mu.Unlock()
		for _, c := range doomed {
			c.cc.Close()
		}
		if !p.poked.Load() || !p.mu.TryLock() {
			return
		}
	}
}
