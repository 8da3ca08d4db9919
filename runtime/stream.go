package runtime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// StreamResponse is a response that is read as it comes. It must be closed: until then
// it holds its connection and its place in the bulkhead.
//
// The call's deadline and attempt timeout end where the stream begins; from
// there the caller's context rules, and the upstream must send a byte within
// every StreamIdleTimeout (RULE-DEADLINE-2). No attempt follows once a stream
// has begun.
type StreamResponse struct {
	StatusCode int
	Header     http.Header

	call    *call
	body    io.ReadCloser
	idle    *time.Timer
	timeout time.Duration
	ending  sync.Once
	over    error // what Read has ended with
}

// ErrStreamIdle is the cause of a stream that broke because the upstream sent
// nothing for too long.
var ErrStreamIdle = errors.New("the upstream sent nothing for too long")

// DoStream makes one call whose 2xx is a stream. read is called with the final
// response that is no 2xx, so that it can keep a documented error body.
func DoStream(ctx context.Context, u *Upstream, op *Operation, req Request,
	read func(*Response) error, opts []CallOption) (*StreamResponse, error) {
	var c call
	c.begin(ctx, u, op, &req, opts, readFunc(read))
	c.streamed = true
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.stream, nil
}

// Read returns io.EOF at the end of a whole body. A body that breaks gives a
// [*TransportError] whose evidence is PartialResponse, or a [*CancelledError].
func (s *StreamResponse) Read(p []byte) (int, error) {
	if s.over != nil {
		return 0, s.over
	}
	n, err := s.body.Read(p)
	if n > 0 {
		s.idle.Reset(s.timeout)
	}
	switch {
	case err == io.EOF:
		s.over = err
		s.end()
	case err != nil:
		err = s.breakOff(err)
	}
	return n, err
}

// Close ends the stream, whole or not.
func (s *StreamResponse) Close() error {
	s.end()
	return nil
}

// Outcome is what is known of the call so far; final once the stream has ended.
func (s *StreamResponse) Outcome() Outcome { return s.call.outcome }

func (s *StreamResponse) breakOff(err error) error {
	if cause := context.Cause(s.call.ctx); errors.Is(cause, ErrStreamIdle) {
		err = cause
	}
	c := s.call
	last := c.last()
	last.Evidence, last.Failure, last.Cause = PartialResponse, c.classify(err), err
	c.outcome.Reason = ResponseAlreadyDelivered
	c.detach()
	if last.Failure == CallerCancelled {
		s.over = &CancelledError{Outcome: c.outcome, Cause: context.Cause(c.caller)}
	} else {
		s.over = &TransportError{Outcome: c.outcome, Cause: err}
	}
	s.end()
	return s.over
}

// end gives back all that the stream holds.
func (s *StreamResponse) end() {
	s.ending.Do(func() {
		s.idle.Stop()
		s.body.Close()
		s.call.clock.cancel(context.Canceled)
		s.call.upstream.bulkhead.release()
		s.call.upstream.drain.leave()
		s.call.free()
	})
}

// beginStream makes a 2xx the call's stream. The clocks of the call stop; the
// stream's own starts.
func (c *call) beginStream(response *http.Response) {
	c.clock.stop()
	c.received = Response{StatusCode: response.StatusCode, Header: response.Header}
	c.response = &c.received
	timeout := c.upstream.streamIdle
	c.stream = &StreamResponse{
		StatusCode: response.StatusCode,
		Header:     response.Header,
		call:       c,
		body:       response.Body,
		timeout:    timeout,
		idle:       time.AfterFunc(timeout, func() { c.clock.cancel(ErrStreamIdle) }),
	}
}

// clock ends the contexts of a streamed call: unlike the deadline of a context,
// it can be stopped.
type clock struct {
	cancel context.CancelCauseFunc
	timers []*time.Timer
}

func (k *clock) stop() {
	for _, t := range k.timers {
		t.Stop()
	}
}

// startClock is setDeadline for streamed calls.
func (c *call) startClock(end time.Time) context.Context {
	ctx, cancel := context.WithCancelCause(c.caller)
	c.clock.cancel = cancel
	c.cancel = func() {
		c.clock.stop()
		cancel(context.Canceled)
	}
	if !end.IsZero() {
		c.clock.after(time.Until(end), cancel)
	}
	return ctx
}

func (k *clock) after(d time.Duration, cancel context.CancelCauseFunc) {
	k.timers = append(k.timers, time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) }))
}

// attempt is the context of one attempt, which ends after the timeout unless the
// clock is stopped.
func (k *clock) attempt(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	k.after(timeout, cancel)
	return ctx, func() { cancel(context.Canceled) }
}
