package simulate

import (
	"math"
	"math/rand/v2"
	"time"
)

// arrivals are the calls of a plan in the order in which they begin.
type arrivals struct {
	plan   *Plan
	random *rand.Rand
	number int // of the next
	at     time.Duration
}

func newArrivals(p *Plan) *arrivals {
	a := &arrivals{plan: p, random: stream(p.Seed, 1)}
	if p.Arrivals == Poisson {
		a.at = a.gap()
	}
	return a
}

// more reports whether another call begins before the plan ends.
func (a *arrivals) more() bool { return a.at < a.plan.Length }

// next is the process of the call that begins at a.at.
func (a *arrivals) next() (process int) {
	process = a.number % a.plan.Processes
	a.number++
	switch a.plan.Arrivals {
	case Poisson:
		process = a.random.IntN(a.plan.Processes)
		a.at += a.gap()
	case Even:
		a.at = time.Duration(math.Round(float64(a.number) / a.plan.Rate * float64(time.Second)))
	case Synchronized:
		a.at = time.Duration(float64(a.number)/a.plan.Rate) * time.Second
	}
	return process
}

// gap is the time between two calls that know nothing of each other.
func (a *arrivals) gap() time.Duration {
	return time.Duration(a.random.ExpFloat64() / a.plan.Rate * float64(time.Second))
}

// stream is one of several independent sources of random numbers.
func stream(seed, number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, number)) //nolint:gosec // nothing secret is drawn
}
