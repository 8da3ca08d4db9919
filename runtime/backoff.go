package runtime

import (
	"math"
	"math/bits"
	"time"
)

// shortestDelay makes a retry without a wait impossible (RULE-BACKOFF-3).
const shortestDelay = time.Millisecond

// delay is the wait after the given attempt has failed, counted from 1
// (RULE-BACKOFF). previous is the wait before that attempt, 0 before the first;
// draws are uniform over all 64 bits. A valid Retry-After is a lower bound: the
// second draw on top of it keeps the clients that were told the same instant
// apart (RULE-RETRY-AFTER-4).
func (op *Operation) delay(attempt int, previous time.Duration, retryAfter RetryAfter, draws [2]uint64) time.Duration {
	lowest, highest := op.delayRange(attempt, previous)
	drawn := uniform(lowest, highest, draws[0])
	if retryAfter.State != RetryAfterValid || retryAfter.Delay < drawn {
		return drawn
	}
	return addSaturating(retryAfter.Delay, uniform(lowest, highest, draws[1]))
}

// delayRange is what the delay is drawn from, both ends included.
func (op *Operation) delayRange(attempt int, previous time.Duration) (lowest, highest time.Duration) {
	if op.BackoffJitter == DecorrelatedJitter {
		lowest = max(op.BackoffBase, shortestDelay)
		previous = max(previous, lowest)
		highest = min(op.BackoffMax, addSaturating(previous, addSaturating(previous, previous)))
	} else {
		lowest, highest = shortestDelay, op.ceiling(attempt)
	}
	return lowest, max(lowest, highest)
}

// ceiling is base * multiplier^attempt, at most BackoffMax: the power may
// overflow to infinity, which is above any maximum, and 0 * infinity is no
// number, which is below none.
func (op *Operation) ceiling(attempt int) time.Duration {
	grown := float64(op.BackoffBase) * math.Pow(op.BackoffMultiplier, float64(attempt))
	if grown < float64(op.BackoffMax) {
		return time.Duration(grown)
	}
	return op.BackoffMax
}

// uniform maps a draw to [lowest, highest]. The bias is below 2^-22: the range
// spans less than 2^42 nanoseconds (BackoffMax is at most five minutes).
func uniform(lowest, highest time.Duration, draw uint64) time.Duration {
	offset, _ := bits.Mul64(draw, uint64(highest-lowest)+1)
	return lowest + time.Duration(offset)
}

// addSaturating adds two durations that are not negative.
func addSaturating(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
