// Package fleet rehearses a thousand processes before one upstream, each with a
// retry budget of its own, and tells what they do to it together.
package fleet

import (
	"time"

	"github.com/retrygen/retrygen/internal/simulate"
	"github.com/retrygen/retrygen/runtime"
)

// What all rehearsals have in common.
const (
	processes = 1000
	rate      = 1000 // calls a second of all of them
	ratio     = 0.1
	window    = time.Minute
	attempts  = 3
)

// scenario is one kind of trouble.
type scenario struct {
	Name  string
	Words string
	plan  simulate.Plan
}

// scenarios are those of the first table. Their upstream can work on thirteen requests
// for ten calls, and queues what is more.
func scenarios() []scenario {
	const begin, end, length = 60 * time.Second, 180 * time.Second, 200 * time.Second
	trouble := func(f simulate.Fault, change func(*simulate.Plan)) simulate.Plan {
		p := plan(0)
		p.Length = length
		p.Capacity = simulate.Capacity{Rate: rate * 13 / 10}
		p.Faults = []simulate.Fault{f}
		change(&p)
		return p
	}
	same := func(*simulate.Plan) {}
	return []scenario{
		{"partial outage", "503 to 60% of the requests",
			trouble(simulate.Fault{Status: 503, Share: 0.6, From: begin, To: end}, same)},
		{"total outage", "503 to all requests",
			trouble(simulate.Fault{Status: 503, Share: 1, From: begin, To: end}, same)},
		{"stall", "no answer to any request for ten seconds",
			trouble(simulate.Fault{Kind: simulate.TimeoutFault, Share: 1, From: begin, To: begin + 10*time.Second}, same)},
		{"cold start", "all processes begin at once, in a partial outage",
			trouble(simulate.Fault{Status: 503, Share: 0.6, From: 0, To: end - begin}, func(p *simulate.Plan) { p.Length = length - begin })},
		{"synchronized", "all processes send in the first instant of each second, in a partial outage",
			trouble(simulate.Fault{Status: 503, Share: 0.6, From: begin, To: end}, func(p *simulate.Plan) { p.Arrivals = simulate.Synchronized })},
	}
}

// plan is a fleet whose upstream is well, with a floor of the budget of each
// process (min-per-window).
func plan(floor int) simulate.Plan {
	return simulate.Plan{
		Operation: &runtime.Operation{
			Name: "getPet", Route: "GET /pets/{id}", Idempotency: runtime.Idempotent,
			MaxAttempts: attempts, Deadline: 10 * time.Second, AttemptTimeout: time.Second, MinAttemptBudget: 100 * time.Millisecond,
			BackoffBase: 100 * time.Millisecond, BackoffMax: 3 * time.Second, BackoffMultiplier: 2, RetryAfterMax: 10 * time.Second,
		},
		Budget:    runtime.UpstreamContract{BudgetRatio: ratio, BudgetWindow: window, BudgetMinPerWindow: floor},
		Policy:    simulate.Contract,
		Processes: processes, Rate: rate, Length: 150 * time.Second, Arrivals: simulate.Poisson,
		LatencyMin: 20 * time.Millisecond, LatencyMax: 30 * time.Millisecond,
		Seed: 1,
	}
}

// outage lasts longer than a window of the budget, and begins when the ledgers are
// full. Calls come at even distances, so that a process makes the same number of
// them in every window.
func outage(floor int) simulate.Plan {
	p := plan(floor)
	p.Arrivals = simulate.Even
	p.Faults = []simulate.Fault{{Status: 503, Share: 1, From: 61 * time.Second, To: 141 * time.Second}}
	return p
}

// bound is how many retries there can be for a call in any window, where each
// process makes so many calls a second (RULE-BUDGET-1). Below the ratio it is the
// ledgers' floors that add up: the contract's, and that of the second, which is one.
func bound(perProcess float64, floor int) float64 {
	calls := perProcess * window.Seconds()
	return min(attempts-1, max(ratio, min(float64(floor), window.Seconds())/calls))
}
