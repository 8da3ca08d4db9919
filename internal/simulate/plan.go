// Package simulate rehearses a fleet of clients against an upstream in trouble,
// without a clock, a network or goroutines: time is that of the events, and the
// same plan gives the same result. Every process has a ledger of its own, and every
// further attempt is decided by [runtime.Decide]; nothing that they decide is told a
// second time here. Whether a call ends ambiguous is, as the engine tells nobody
// before it has made the call.
//
// What a call waits for before its first attempt is left out: connections, the
// bulkhead, credentials and a breaker. What an upstream asks for in Retry-After is,
// too, and what a [runtime.OnAmbiguous] answers.
package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Plan is what is rehearsed.
type Plan struct {
	// Operation is the contract of the calls, and Budget that of their upstream: of
	// it the retry budget counts alone.
	Operation *runtime.Operation
	Budget    runtime.UpstreamContract
	Policy    Policy

	// Processes share the calls evenly: Rate a second for Length, whatever becomes
	// of them.
	Processes int
	Rate      float64
	Length    time.Duration
	Arrivals  Arrivals

	// An answer takes LatencyMin to LatencyMax.
	LatencyMin, LatencyMax time.Duration
	Capacity               Capacity
	// Faults are what requests meet. One that overlaps with another strikes what
	// that one has spared.
	Faults []Fault

	Seed uint64
}

// Policy is how further attempts are decided.
type Policy string

const (
	// Contract is the operation's, under the budget: what a generated client does.
	Contract Policy = "contract"
	// NoBudget is the operation's without the budget.
	NoBudget Policy = "no-budget"
	// Naive is a loop around a call: as many attempts as the contract has, three at
	// least, after any failure and without a pause. Each has all of the time, as nothing
	// bounds the loop: the attempt timeout, or the deadline where there is none.
	Naive Policy = "naive"
)

// Policies are all of them.
func Policies() []Policy { return []Policy{Contract, NoBudget, Naive} }

// Arrivals is when calls begin.
type Arrivals string

const (
	// Poisson: independently of each other, each in any process.
	Poisson Arrivals = "poisson"
	// Even: at equal distances, process after process.
	Even Arrivals = "even"
	// Synchronized: all calls of a second in its first instant.
	Synchronized Arrivals = "synchronized"
)

// AllArrivals are all of them.
func AllArrivals() []Arrivals { return []Arrivals{Poisson, Even, Synchronized} }

// Capacity is how many requests a second the upstream works on, faults aside.
type Capacity struct {
	Rate int // 0: any number
	// Status answers what exceeds it. 0: it waits in a queue, and the upstream does
	// the work even where the client has given up meanwhile.
	Status int
}

// Fault is a trouble of the upstream: Share of the requests from From until To, and
// until the last call has ended if the plan ends then.
type Fault struct {
	Kind     FaultKind
	Status   int // of StatusFault
	Share    float64
	From, To time.Duration
}

// FaultKind is what becomes of a request.
type FaultKind uint8

const (
	// StatusFault answers with a status.
	StatusFault FaultKind = iota
	// TimeoutFault swallows the request: no answer ever comes.
	TimeoutFault
	// RefusedFault refuses the connection: nothing was sent.
	RefusedFault
)

// The plans that are taken on: each call takes memory, and each process time for
// every second.
const (
	leastRate          = 0.001
	mostCalls          = 5_000_000
	mostProcesses      = 10_000
	mostProcessSeconds = 10_000_000
	mostCapacity       = 1_000_000
	mostFaults         = 100
	longest            = 24 * time.Hour
)

// check reports everything that makes no sense.
func (p *Plan) check() error {
	_, budget := p.ledger()
	return errors.Join(append(p.checkTime(), budget,
		unless(p.Processes >= 1 && p.Processes <= mostProcesses, "%d processes; permitted are 1 to %d", p.Processes, mostProcesses),
		unless(p.Rate >= leastRate, "a rate of %v calls a second; permitted are %v and more", p.Rate, leastRate),
		unless(p.LatencyMin >= 0 && p.LatencyMin <= p.LatencyMax && p.LatencyMax <= longest, "a latency of %v to %v; permitted are 0s to 24h, the smaller one first", p.LatencyMin, p.LatencyMax),
		unless(p.Capacity.Rate == 0 || p.Capacity.Rate >= 1 && p.Capacity.Rate <= mostCapacity, "a capacity of %d requests a second; permitted are 1 to %d", p.Capacity.Rate, mostCapacity),
		unless(p.Capacity.Status == 0 || fails(p.Capacity.Status), "status %d of what exceeds the capacity; permitted are 400 to 599", p.Capacity.Status),
		unless(slices.Contains(Policies(), p.Policy), "policy %q; expected one of %v", p.Policy, Policies()),
		unless(slices.Contains(AllArrivals(), p.Arrivals), "arrivals %q; expected one of %v", p.Arrivals, AllArrivals()),
		unless(p.Capacity.Rate == 0 || p.Capacity.Status != 0 || p.ends(), "a queue, and "+endless, p.Operation.Name))...)
}

// endless is what attempts without an answer make of an operation's calls.
const endless = "%s has neither a deadline nor an attempt timeout: its calls would never end; give it an attempt-timeout in x-retry"

// checkTime looks at what lies in the time of the plan. Without a length that makes
// sense nothing else does.
func (p *Plan) checkTime() (errs []error) {
	if p.Length < recoverySpan || p.Length > longest || p.Length%time.Second != 0 {
		return []error{fmt.Errorf("a length of %v; permitted are whole seconds, from %v to 24h", p.Length, recoverySpan)}
	}
	if len(p.Faults) > mostFaults {
		return []error{fmt.Errorf("%d faults; at most %d are rehearsed", len(p.Faults), mostFaults)}
	}
	seconds := p.Length.Seconds()
	errs = append(errs,
		unless(p.Length >= p.FaultEnd()+recoverySpan, "a length of %v, and the last fault ends at %v; at least %v more show whether its end is noticed", p.Length, p.FaultEnd(), recoverySpan),
		unless(!(p.Rate*seconds > mostCalls), "%.0f calls; at most %d are rehearsed: lower the rate or the length", p.Rate*seconds, mostCalls),
		unless(p.Processes > mostProcesses || p.Processes*int(seconds) <= mostProcessSeconds, "%d processes for %v; at most %d seconds of processes are rehearsed: take fewer of them, or a shorter length", p.Processes, p.Length, mostProcessSeconds))
	for _, f := range p.Faults {
		errs = append(errs,
			unless(f.Share > 0 && f.Share <= 1, "a fault of %v%% of the requests; permitted are more than 0%% and up to 100%%", 100*f.Share),
			unless(f.Kind != StatusFault || fails(f.Status), "a fault of status %d; permitted are 400 to 599", f.Status),
			unless(f.From >= 0 && f.From < f.To && f.To <= p.Length, "a fault from %v to %v; it must lie within the %v of the plan", f.From, f.To, p.Length),
			unless(f.Kind != TimeoutFault || p.ends(), "a fault without an answer, and "+endless, p.Operation.Name))
	}
	return errs
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func fails(status int) bool { return status >= 400 && status <= 599 }

// ends reports whether attempts end that have no answer.
func (p *Plan) ends() bool {
	return p.Operation.Deadline != runtime.NoDeadline || p.Operation.AttemptTimeout != runtime.NoTimeout
}

// Constant reports whether a fault is there all the time.
func (p *Plan) Constant(f Fault) bool { return f.From == 0 && f.To == p.Length }

// FaultEnd is when the last fault ends that does not last as long as the plan:
// such a one is no trouble that the upstream recovers from. It is 0 without one.
func (p *Plan) FaultEnd() (end time.Duration) {
	for _, f := range p.Faults {
		if f.To < p.Length {
			end = max(end, f.To)
		}
	}
	return end
}
