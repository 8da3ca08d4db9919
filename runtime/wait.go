package runtime

import (
	"context"
	"time"
)

// wait lets the backoff pass and prepares the next attempt. Nothing is held
// meanwhile: no connection, no place in the bulkhead, no response body. Whatever
// ends the call before the attempt begins gives the budget's token back.
func (c *call) wait(d Decision) (Reason, error) {
	reason, err := c.backoff(d)
	if reason != NoReason {
		c.upstream.budget.Cancel(c.upstream.now())
		return reason, err
	}
	if !c.upstream.budget.Commit(c.upstream.now()) {
		c.abandon()
		return BudgetExhausted, nil
	}
	return NoReason, nil
}

func (c *call) backoff(d Decision) (Reason, error) {
	if err := c.to(StateBackoffWait, d.Delay); err != nil {
		return PermanentFailure, err
	}
	if reason := c.sleep(d.Delay); reason != NoReason {
		return reason, nil
	}
	if reason := c.recheck(); reason != NoReason {
		return reason, nil
	}
	if d.Refresh {
		c.refreshed = true
		if err := c.auth.refresh(c.bounded(), c.token.tokens); err != nil {
			return PermanentFailure, err
		}
	}
	if err := c.prepare(); err != nil {
		return c.unprepared(err)
	}
	c.delay = d.Delay
	return NoReason, nil
}

// sleep waits, and wakes early when there is nothing left to wait for. No delay
// is permitted that reaches the deadline.
func (c *call) sleep(delay time.Duration) Reason {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return NoReason
	case <-c.upstream.drain.closed:
		return Draining
	case <-c.ctx.Done():
		return c.contextReason()
	}
}

// recheck looks once more at what may have changed during the wait.
func (c *call) recheck() Reason {
	switch {
	case c.ctx.Err() != nil:
		return c.contextReason()
	case c.upstream.drain.draining():
		return Draining
	case c.remaining() <= c.op.MinAttemptBudget:
		return DeadlineTooNear
	}
	return NoReason
}

// contextReason tells a caller's cancellation from a deadline.
func (c *call) contextReason() Reason {
	if c.cancelled() {
		return PermanentFailure
	}
	return DeadlineTooNear
}

// unprepared is why an attempt after the first could not begin.
func (c *call) unprepared(err *unprepared) (Reason, error) {
	if c.ctx.Err() != nil {
		return c.contextReason(), context.Cause(c.ctx)
	}
	if err.by == ByBulkhead {
		return Rejected, err.cause
	}
	return PermanentFailure, err.cause
}
