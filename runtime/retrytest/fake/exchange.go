package fake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Request is what every typed request has.
type Request struct {
	// HTTP is the request as it came. Its body can be read.
	HTTP *http.Request
}

// NewRequest is the request that an input comes from. Generated code calls it.
func NewRequest(in *Input) Request { return Request{in.http} }

// exchange is one attempt and its answer.
type exchange[Q any, A response] struct {
	operation *Operation[Q, A]
	values    map[string]string // of the path
	step      step
	answer    Answer
}

// arrive decodes and records a request.
func (x *exchange[Q, A]) arrive(r *http.Request, body []byte, unread bool) (*Attempt[Q], error) {
	o := x.operation
	copied := r.Clone(r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	in := newInput(copied, x.values, body)
	in.unread = unread
	a := &Attempt[Q]{HTTP: copied}
	o.decode(in, &a.Request)
	err := in.finish()
	a.Number, _ = strconv.Atoi(r.Header.Get(runtime.AttemptHeader))
	if o.is.KeyHeader != "" {
		a.Key = r.Header.Get(o.is.KeyHeader)
	}
	if x.step.fault != nil {
		a.Fault = x.step.fault.String()
	}
	o.mu.Lock()
	o.attempts = append(o.attempts, a)
	o.mu.Unlock()
	if err != nil {
		o.violation("%v", err)
	}
	if !unread {
		x.checkKey(a, body)
	}
	return a, err
}

// checkKey holds the attempts of a call to one key.
func (x *exchange[Q, A]) checkKey(a *Attempt[Q], body []byte) {
	o := x.operation
	switch {
	case o.is.KeyHeader == "":
	case a.Key == "":
		o.violation("attempt %d bears no %s", a.Number, o.is.KeyHeader)
	case !o.keys.follows(a.Key, fingerprint(a.HTTP, body), a.Number) && !o.server.wasSevered():
		o.violation("attempt %d bears another %s than attempt %d of the same request: an upstream takes it for another call",
			a.Number, o.is.KeyHeader, a.Number-1)
	}
}

// glance records a request whose body is not read.
func (x *exchange[Q, A]) glance(r *http.Request) { _, _ = x.arrive(r, nil, true) }

// note records a request.
func (x *exchange[Q, A]) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body) // it is in memory
	_, _ = x.arrive(r, body, false)
}

// handle does what the request asks for, unless that was done before.
func (x *exchange[Q, A]) handle(r *http.Request) {
	body, _ := io.ReadAll(r.Body) // it is in memory
	a, err := x.arrive(r, body, false)
	switch {
	case err != nil:
		x.answer = refusal(http.StatusBadRequest, err)
	case x.operation.is.KeyHeader == "":
		x.answer = x.run(r.Context(), a)
	default:
		x.answer = x.runOnce(r.Context(), a, fingerprint(a.HTTP, body))
	}
	if x.step.delay > 0 {
		wait(r.Context(), x.step.delay)
	}
}

// reply sends the answer.
func (x *exchange[Q, A]) reply(w http.ResponseWriter, _ *http.Request) { x.answer.write(w) }

// runOnce runs the handler once for a key, and gives its answer again.
func (x *exchange[Q, A]) runOnce(ctx context.Context, a *Attempt[Q], content digest) Answer {
	o := x.operation
	if a.Key == "" {
		return refusal(http.StatusBadRequest, errors.New("the idempotency key is missing"))
	}
	e, known, err := o.keys.enter(ctx, a.Key, content)
	switch {
	case err != nil && ctx.Err() != nil:
		panic(http.ErrAbortHandler) // the client has gone
	case err != nil:
		o.violation("attempt %d: %v", a.Number, err)
		return refusal(http.StatusUnprocessableEntity, err)
	case known:
		o.mark(func() { a.Replayed = true })
		return e.answer
	}
	answer := Answer{}
	defer func() { o.keys.leave(a.Key, e, answer, o.is.KeyRetention) }() // however the handler ends
	answer = x.run(ctx, a)
	return answer
}

// mark changes an attempt that others may look at.
func (o *Operation[Q, A]) mark(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

// run runs the handler. What is wrong with it fails the test.
func (x *exchange[Q, A]) run(ctx context.Context, a *Attempt[Q]) (answer Answer) {
	o := x.operation
	o.mu.Lock()
	handler := o.handler
	a.Handled = handler != nil
	o.mu.Unlock()
	if handler == nil {
		o.violation("no handler; set %s.Handle or %s.Answer", o.is.Field, o.is.Field)
		return refusal(http.StatusNotImplemented, errors.New("the fake has no handler for the operation"))
	}
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case http.ErrAbortHandler:
			panic(fault)
		default:
			o.violation("the handler panicked: %v\n%s", fault, debug.Stack())
			answer = refusal(http.StatusInternalServerError, errors.New("the handler panicked"))
		}
	}()
	response, err := handler(ctx, a.Request)
	if err != nil && ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	return o.checked(response, err)
}

// checked is an answer that can be sent.
func (o *Operation[Q, A]) checked(response A, err error) Answer {
	answer := response.answer()
	switch {
	case err != nil:
		o.violation("the handler failed: %v", err)
	case answer.err != nil:
		err = answer.err
		o.violation("the answer cannot be sent: %v", err)
	case answer.Status < 200 || answer.Status > 599:
		err = errors.New("the handler gave no answer")
		o.violation("the handler answered with the zero %T: make it with a function of the package", response)
	default:
		return answer
	}
	return refusal(http.StatusInternalServerError, err)
}

// refusal is an answer of the fake's own.
func refusal(status int, err error) Answer {
	return Bytes(status, "text/plain; charset=utf-8", err.Error()+"\n")
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
