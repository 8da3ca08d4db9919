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
	// Ambiguous is how many of them neither succeeded nor failed for sure.
	Ambiguous int
	// RepeatedInDoubt counts the calls of which another attempt was sent when nobody
	// could know what the one before has done, though doing it twice is not the same as
	// once.
	RepeatedInDoubt int
	// Amplification is attempts per call.
	Amplification float64
	// Peak is the largest number of attempts within any second.
	Peak int
	// WorstSecond and WorstWindow are the largest shares of retries in the first
	// attempts of a trailing second and of a trailing window of the budget.
	WorstSecond, WorstWindow float64
	// Recovered is how long after the last fault that ended it has left no trace: in
	// each later five seconds no more than one call in twenty fails, and retries are fewer
	// than one for 200 calls, or than two a second where that is more. Never, where it
	// has left one until the end, and NoFault without such a fault.
	Recovered time.Duration
	// Seconds are those of the plan. Attempts that come later count in the totals.
	Seconds []Second
}

// What Recovered is where it is no time.
const (
	Never   time.Duration = -1
	NoFault time.Duration = -2
)

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
	all := count(m.attempts)
	r := Result{
		Calls:           all.primaries,
		Successes:       all.successes,
		Attempts:        len(m.attempts),
		Retries:         all.retries,
		Failures:        m.failures,
		Ambiguous:       m.ambiguous,
		RepeatedInDoubt: m.repeatedInDoubt,
		Amplification:   float64(len(m.attempts)) / float64(max(all.primaries, 1)),
		Peak:            m.peak(),
		WorstSecond:     m.worst(time.Second),
		WorstWindow:     m.worst(p.Budget.BudgetWindow),
		Recovered:       NoFault,
	}
	if end := p.FaultEnd(); end > 0 {
		r.Recovered = m.recovered(p.Rate, end, p.Length)
	}
	for at := time.Duration(0); at < p.Length; at += time.Second {
		in := count(m.between(at, at+time.Second))
		second := Second{Primary: in.primaries, Retry: in.retries, Success: in.successes}
		if p.Policy == Contract {
			second.Left = m.left[at/time.Second]
		}
		r.Seconds = append(r.Seconds, second)
	}
	return r
}
