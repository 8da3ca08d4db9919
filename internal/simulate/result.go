package simulate

import (
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Result is what a rehearsal has shown.
type Result struct {
	Calls, Successes  int
	Attempts, Retries int
	// Failures counts the calls without success by what kept them from a further
	// attempt.
	Failures map[runtime.Reason]int
	// Amplification is attempts per call.
	Amplification float64
	// Peak is the largest number of attempts within any second.
	Peak int
	// WorstSecond and WorstWindow are the largest shares of retries in the first
	// attempts of a trailing second and of a trailing window of the budget.
	WorstSecond, WorstWindow float64
	// Recovered is how long after the last fault that ended retries were few again,
	// fewer than one for 200 calls, or than two a second where that is more, on
	// average of every later five seconds. Never, where they were not. Without such a
	// fault it counts from the beginning.
	Recovered time.Duration
	// Seconds are those of the plan. Attempts that come later count in the totals.
	Seconds []Second
}

// Never is the Recovered of a fleet that has not.
const Never time.Duration = -1

// Second is a second of a rehearsal.
type Second struct {
	Primary, Retry int
	// Success is how many of the calls that began in it have succeeded in the end.
	Success int
	// Left is how many retries the processes could still have paid for when it
	// ended; 0 without a budget.
	Left int
}

func (m *meter) result(p *Plan) Result {
	primaries, retries := count(m.attempts)
	r := Result{
		Calls:         primaries,
		Attempts:      len(m.attempts),
		Retries:       retries,
		Failures:      m.failures,
		Amplification: float64(len(m.attempts)) / float64(max(primaries, 1)),
		Peak:          m.peak(),
		WorstSecond:   m.worst(time.Second),
		WorstWindow:   m.worst(p.Budget.BudgetWindow),
		Recovered:     m.recovered(p.Rate, p.FaultEnd(), p.Length),
	}
	for at := time.Duration(0); at < p.Length; at += time.Second {
		second := Second{Success: m.sent[at/time.Second]}
		second.Primary, second.Retry = count(m.between(at, min(at+time.Second, p.Length)))
		if i := int(at / time.Second); i < len(m.left) {
			second.Left = m.left[i]
		}
		r.Seconds = append(r.Seconds, second)
	}
	for _, n := range m.sent {
		r.Successes += n
	}
	return r
}
