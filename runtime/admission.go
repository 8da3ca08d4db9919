package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Breaker admits calls or refuses them. It sees one result per call, never one
// per attempt (RULE-OWNER). TwoStepCircuitBreaker of sony/gobreaker v2 satisfies
// it as it is; set its IsExcluded to [IsNeutral].
type Breaker interface {
	Name() string
	// Allow admits a call, or tells why not. done is called once, when the call
	// has ended: nil for a success, an error for a failure of the upstream, and
	// an error for which IsNeutral holds where the call says nothing about it.
	Allow() (done func(err error), err error)
}

// IsNeutral reports whether a call's error says nothing about the upstream's
// health: the caller cancelled, the call was rejected, or it was throttled.
func IsNeutral(err error) bool {
	var neutral neutralError
	return errors.As(err, &neutral)
}

// neutralError marks an error for the breaker only.
type neutralError struct{ error }

func (e neutralError) Unwrap() error { return e.error }

// breakerVerdict is what the breaker is told of a call that ended with err.
func breakerVerdict(o *Outcome, err error) error {
	var (
		rejected  *RejectedError
		cancelled *CancelledError
		ambiguous *AmbiguousError
		status    *StatusError
	)
	plain := err
	if errors.As(err, &ambiguous) {
		plain = ambiguous.Cause
	}
	switch {
	case err == nil:
		return nil
	case errors.As(plain, &rejected), errors.As(plain, &cancelled):
		return neutralError{err}
	case errors.As(plain, &status) && o.Status == 429:
		return neutralError{err}
	case errors.As(plain, &status) && o.Status < 500:
		return nil // the upstream is there, and said no
	}
	return err
}

var errBulkheadFull = errors.New("no place became free in time")

// bulkhead bounds the attempts that are under way at once.
type bulkhead struct {
	places  chan struct{} // nil: no limit
	timeout time.Duration // 0: the context rules
}

func newBulkhead(limit int, timeout time.Duration) bulkhead {
	if limit <= 0 {
		return bulkhead{}
	}
	return bulkhead{make(chan struct{}, limit), timeout}
}

func (b *bulkhead) acquire(bounded func() context.Context) error {
	if b.places == nil {
		return nil
	}
	select {
	case b.places <- struct{}{}:
		return nil
	default:
	}
	ctx := bounded()
	var expired <-chan time.Time
	if b.timeout > 0 {
		timer := time.NewTimer(b.timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case b.places <- struct{}{}:
		return nil
	case <-expired:
		return errBulkheadFull
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *bulkhead) release() {
	if b.places != nil {
		<-b.places
	}
}

var errDraining = errors.New("the upstream is draining")

// drain counts the running calls and can close the door.
type drain struct {
	calls  atomic.Int64  // that run, and draining
	closed chan struct{} // closed when draining begins
	idle   chan struct{} // closed when draining and nothing runs
	once   struct{ closed, idle sync.Once }
}

// draining is the flag of drain.calls.
const draining = 1 << 62

func newDrain() *drain {
	return &drain{closed: make(chan struct{}), idle: make(chan struct{})}
}

// enter admits a call unless the upstream is draining.
func (d *drain) enter() bool {
	if d.calls.Add(1) < draining {
		return true
	}
	d.leave()
	return false
}

func (d *drain) leave() {
	if d.calls.Add(-1) == draining {
		d.once.idle.Do(func() { close(d.idle) })
	}
}

func (d *drain) draining() bool { return d.calls.Load() >= draining }

// wait closes the door and waits until the last call has left. Where none runs,
// it does not matter that ctx has ended.
func (d *drain) wait(ctx context.Context) error {
	d.once.closed.Do(func() {
		d.calls.Add(draining + 1) // and a call, so that leave finds out whether another one runs
		close(d.closed)
		d.leave()
	})
	select {
	case <-d.idle:
		return nil
	default:
	}
	select {
	case <-d.idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
