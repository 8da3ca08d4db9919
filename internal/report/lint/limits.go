package lint

import (
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
)

// leastDelay is the shortest wait before a second attempt (RULE-BACKOFF).
func leastDelay(c spec.Contract) time.Duration {
	if c.BackoffJitter.V == spec.DecorrelatedJitter {
		return c.BackoffBase.V
	}
	return time.Millisecond
}

// noSecondAttempt: even after an attempt that failed at once the least delay and
// the minimum attempt budget do not fit (RULE-DECIDE-DELAY).
func noSecondAttempt(op *spec.Operation, say say) {
	if c := op.Contract; neverFits(c) {
		say(spec.Nearer(c.MinAttemptBudget, c.Deadline), "up to %d attempts, of which the second never fits: a delay of at least %s and a min-attempt-budget of %s exceed the deadline of %s",
			c.MaxAttempts.V, report.Duration(leastDelay(c)), report.Duration(c.MinAttemptBudget.V), report.Duration(c.Deadline.V))
	}
}

func neverFits(c spec.Contract) bool {
	return c.MaxAttempts.V > 1 && c.MinAttemptBudget.V < c.Deadline.V && leastDelay(c)+c.MinAttemptBudget.V >= c.Deadline.V
}

// deadlineTooNear: after an attempt that timed out no second one fits.
func deadlineTooNear(op *spec.Operation, say say) {
	c := op.Contract
	if c.MaxAttempts.V == 1 || c.Deadline.V == 0 || c.AttemptTimeout.V == 0 || !safely(op) || neverFits(c) {
		return
	}
	if left := c.Deadline.V - c.AttemptTimeout.V; left > 0 && left <= c.MinAttemptBudget.V+c.BackoffBase.V {
		say(spec.Nearer(c.AttemptTimeout, c.Deadline), "an attempt that times out leaves %s of the deadline of %s; a backoff of about %s and a min-attempt-budget of %s do not fit",
			report.Duration(left), report.Duration(c.Deadline.V), report.Duration(c.BackoffBase.V), report.Duration(c.MinAttemptBudget.V))
	}
}

// noAttemptTimeout: a provider that hangs takes the whole deadline.
func noAttemptTimeout(op *spec.Operation, say say) {
	c := op.Contract
	if c.MaxAttempts.V > 1 && c.Deadline.V > 0 && c.AttemptTimeout.V == 0 && safely(op) {
		say(c.Deadline.Pos, "a deadline of %s without an attempt-timeout: an attempt that hangs leaves no time for a second", report.Duration(c.Deadline.V))
	}
}

// noTimeLimit: nothing ends the wait for the head of a response.
func noTimeLimit(op *spec.Operation, say say) {
	if c := op.Contract; c.Deadline.V == 0 && c.AttemptTimeout.V == 0 {
		say(c.Deadline.Pos, "deadline none without an attempt-timeout: a provider that never answers is waited for without end")
	}
}

// budgetAboveTimeout: a further attempt is given up that would have had all the
// time that it may take.
func budgetAboveTimeout(op *spec.Operation, say say) {
	c := op.Contract
	if c.AttemptTimeout.V > 0 && c.MinAttemptBudget.V > c.AttemptTimeout.V && c.MaxAttempts.V > 1 {
		say(spec.Nearer(c.MinAttemptBudget, c.AttemptTimeout), "min-attempt-budget is %s, and an attempt takes %s at most", report.Duration(c.MinAttemptBudget.V), report.Duration(c.AttemptTimeout.V))
	}
}

func retryAfterBeyondDeadline(op *spec.Operation, say say) {
	c := op.Contract
	if c.RetryAfterMax.Origin != spec.FromDefault && c.Deadline.V > 0 && c.RetryAfterMax.V > c.Deadline.V {
		say(spec.Nearer(c.RetryAfterMax, c.Deadline), "retry-after max is %s, and the call ends after %s", report.Duration(c.RetryAfterMax.V), report.Duration(c.Deadline.V))
	}
}
