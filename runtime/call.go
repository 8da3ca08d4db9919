package runtime

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// call is one logical use of an operation: admit, then attempt and decide until
// there is an answer.
type call struct {
	caller   context.Context // the caller's own
	ctx      context.Context // the caller's, marked as ours; see bounded
	owned    owned           // backs ctx
	upstream *Upstream
	op       *Operation
	req      Request
	settings settings
	read     reader

	maxAttempts int
	deadline    time.Time // zero: none
	url         url.URL
	header      http.Header // frozen before attempt 1
	auth        Requirement
	cancel      context.CancelFunc // of ctx; nil: it is the caller's
	token       authorization      // of the attempt at hand
	body        io.ReadCloser      // of the attempt at hand
	delay       time.Duration      // the backoff before the attempt at hand
	late        bool               // the deadline had passed before the call began
	refreshed   bool               // the credential was refreshed once (RULE-STATUS-401)
	done        func(error)        // the breaker's; nil without one
	opened      bool               // an attempt has opened the body

	state    State
	outcome  Outcome
	attempts [1]Attempt // backs outcome.Attempts: most calls need no other
	response *Response  // of the last attempt; nil without one
	received Response   // backs response

	asked      bool            // OnAmbiguous was
	settled    int             // the attempts that did not happen, as it says
	unanswered error           // why it had no answer
	doubt      *AmbiguousError // of a call that happened, as it says

	streamed bool // a 2xx becomes stream
	stream   *StreamResponse
	clock    clock
}

// owner is the key under which the contexts of an upstream's attempts name it
// (RULE-OWNER).
type owner struct{}

// owned is a context of an upstream's attempts.
type owned struct {
	context.Context
	by *Upstream
}

func (o *owned) Value(key any) any {
	if key == (owner{}) {
		return o.by
	}
	return o.Context.Value(key)
}

// begin fills in what a call starts with.
func (c *call) begin(ctx context.Context, u *Upstream, op *Operation, req *Request, opts []CallOption, read reader) {
	c.caller, c.upstream, c.op, c.req, c.read = ctx, u, op, *req, read
	c.settings = collect(opts)
	c.maxAttempts = c.settings.attempts(op)
	if ctx.Value(owner{}) == u {
		c.maxAttempts = 1 // the outer call owns the retries
	}
	c.outcome.Operation, c.outcome.Upstream = op.Name, u.name
	c.outcome.CallID = CallID(u.callCount.Add(1))
	c.outcome.idempotency = op.Idempotency
	c.outcome.Attempts = c.attempts[:0]
}

// run is the whole life of a call, but for the rest of a stream's.
func (c *call) run() error {
	c.setDeadline()
	if err := c.admit(); err != nil {
		defer c.free()
		return c.reject(err)
	}
	defer func() {
		if c.stream == nil {
			c.upstream.drain.leave()
			c.free()
		}
	}()
	err := c.attemptUntilAnswered()
	if c.done != nil {
		c.done(breakerVerdict(&c.outcome, c.heard(err)))
	}
	return err
}

// heard is what the breaker hears: the doubt, where OnAmbiguous has resolved it. Who
// answered that had a call of its own.
func (c *call) heard(err error) error {
	if err == nil && c.doubt != nil {
		return c.doubt
	}
	return err
}

// free gives back what every call holds.
func (c *call) free() {
	if c.cancel != nil {
		c.cancel()
	}
	c.req.Body.finish()
}

func (c *call) attemptUntilAnswered() error {
	for {
		if err := c.to(StateAttempting, 0); err != nil {
			return err
		}
		attempt, err := c.attempt()
		c.outcome.Attempts = append(c.outcome.Attempts, attempt)
		if attempt.succeeded() {
			return c.succeed()
		}
		end := ending{failed: err}
		end.reason, end.stopped = c.goOn(c.decide())
		if end.reason == NoReason {
			continue
		}
		if again, err := c.end(end); !again {
			return err
		}
	}
}

// ending is how a call ends that makes no further attempt.
type ending struct {
	reason  Reason
	failed  error // why the last attempt failed
	stopped error // why a permitted one could not begin
}

// goOn prepares the attempt that a decision permits, or tells why none follows.
func (c *call) goOn(d Decision) (Reason, error) {
	if d.Verdict != Permit {
		return d.Reason, nil
	}
	return c.wait(d)
}

// end ends a call that has failed, unless it is ambiguous and OnAmbiguous can tell
// what happened.
func (c *call) end(e ending) (again bool, err error) {
	c.conclude(e.reason)
	if c.ambiguous() && c.mayAsk() {
		return c.reconcile(e)
	}
	return false, c.fail(e)
}

// setDeadline gives the call the smaller of the contract's, the call's own and
// the context's deadline (RULE-DEADLINE-1).
func (c *call) setDeadline() {
	now := time.Now()
	c.deadline = c.settings.end(c.op, now)
	ctx := c.caller
	if c.streamed {
		ctx = c.startClock(c.deadline)
	}
	if deadline, ok := ctx.Deadline(); ok && (c.deadline.IsZero() || deadline.Before(c.deadline)) {
		c.deadline = deadline
	}
	c.outcome.deadline = c.deadline
	c.late = !c.deadline.IsZero() && !now.Before(c.deadline)
	c.owned = owned{ctx, c.upstream}
	c.ctx = &c.owned
}

// bounded makes the deadline end the call's context. It is for what may block
// outside of attempts, which have contexts of their own; most calls never do.
func (c *call) bounded() context.Context {
	if c.cancel == nil && !c.deadline.IsZero() {
		ctx, cancel := context.WithDeadline(c.caller, c.deadline)
		c.ctx, c.cancel = &owned{ctx, c.upstream}, cancel
	}
	return c.ctx
}

func (c *call) remaining() time.Duration {
	if c.deadline.IsZero() {
		return Unlimited
	}
	return time.Until(c.deadline)
}

// decide takes the situation and asks for a decision. A permit reserves the
// retry's token; if another call took the last one in between, the answer is no.
func (c *call) decide() Decision {
	s := c.situation()
	c.outcome.FailureReason = s.judge(c.op).Reason
	decision := Decide(c.op, &s)
	if decision.Verdict == Permit && !c.upstream.budget.Reserve(c.upstream.now()) {
		return Decision{Reason: BudgetExhausted}
	}
	return decision
}

func (c *call) situation() Situation {
	last := c.last()
	s := Situation{
		Attempts:      len(c.outcome.Attempts),
		MaxAttempts:   c.maxAttempts,
		BudgetSpent:   !c.upstream.budget.Affords(c.upstream.now()),
		Body:          c.req.Body.replayability,
		BodyOpened:    c.opened,
		Draining:      c.upstream.drain.draining(),
		Remaining:     c.remaining(),
		Failure:       last.Failure,
		Evidence:      last.Evidence,
		Status:        last.Status,
		Keyed:         c.outcome.Key != "",
		DidNotHappen:  c.settled == len(c.outcome.Attempts),
		Refreshable:   !c.refreshed && c.auth.refreshable(),
		PreviousDelay: last.Delay,
		Draws:         [2]uint64{rand.Uint64(), rand.Uint64()},
	}
	if c.response != nil {
		s.RetryAfter = parseRetryAfter(c.response.Header, time.Now())
	}
	return s
}

func (c *call) last() *Attempt { return &c.outcome.Attempts[len(c.outcome.Attempts)-1] }

// succeed ends a call whose last attempt brought a whole 2xx.
func (c *call) succeed() error {
	last := c.last()
	c.upstream.budget.Success(c.upstream.since(last.Start.Add(last.Duration)))
	c.conclude(NoReason)
	return c.to(StateDispatched, 0)
}

// fail ends a concluded call that makes no further attempt. Why it stopped (the reason)
// and what is known (the kind of error) are two things: the reason never hides
// that a call ended ambiguous (RULE-AMBIGUOUS).
func (c *call) fail(e ending) error {
	ambiguous := c.ambiguous()
	cancelled := c.cancelled() // asked once: state and error must agree
	if illegal := c.to(c.terminal(e.reason, ambiguous, cancelled), 0); illegal != nil {
		return illegal
	}
	err := c.plainError(cancelled, e.failed, e.stopped)
	if ambiguous {
		return &AmbiguousError{Outcome: c.outcome, Cause: err, Unanswered: c.unanswered}
	}
	return err
}

// ambiguous reports whether neither success nor failure would be true, as far as is
// known.
func (c *call) ambiguous() bool { return endsAmbiguous(c.op, c.open(), c.outcome.Effect) }

// open are the attempts that OnAmbiguous has not settled.
func (c *call) open() []Attempt { return c.outcome.Attempts[c.settled:] }

// terminal is the state in which a call ends that did not succeed.
func (c *call) terminal(reason Reason, ambiguous, cancelled bool) State {
	switch {
	case ambiguous:
		return StateAmbiguous
	case cancelled:
		return StateCancelled
	case reason == BudgetExhausted:
		return StateBudgetExhausted
	case reason == MaxAttemptsReached && c.state != StateBackoffWait:
		return StateTerminalExhausted
	}
	return StateDenied
}

// conclude notes what is known when the call ends.
func (c *call) conclude(reason Reason) {
	o := &c.outcome
	o.Reason = reason
	o.Effect = effect(c.open(), c.op.safelyIdempotent(o.Key != ""))
	if o.Reconciled == Executed {
		o.Effect = Executed
	}
	o.PriorUnknown = priorUnknown(c.open())
	o.Status, o.Header = 0, nil
	if c.response != nil {
		o.Status, o.Header = c.response.StatusCode, c.response.Header
	}
	if len(o.Attempts) > 0 {
		o.KeyExpires = keyExpiry(c.op, o.Key, o.Attempts[0].Start)
	}
	if reason != NoReason || c.settings.report != nil {
		c.detach()
	}
}

// detach gives the outcome attempts of its own: else whoever keeps an error or a
// report keeps the whole call, with its body and its credentials.
func (c *call) detach() { c.outcome.Attempts = append([]Attempt(nil), c.outcome.Attempts...) }

// cancelled reports whether the caller gave up, as opposed to a deadline.
func (c *call) cancelled() bool { return errors.Is(c.caller.Err(), context.Canceled) }

// to moves the call to its next state and tells the observer.
func (c *call) to(next State, delay time.Duration) error {
	from := c.state
	if !next.follows(from) {
		return &TransitionError{Operation: c.op.Name, From: from, To: next}
	}
	c.state = next
	c.outcome.State = next
	if c.upstream.observer != nil {
		c.tell(from, delay)
	}
	return nil
}

func (c *call) tell(from State, delay time.Duration) {
	e := Event{
		Time:      time.Now(),
		Operation: c.op.Name,
		Upstream:  c.upstream.name,
		CallID:    c.outcome.CallID,
		From:      from,
		To:        c.state,
		Attempt:   len(c.outcome.Attempts),
		Evidence:  c.outcome.Evidence(),
		Delay:     delay,
		KeyHash:   c.outcome.KeyHash(),
	}
	if len(c.outcome.Attempts) > 0 {
		e.Status = c.last().Status
	}
	if c.state == StateAttempting {
		e.Attempt++
		e.TokenTaken = e.Attempt > 1
	}
	if c.state.Terminal() {
		e.Reason, e.FailureReason, e.Effect = c.outcome.Reason, c.outcome.FailureReason, c.outcome.Effect
	}
	observe(c.upstream.observer, e)
}
