package fake

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

// Operation is one operation of a fake. Q is its typed request, A its typed
// response.
type Operation[Q any, A response] struct {
	server  *Server
	is      Contract
	pattern pattern
	decode  func(*Input, *Q)
	keys    keys

	mu       sync.Mutex
	handler  func(context.Context, Q) (A, error)
	script   []step
	attempts []*Attempt[Q]
}

// Attempt is a request that arrived.
type Attempt[Q any] struct {
	// Request is what was decoded of it: without the body, where a fault has struck
	// before that was read.
	Request Q
	// Number is that of the attempt within its call, from 1; 0 where the client did
	// not say.
	Number int
	// Key is its idempotency key.
	Key string
	// Fault is what it met; "" for none.
	Fault string
	// Handled: the handler ran for it. Replayed: the handler had run for an earlier
	// attempt with its key, whose answer was given again.
	Handled, Replayed bool
	// HTTP is the request as it came.
	HTTP *http.Request
}

// step is what one attempt meets; its zero value is health.
type step struct {
	fault *retrytest.Fault
	after bool // the handler runs before the fault strikes
	delay time.Duration
}

// Define completes an operation. Generated code calls it.
func (o *Operation[Q, A]) Define(is Contract, decode func(*Input, *Q)) *Operation[Q, A] {
	o.is, o.decode, o.pattern = is, decode, compile(is.Path)
	return o
}

// Handle sets what answers the operation. It may be called again at any time. An
// error of the handler fails the test, and is status 500.
func (o *Operation[Q, A]) Handle(handler func(context.Context, Q) (A, error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.handler = handler
}

// Answer lets every attempt have this answer.
func (o *Operation[Q, A]) Answer(answer A) {
	o.Handle(func(context.Context, Q) (A, error) { return answer, nil })
}

// Before lets the next attempts meet these faults in the place of the handler,
// one each: what the operation does has not happened.
func (o *Operation[Q, A]) Before(faults ...retrytest.Fault) {
	o.server.t.Helper()
	o.add(false, faults)
}

// After lets the handler run for the next attempts, whose answers then meet these
// faults, one each: what the operation does has happened, and nobody tells the
// client.
func (o *Operation[Q, A]) After(faults ...retrytest.Fault) {
	o.server.t.Helper()
	o.add(true, faults)
}

// Slow lets the next attempt have its answer after the delay.
func (o *Operation[Q, A]) Slow(delay time.Duration) { o.push(step{delay: delay}) }

// Pass lets the next n attempts meet no fault.
func (o *Operation[Q, A]) Pass(n int) { o.push(slices.Repeat([]step{{}}, n)...) }

func (o *Operation[Q, A]) add(after bool, faults []retrytest.Fault) {
	o.server.t.Helper()
	for _, f := range faults {
		if f.StrikesConnection() {
			o.server.t.Fatalf("%s: %v strikes before a request is read, of whatever operation: use Connect", o.server.name, f)
		}
		o.server.RequireFit(f)
		o.push(step{fault: &f, after: after})
	}
}

func (o *Operation[Q, A]) push(steps ...step) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.script = append(o.script, steps...)
}

// Attempts are the requests that arrived, in their order.
func (o *Operation[Q, A]) Attempts() []Attempt[Q] {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]Attempt[Q], len(o.attempts))
	for i, a := range o.attempts {
		list[i] = *a
	}
	return list
}

// Handled counts how often the handler ran: how often the upstream did what it
// was asked to.
func (o *Operation[Q, A]) Handled() (n int) {
	for _, a := range o.Attempts() {
		if a.Handled {
			n++
		}
	}
	return n
}

// ForgetKeys lets the upstream forget all idempotency keys, as one does when their
// retention ends.
func (o *Operation[Q, A]) ForgetKeys() { o.keys.forget() }

func (o *Operation[Q, A]) contract() *Contract { return &o.is }
func (o *Operation[Q, A]) bind(s *Server)      { o.server = s }

func (o *Operation[Q, A]) serves() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.handler != nil
}

func (o *Operation[Q, A]) match(r *http.Request) (map[string]string, bool) {
	values, ok := o.pattern.match(rawPath(r))
	return values, ok && hasQuery(r.URL.RawQuery, o.is.Query)
}

// meet is what a request meets.
func (o *Operation[Q, A]) meet(r *http.Request, values map[string]string) retrytest.Fault {
	next := o.take()
	x := &exchange[Q, A]{operation: o, values: values, step: next}
	switch {
	case next.fault == nil:
		return retrytest.Doing(x.handle, retrytest.Handle("", x.reply))
	case next.after:
		return retrytest.Doing(x.handle, *next.fault)
	case next.fault.ReadsWhole():
		return retrytest.Doing(x.note, *next.fault)
	}
	x.glance(r)
	return *next.fault
}

func (o *Operation[Q, A]) take() (next step) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.script) > 0 {
		next, o.script = o.script[0], o.script[1:]
	}
	return next
}

func (o *Operation[Q, A]) violation(format string, args ...any) {
	o.server.violation("%s: %s", o.is.Name, fmt.Sprintf(format, args...))
}
