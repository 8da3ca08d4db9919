// Package drill reports what a rehearsal of an operation's contract has shown.
package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/simulate"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/runtime"
)

// Report is what drill tells; its JSON is documented in docs/reports.md.
type Report struct {
	Format    int    `json:"format"` // of the JSON; rises when a reader must change
	Package   string `json:"package"`
	Operation string `json:"operation"`
	Request   string `json:"request"`
	At        string `json:"at"`
	Budget    string `json:"budget"`
	Plan      Plan   `json:"plan"`
	Runs      []*Run `json:"runs"`

	plan simulate.Plan
}

// Plan is what was rehearsed, under each of the policies.
type Plan struct {
	Rate      float64  `json:"rate"`
	Processes int      `json:"processes"`
	Length    string   `json:"length"`
	Arrivals  string   `json:"arrivals"`
	Latency   string   `json:"latency"`
	Capacity  string   `json:"capacity"`
	Faults    []string `json:"faults"`
	Seed      uint64   `json:"seed"`
}

// Run is the rehearsal of one policy.
type Run struct {
	Policy        string    `json:"policy"`
	Calls         int       `json:"calls"`
	Successes     int       `json:"successes"`
	Ambiguous     int       `json:"ambiguous"`
	InDoubt       int       `json:"repeated_in_doubt"`
	Attempts      int       `json:"attempts"`
	Retries       int       `json:"retries"`
	Amplification float64   `json:"amplification"`
	Peak          int       `json:"peak"`
	WorstSecond   float64   `json:"worst_second"`
	WorstWindow   float64   `json:"worst_window"`
	Recovered     string    `json:"recovered,omitempty"` // "never"; "" without a fault that ends
	Failures      []Failure `json:"failures"`
	Seconds       []Second  `json:"seconds"`
}

// Failure counts calls that ended without success by what kept them from another
// attempt.
type Failure struct {
	Reason string `json:"reason"`
	Calls  int    `json:"calls"`
}

// Second is a second of a rehearsal.
type Second struct {
	Primary int `json:"primary"`
	Retry   int `json:"retry"`
	Success int `json:"success"`
	// Left is the budget at its end; nil without one.
	Left *int `json:"budget_left,omitempty"`
}

// New rehearses an operation under each of the policies. Contract, budget and
// policy of the plan come from here.
func New(api *spec.API, op *spec.Operation, plan simulate.Plan, policies []simulate.Policy) (*Report, error) {
	plan.Operation, plan.Budget = report.Operation(op), report.Upstream(&api.Upstream)
	r := &Report{
		Format:    1,
		Package:   api.Package,
		Operation: op.Name.Wire,
		Request:   plan.Operation.Route,
		At:        op.Pos.String(),
		Budget:    report.Budget(&api.Upstream),
		Plan:      planned(&plan),
		plan:      plan,
	}
	for _, policy := range policies {
		plan.Policy = policy
		result, err := simulate.Run(plan)
		if err != nil {
			return nil, err
		}
		r.Runs = append(r.Runs, run(policy, &result))
	}
	return r, nil
}

func planned(p *simulate.Plan) Plan {
	told := Plan{
		Rate:      p.Rate,
		Processes: p.Processes,
		Length:    p.Length.String(),
		Arrivals:  string(p.Arrivals),
		Latency:   latency(p.LatencyMin, p.LatencyMax),
		Capacity:  capacity(p.Capacity),
		Faults:    []string{},
		Seed:      p.Seed,
	}
	for _, f := range p.Faults {
		told.Faults = append(told.Faults, fault(f))
	}
	return told
}

func latency(least, most time.Duration) string {
	if least == most {
		return report.Duration(least)
	}
	return report.Duration(least) + " to " + report.Duration(most)
}

func capacity(c simulate.Capacity) string {
	switch {
	case c.Rate == 0:
		return "unlimited"
	case c.Status == 0:
		return fmt.Sprintf("%d requests a second, the rest is queued", c.Rate)
	}
	return fmt.Sprintf("%d requests a second, the rest gets %d", c.Rate, c.Status)
}

func fault(f simulate.Fault) string {
	what := fmt.Sprintf("%d to", f.Status)
	switch f.Kind {
	case simulate.TimeoutFault:
		what = "no answer to"
	case simulate.RefusedFault:
		what = "no connection for"
	}
	return fmt.Sprintf("%s %.4g%% of the requests from %s to %s", what, 100*f.Share, report.Duration(f.From), report.Duration(f.To))
}

func run(policy simulate.Policy, r *simulate.Result) *Run {
	told := &Run{
		Policy:        string(policy),
		Calls:         r.Calls,
		Successes:     r.Successes,
		Ambiguous:     r.Ambiguous,
		InDoubt:       r.RepeatedInDoubt,
		Attempts:      r.Attempts,
		Retries:       r.Retries,
		Amplification: r.Amplification,
		Peak:          r.Peak,
		WorstSecond:   r.WorstSecond,
		WorstWindow:   r.WorstWindow,
		Recovered:     Recovered(r.Recovered),
		Failures:      failures(r.Failures),
	}
	for _, s := range r.Seconds {
		second := Second{Primary: s.Primary, Retry: s.Retry, Success: s.Success}
		if policy == simulate.Contract {
			second.Left = &s.Left
		}
		told.Seconds = append(told.Seconds, second)
	}
	return told
}

// Recovered is the time until a fault has left no trace, in words; "" without a fault
// that ends.
func Recovered(after time.Duration) string {
	switch after {
	case simulate.Never:
		return "never"
	case simulate.NoFault:
		return ""
	}
	return report.Duration(after)
}

// failures are sorted, the most frequent first.
func failures(byReason map[runtime.Reason]int) []Failure {
	list := []Failure{}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		list = append(list, Failure{reason.String(), byReason[reason]})
	}
	slices.SortStableFunc(list, func(a, b Failure) int { return cmp.Compare(b.Calls, a.Calls) })
	return list
}
