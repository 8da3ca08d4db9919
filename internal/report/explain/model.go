// Package explain shows what the client does after each way in which an attempt
// of an operation can fail, and which annotation is the cause.
package explain

import (
	"cmp"
	"fmt"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/runtime"
)

// Report is what explain tells; its JSON is documented in docs/reports.md.
type Report struct {
	Format   int        `json:"format"` // of the JSON; rises when a reader must change
	Packages []*Package `json:"packages"`
}

// Package is one generated package.
type Package struct {
	Name       string       `json:"package"`
	Title      string       `json:"title"`
	Version    string       `json:"version"`
	Upstream   []Value      `json:"upstream"`
	Budget     string       `json:"budget"`
	Operations []*Operation `json:"operations"`
}

// Value is one value of a contract and who said it.
type Value struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	By    string `json:"said_by"` // "default", "document", "operation" or "configuration"
	At    string `json:"at,omitempty"`
}

// Operation is the decision table of one operation.
type Operation struct {
	Name     string   `json:"operation"`
	Method   string   `json:"method"` // in Go
	Request  string   `json:"request"`
	At       string   `json:"at"`
	Contract []Value  `json:"contract"`
	Words    []string `json:"words"`
	Attempts int      `json:"attempts"` // at most
	Deadline string   `json:"deadline"` // "none" without one
	Longest  string   `json:"longest"`  // from the start of its first attempt to the end of its last; "unlimited"
	Timeline Timeline `json:"timeline"`
	Cells    []*Cell  `json:"cells"`

	rows              []gridRow
	deadline, reserve time.Duration
}

// Cell is one situation and its answer.
type Cell struct {
	Answer      string     `json:"answer"` // the situation in words, without the attempt
	Attempt     int        `json:"attempt"`
	Evidence    string     `json:"evidence"`
	Failure     string     `json:"failure"`
	Status      int        `json:"status"`
	StandsFor   string     `json:"stands_for,omitempty"`
	Keyed       bool       `json:"keyed"`
	Body        string     `json:"body"`
	BodyOpened  bool       `json:"body_opened"`
	Refreshable bool       `json:"refreshable"`
	RetryAfter  RetryAfter `json:"retry_after"`
	Previous    string     `json:"previous_delay"`
	Remaining   string     `json:"remaining"` // "unlimited" without a deadline

	Verdict  string   `json:"verdict"` // "permit", "denied", "ambiguous" or "success"
	Reason   string   `json:"reason"`
	Refresh  bool     `json:"refresh"`
	Shortest string   `json:"shortest"`
	Longest  string   `json:"longest"`
	Cut      bool     `json:"cut_by_deadline"`
	Rules    []string `json:"rules"`
	Because  []Value  `json:"because"`

	least, most time.Duration
}

// RetryAfter is what the response asks for.
type RetryAfter struct {
	State string `json:"state"` // "absent", "valid" or "malformed"
	Delay string `json:"delay"`
}

var retryAfterStates = []string{"absent", "valid", "malformed"}

// New explains operations of a package.
func New(api *spec.API, operations []*spec.Operation) *Package {
	p := &Package{
		Name:       api.Package,
		Title:      api.Title,
		Version:    api.Version,
		Upstream:   values(report.UpstreamValues(&api.Upstream)),
		Budget:     report.Budget(&api.Upstream),
		Operations: make([]*Operation, len(operations)),
	}
	for i, op := range operations {
		p.Operations[i] = explained(op)
	}
	return p
}

func explained(op *spec.Operation) *Operation {
	contract := report.Operation(op)
	e := &Operation{
		Name:     op.Name.Wire,
		Method:   op.Name.Go,
		Request:  contract.Route,
		At:       op.Pos.String(),
		Attempts: max(contract.MaxAttempts, 1),
		Deadline: limit(contract.Deadline, "none"),
		Timeline: timeline(contract),
		deadline: contract.Deadline,
		reserve:  contract.MinAttemptBudget,
	}
	said := report.Values(&op.Contract)
	for _, v := range said {
		if op.Contract.Idempotency.V != spec.IdempotentByKey && (v.Key == report.KeyHeader || v.Key == report.KeyTemplate || v.Key == report.KeyRetention) {
			continue
		}
		if !op.Contract.OnAmbiguous.V && (v.Key == report.OnAmbiguous || v.Key == report.AskTime) {
			continue
		}
		e.Contract = append(e.Contract, shown(v))
	}
	waits := report.Waits(contract, true) // whatever the upstream asks for
	for _, row := range report.Rows(contract) {
		for attempt := 1; attempt <= e.Attempts; attempt++ {
			e.Cells = append(e.Cells, cell(contract, row, attempt, waits[attempt-1], said))
		}
	}
	e.Longest = limit(longest(contract, waits), "unlimited")
	e.rows = grid(e.Cells, e.Attempts)
	e.Words = words(op, e)
	return e
}

func cell(op *runtime.Operation, row report.Row, attempt int, previous time.Duration, said []report.Value) *Cell {
	a := report.Ask(op, row, attempt, previous)
	rules, keys := cause(op, row, attempt, a.Decision)
	c := &Cell{
		Answer:      row.Name(),
		Attempt:     attempt,
		Evidence:    row.Evidence.String(),
		Failure:     row.Failure.String(),
		Status:      row.Status,
		StandsFor:   row.StandsFor,
		Keyed:       a.Situation.Keyed,
		Body:        a.Situation.Body.String(),
		BodyOpened:  row.BodyOpened,
		Refreshable: row.Refreshable,
		RetryAfter:  RetryAfter{retryAfterStates[row.RetryAfter.State], row.RetryAfter.Delay.String()},
		Previous:    previous.String(),
		Remaining:   limit(op.Deadline, "unlimited"),
		Verdict:     verdict(row, a.Decision),
		Reason:      a.Decision.Reason.String(),
		Refresh:     a.Decision.Refresh,
		Shortest:    a.Decision.Delay.String(),
		Longest:     a.Longest.String(),
		Cut:         a.Cut,
		Rules:       rules,
		Because:     []Value{},
		least:       a.Decision.Delay,
		most:        a.Longest,
	}
	for _, v := range said {
		for _, key := range keys {
			if v.Key == key {
				c.Because = append(c.Because, shown(v))
			}
		}
	}
	return c
}

func verdict(row report.Row, d runtime.Decision) string {
	switch {
	case d.Verdict == runtime.Permit:
		return "permit"
	case d.Verdict == runtime.Ambiguous:
		return "ambiguous"
	case row.Succeeded():
		return "success"
	}
	return "denied"
}

var origins = []string{"default", "document", "operation", "configuration"}

func values(list []report.Value) []Value {
	all := make([]Value, len(list))
	for i, v := range list {
		all[i] = shown(v)
	}
	return all
}

func shown(v report.Value) Value {
	return Value{Key: v.Key, Value: v.Text, By: origins[v.Origin], At: v.At.String()}
}

// String is a value as the cause of a decision.
func (v Value) String() string {
	return fmt.Sprintf("%s: %s (%s)", v.Key, v.Value, cmp.Or(v.At, v.By))
}

// limit is a duration, or a word where there is none.
func limit(d time.Duration, none string) string {
	if d == 0 || d == runtime.Unlimited {
		return none
	}
	return d.String()
}
