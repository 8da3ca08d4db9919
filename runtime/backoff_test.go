package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func backoff(base, most time.Duration, multiplier float64, jitter Jitter) *Operation {
	return &Operation{BackoffBase: base, BackoffMax: most, BackoffMultiplier: multiplier, BackoffJitter: jitter}
}

// TestBackoffCeilings grow and saturate (RULE-BACKOFF-1, RULE-BACKOFF-4).
func TestBackoffCeilings(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		op      *Operation
		attempt int
		want    time.Duration
	}{
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 1, 200 * ms},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 2, 400 * ms},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 3, 800 * ms},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 5, 3 * time.Second},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 30, 3 * time.Second},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 62, 3 * time.Second},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 63, 3 * time.Second},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 64, 3 * time.Second},
		{backoff(100*ms, 3*time.Second, 2, FullJitter), 1_000_000, 3 * time.Second},
		{backoff(100*ms, 5*time.Minute, 10, FullJitter), math.MaxInt, 5 * time.Minute},
		{backoff(100*ms, 3*time.Second, 1.5, FullJitter), 2, 225 * ms},
		{backoff(100*ms, 3*time.Second, 1, FullJitter), 1_000_000, 100 * ms},
		{backoff(100*ms, 100*ms, 2, FullJitter), 1, 100 * ms},
		{backoff(ms, ms, 1, FullJitter), 1, ms},
		// A contract that nobody has checked: never below a millisecond.
		{&Operation{}, 1, ms},
		{&Operation{}, 1_000_000, ms},
		{&Operation{BackoffMax: time.Second, BackoffMultiplier: 10}, 1_000_000, time.Second},
		{backoff(-1, -1, -1, FullJitter), 3, ms},
		{backoff(time.Second, time.Minute, math.NaN(), FullJitter), 1, time.Minute},
		// Decorrelated jitter does not count attempts.
		{backoff(100*ms, 3*time.Second, 2, DecorrelatedJitter), 1_000_000, 300 * ms},
		{&Operation{BackoffJitter: DecorrelatedJitter}, 1, ms},
	} {
		name := fmt.Sprintf("%v %v %v attempt %d", test.op.BackoffBase, test.op.BackoffMax, test.op.BackoffMultiplier, test.attempt)
		highest := test.op.delay(test.attempt, 0, RetryAfter{}, [2]uint64{math.MaxUint64, 0})
		require.Equal(t, test.want, highest, name)
		lowest := test.op.delay(test.attempt, 0, RetryAfter{}, [2]uint64{0, math.MaxUint64})
		require.GreaterOrEqual(t, lowest, ms, name)
		require.LessOrEqual(t, lowest, highest, name)
	}
}

// TestBackoffDecorrelated does not count attempts (RULE-BACKOFF-2).
func TestBackoffDecorrelated(t *testing.T) {
	op := backoff(100*time.Millisecond, 3*time.Second, 2, DecorrelatedJitter)
	for previous, highest := range map[time.Duration]time.Duration{
		0:                      300 * time.Millisecond,
		50 * time.Millisecond:  300 * time.Millisecond,
		100 * time.Millisecond: 300 * time.Millisecond,
		300 * time.Millisecond: 900 * time.Millisecond,
		time.Second:            3 * time.Second,
		time.Hour:              3 * time.Second,
		math.MaxInt64:          3 * time.Second,
	} {
		require.Equal(t, 100*time.Millisecond, op.delay(1, previous, RetryAfter{}, [2]uint64{}), previous)
		require.Equal(t, highest, op.delay(1, previous, RetryAfter{}, [2]uint64{math.MaxUint64}), previous)
	}
}

func TestBackoffRetryAfterIsLowerBound(t *testing.T) {
	op := backoff(100*time.Millisecond, 3*time.Second, 2, FullJitter) // 1 ms to 200 ms
	const middle = uint64(1) << 63
	half := op.delay(1, 0, RetryAfter{}, [2]uint64{middle, 0})
	require.InDelta(t, 100*time.Millisecond, half, float64(time.Millisecond))

	for _, test := range []struct {
		name  string
		after RetryAfter
		draws [2]uint64
		want  time.Duration
	}{
		{"past date", RetryAfter{State: RetryAfterValid}, [2]uint64{middle, middle}, half},
		{"shorter", RetryAfter{State: RetryAfterValid, Delay: half - 1}, [2]uint64{middle, middle}, half},
		{"the same", RetryAfter{State: RetryAfterValid, Delay: half}, [2]uint64{middle, middle}, 2 * half},
		{"longer", RetryAfter{State: RetryAfterValid, Delay: time.Second}, [2]uint64{middle, middle}, time.Second + half},
		{"least on top", RetryAfter{State: RetryAfterValid, Delay: time.Second}, [2]uint64{middle, 0}, time.Second + time.Millisecond},
		{"most on top", RetryAfter{State: RetryAfterValid, Delay: time.Second}, [2]uint64{0, math.MaxUint64}, 1200 * time.Millisecond},
		{"saturated", RetryAfter{State: RetryAfterValid, Delay: math.MaxInt64}, [2]uint64{0, middle}, math.MaxInt64},
		{"malformed", RetryAfter{State: RetryAfterMalformed, Delay: time.Hour}, [2]uint64{middle, middle}, half},
		{"absent", RetryAfter{Delay: time.Hour}, [2]uint64{middle, middle}, half},
	} {
		require.Equal(t, test.want, op.delay(1, 0, test.after, test.draws), test.name)
	}
}

// Draws spread evenly over the whole range: chi-square over 20 cells, with a
// fixed seed, below the value that one fair source in a thousand exceeds.
func TestBackoffDrawsAreUniform(t *testing.T) {
	const draws, cells, critical = 10_000, 20, 43.82
	for name, op := range map[string]*Operation{
		"full":         backoff(100*time.Millisecond, 3*time.Second, 2, FullJitter),
		"decorrelated": backoff(100*time.Millisecond, 3*time.Second, 2, DecorrelatedJitter),
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 11))
			lowest, highest := op.delayRange(2, 200*time.Millisecond)
			var counts [cells]int
			for range draws {
				d := op.delay(2, 200*time.Millisecond, RetryAfter{}, [2]uint64{random.Uint64(), random.Uint64()})
				require.GreaterOrEqual(t, d, lowest)
				require.LessOrEqual(t, d, highest)
				counts[int(d-lowest)*cells/int(highest-lowest+1)]++
			}
			chiSquare := 0.0
			for _, n := range counts {
				difference := float64(n) - draws/cells
				chiSquare += difference * difference / (draws / cells)
			}
			require.Less(t, chiSquare, critical)
		})
	}
}

func TestBackoffDoesNotAllocate(t *testing.T) {
	op := backoff(100*time.Millisecond, 3*time.Second, 2, FullJitter)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		op.delay(3, time.Second, RetryAfter{State: RetryAfterValid, Delay: time.Second}, [2]uint64{1, 2})
	}))
}
