package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// OnAmbiguous says what becomes of a call that is about to end ambiguous: its
// error is returned ([ReturnAmbiguous]), or somebody is asked what happened
// ([Reconcile], [ReconcileEffect]). T is the result of the method. A method
// takes one where the document says x-on-ambiguous: required, so that to forget
// it does not compile.
//
// The zero value is no decision: a call with it is rejected, and nothing is sent.
type OnAmbiguous[T any] struct {
	decided         bool
	ask             func(context.Context, *AmbiguousError) (T, Effect, error)
	evenIfCancelled bool
}

// NoResult stands for the result of a method whose success has no body, or is a
// stream.
type NoResult struct{}

// ReturnAmbiguous returns the [*AmbiguousError] as it is: the caller looks for
// it.
func ReturnAmbiguous[T any]() OnAmbiguous[T] { return OnAmbiguous[T]{decided: true} }

// Reconcile asks what happened, by a call that reads what the upstream has, say:
//
//	runtime.Reconcile(func(ctx context.Context, a *runtime.AmbiguousError) (*Payment, runtime.Effect, error) {
//		payment, err := client.FindPayment(ctx, order)
//		switch {
//		case err != nil:
//			return nil, runtime.Unknown, err
//		case payment == nil:
//			return nil, runtime.NotExecuted, nil
//		}
//		return payment, runtime.Executed, nil
//	})
//
// Executed makes the call a success with the value. NotExecuted is about all
// attempts so far, and about what may still be on its way: it did not happen and
// will not. The rules then decide on a further attempt as if the operation were
// idempotent; without one the call ends in its plain error. Unknown, an error, a
// panic, or an answer after the time of the contract (ReconcileTimeout) leaves the
// call ambiguous.
//
// ask runs in the goroutine of the call, once, under a context with the values of
// the caller's, but not its deadline, which may have passed. A caller who cancels is
// not made to wait: ask's context ends, or it is not asked at all; see
// [OnAmbiguous.EvenIfCancelled]. The calls that it makes are calls of their own.
// A nil ask is no decision: see [OnAmbiguous].
func Reconcile[T any](ask func(ctx context.Context, a *AmbiguousError) (T, Effect, error)) OnAmbiguous[T] {
	return OnAmbiguous[T]{decided: ask != nil, ask: ask}
}

// ReconcileEffect is [Reconcile] where there is no value to answer.
func ReconcileEffect(ask func(ctx context.Context, a *AmbiguousError) (Effect, error)) OnAmbiguous[NoResult] {
	if ask == nil {
		return OnAmbiguous[NoResult]{}
	}
	return Reconcile(func(ctx context.Context, a *AmbiguousError) (NoResult, Effect, error) {
		effect, err := ask(ctx, a)
		return NoResult{}, effect, err
	})
}

// EvenIfCancelled asks for a caller who has cancelled, too, and goes on asking for
// one who cancels: such a call may outlive its context by ReconcileTimeout.
func (on OnAmbiguous[T]) EvenIfCancelled() OnAmbiguous[T] {
	on.evenIfCancelled = true
	return on
}

// PanicError is what the function of an [OnAmbiguous] panicked with. The text says
// no more than that; the value may hold anything.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return "retrygen: the function of OnAmbiguous panicked" }

// asker is an OnAmbiguous of whatever result.
type asker interface {
	check() error
	// asks reports whether there is somebody to ask, and asksCancelled whether even
	// for a caller who has cancelled.
	asks() bool
	asksCancelled() bool
	// answer asks. Effect is Unknown with an error, and value means something with
	// Executed only.
	answer(ctx context.Context, a *AmbiguousError) (value any, effect Effect, err error)
}

var errUndecided = errors.New("OnAmbiguous is not set: pass runtime.ReturnAmbiguous or runtime.Reconcile")

func (on OnAmbiguous[T]) check() error {
	if !on.decided {
		return errUndecided
	}
	return nil
}

func (on OnAmbiguous[T]) asks() bool { return on.ask != nil }

func (on OnAmbiguous[T]) asksCancelled() bool { return on.evenIfCancelled }

func (on OnAmbiguous[T]) answer(ctx context.Context, a *AmbiguousError) (value any, effect Effect, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, effect, err = nil, Unknown, &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	value, effect, err = on.ask(ctx, a)
	if ctx.Err() != nil { // what was not found in time may be there
		err = cmp.Or(err, context.Cause(ctx))
	}
	if err != nil || effect != Executed && effect != NotExecuted {
		effect = Unknown
	}
	return value, effect, err
}

// checkAsk refuses an OnAmbiguous that is no decision, or of another result than
// the call's.
func (c *call) checkAsk() error {
	ask := c.req.Ask
	if ask == nil {
		return nil
	}
	if !c.read.fits(ask) {
		return fmt.Errorf("%T is not the OnAmbiguous of the operation's result", ask)
	}
	return ask.check()
}

// mayAsk reports whether there is somebody to ask, who was not asked yet.
func (c *call) mayAsk() bool { return !c.asked && c.req.Ask != nil && c.req.Ask.asks() }

// reconcile asks what happened to a call that is about to end ambiguous, once
// (RULE-RECONCILE). Nothing is held meanwhile. Where the answer permits a further
// attempt, it is prepared and again is true; otherwise the call has ended with err.
func (c *call) reconcile(e ending) (again bool, err error) {
	c.asked = true
	if c.cancelled() && !c.req.Ask.asksCancelled() {
		c.unanswered = context.Cause(c.caller)
		return false, c.fail(e)
	}
	if err := c.to(StateReconciling, 0); err != nil {
		return false, err
	}
	doubt := &AmbiguousError{Outcome: c.outcome, Cause: c.plainError(c.cancelled(), e.failed, e.stopped)}
	ctx, done := c.questionContext()
	value, effect, unanswered := c.req.Ask.answer(ctx, doubt)
	done()
	c.outcome.Reconciled, c.unanswered = effect, unanswered
	switch effect {
	case Executed:
		c.doubt = doubt
		return false, c.happened(e, value)
	case NotExecuted:
		return c.didNotHappen(e)
	}
	c.conclude(e.reason)
	return false, c.fail(e)
}

// happened ends a call as the success that it was. None of its attempts succeeded:
// the budget earns nothing by it, and the breaker hears of the doubt. Nothing can
// take the place of a stream, so there the error is the plain one.
func (c *call) happened(e ending, value any) error {
	c.conclude(e.reason)
	if c.streamed {
		return c.fail(e)
	}
	c.read.take(value)
	return c.to(StateReconciled, 0)
}

// didNotHappen makes a further attempt if the rules permit one now that repeating is
// safe. What kept a permitted attempt from beginning keeps the next one, too.
func (c *call) didNotHappen(e ending) (again bool, err error) {
	c.settled = len(c.outcome.Attempts)
	if e.stopped == nil && !c.cancelled() {
		e.reason, e.stopped = c.goOn(c.decide())
	}
	if e.reason == NoReason {
		return true, nil
	}
	c.conclude(e.reason)
	return false, c.fail(e)
}

// questionContext is that of the question: it ends after its own time, with the
// values of the caller's, but neither its deadline nor the mark of an attempt, so
// that what is called under it has its own contract (RULE-OWNER-1).
func (c *call) questionContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(c.caller))
	ctx, expire := context.WithTimeout(ctx, cmp.Or(c.op.ReconcileTimeout, defaultReconcileTimeout))
	unlink := func() bool { return true }
	if !c.req.Ask.asksCancelled() {
		unlink = context.AfterFunc(c.caller, func() {
			if c.cancelled() {
				cancel(context.Cause(c.caller))
			}
		})
	}
	return ctx, func() {
		unlink()
		expire()
		cancel(nil)
	}
}

// defaultReconcileTimeout is that of contracts which say nothing.
const defaultReconcileTimeout = 5 * time.Second
