package report

import (
	"math"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// OrUnlimited is a duration of a contract, of which 0 means that there is no limit.
func OrUnlimited(d time.Duration) time.Duration {
	if d == 0 {
		return runtime.Unlimited
	}
	return d
}

// Plus adds, up to Unlimited.
func Plus(a, b time.Duration) time.Duration {
	if a > runtime.Unlimited-b {
		return runtime.Unlimited
	}
	return a + b
}

// Answer is what the engine decides of a situation, with the bounds of the delay
// where it permits another attempt.
type Answer struct {
	Situation runtime.Situation
	Decision  runtime.Decision // with the shortest delay
	Longest   time.Duration
	Cut       bool // the deadline ends the call before the longest delays
}

// Ask asks the engine, with lucky and unlucky draws. previous is
// the longest delay that may have come before.
func Ask(op *runtime.Operation, row Row, attempt int, previous time.Duration) Answer {
	s := row.After(op, attempt)
	s.PreviousDelay = previous
	a := Answer{Situation: s}
	if row.Succeeded() {
		return a // nothing is decided
	}
	a.Decision = runtime.Decide(op, &s)
	if a.Decision.Verdict != runtime.Permit {
		return a
	}
	for _, s.Draws = range unlucky {
		d := runtime.Decide(op, &s)
		if d.Verdict != runtime.Permit {
			a.Longest, a.Cut = s.Remaining-op.MinAttemptBudget, true
			break
		}
		a.Longest = max(a.Longest, d.Delay)
	}
	return a
}

// unlucky are draws of the longest delay: the longest itself, or the shortest,
// which a Retry-After exceeds, and on top of that the longest (RULE-RETRY-AFTER-4).
var unlucky = [...][2]uint64{{math.MaxUint64, math.MaxUint64}, {0, math.MaxUint64}}

// Waits are the longest delays after each attempt but the last, of attempt n at n;
// at 0 there is none. With asked, an upstream may have asked for a delay
// (Retry-After).
func Waits(op *runtime.Operation, asked bool) []time.Duration {
	waits := make([]time.Duration, max(op.MaxAttempts, 1))
	rows := Rows(op)
	for attempt := 1; attempt < len(waits); attempt++ {
		for _, row := range rows {
			if asked || row.RetryAfter.State == runtime.RetryAfterAbsent {
				waits[attempt] = max(waits[attempt], Ask(op, row, attempt, waits[attempt-1]).Longest)
			}
		}
	}
	return waits
}
