package fleet

import (
	"time"

	"github.com/retrygen/retrygen/internal/simulate"
)

// Report is what the rehearsals have shown.
type Report struct {
	Scenarios []Scenario
	Sizes     []Size
	Floors    []Floor
}

// Scenario is one kind of trouble, under each of the policies.
type Scenario struct {
	Name, Words string
	Length      time.Duration
	Faults      []simulate.Fault
	Runs        []Run
}

// Run is one policy.
type Run struct {
	Policy simulate.Policy
	simulate.Result
}

// Size is a total outage before the same calls, made by so many processes.
type Size struct {
	Processes int
	simulate.Result
}

// Floor is a total outage before processes that make so many calls a second, with a
// floor of their budgets.
type Floor struct {
	PerProcess float64
	Floor      int
	// Bound is what the retries per call of a window can be at most.
	Bound float64
	simulate.Result
}

// Rehearse rehearses everything.
func Rehearse() (Report, error) {
	var r Report
	for _, s := range scenarios() {
		told := Scenario{Name: s.Name, Words: s.Words, Length: s.plan.Length, Faults: s.plan.Faults}
		for _, policy := range simulate.Policies() {
			s.plan.Policy = policy
			result, err := simulate.Run(s.plan)
			if err != nil {
				return Report{}, err
			}
			told.Runs = append(told.Runs, Run{policy, result})
		}
		r.Scenarios = append(r.Scenarios, told)
	}
	for _, n := range []int{1, 10, 100, processes} {
		p := outage(0)
		p.Processes = n
		result, err := simulate.Run(p)
		if err != nil {
			return Report{}, err
		}
		r.Sizes = append(r.Sizes, Size{n, result})
	}
	for _, perProcess := range []float64{0.1, 1, 5} {
		for _, floor := range []int{0, 1, 10, 100} {
			p := outage(floor)
			p.Rate = perProcess * processes
			result, err := simulate.Run(p)
			if err != nil {
				return Report{}, err
			}
			r.Floors = append(r.Floors, Floor{perProcess, floor, bound(perProcess, floor), result})
		}
	}
	return r, nil
}
