package report_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/explain"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
	"github.com/retrygen/retrygen/runtime"
)

// drawn is a value of a random contract, said by somebody.
func drawn[T any](t *rapid.T, name string, values ...T) spec.Value[T] {
	v := spec.Value[T]{V: rapid.SampledFrom(values).Draw(t, name)}
	if line := rapid.IntRange(0, 9).Draw(t, name+" line"); line > 0 {
		v.Origin, v.Pos = spec.FromOperation, source.Pos{File: "openapi.yaml", Line: line, Col: 3}
	}
	return v
}

// drawContract is a random contract that a document could declare.
func drawContract(t *rapid.T) spec.Contract {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	c := spec.Contract{
		Idempotency:         drawn(t, "idempotency", spec.Undeclared, spec.NotIdempotent, spec.Idempotent, spec.IdempotentByKey),
		Replayability:       drawn(t, "replayability", spec.NoBody, spec.Replayable, spec.Reopenable, spec.OneShot),
		Transient500:        drawn(t, "500", false, true),
		TransientStatuses:   drawn(t, "transient", []int{}, []int{500}, []int{503, 520}, []int{520}),
		DeniedStatuses:      drawn(t, "denied", []int{}, []int{204, 429}, []int{401, 408, 503}, []int{500, 520}, []int{404}),
		MaxAttempts:         drawn(t, "attempts", 1, 2, 3, 5),
		Deadline:            drawn(t, "deadline", 0, ms(500), 2*time.Second, 10*time.Second, time.Hour),
		AttemptTimeout:      drawn(t, "timeout", 0, ms(50), ms(400)),
		MinAttemptBudget:    drawn(t, "minimum", ms(1), ms(100), ms(400)),
		BackoffBase:         drawn(t, "base", ms(1), ms(100), ms(900)),
		BackoffMax:          drawn(t, "max", ms(900), 3*time.Second, 5*time.Minute),
		BackoffMultiplier:   drawn(t, "multiplier", 1.0, 1.5, 10.0),
		BackoffJitter:       drawn(t, "jitter", spec.FullJitter, spec.DecorrelatedJitter),
		RetryAfterMax:       drawn(t, "retry-after", ms(200), time.Second, 10*time.Second, 2*time.Hour),
		RetryAfterMalformed: drawn(t, "malformed", spec.IgnoreMalformed, spec.DenyMalformed),
	}
	if c.Idempotency.V == spec.IdempotentByKey {
		c.Key.Header = drawn(t, "header", "Idempotency-Key", "X-Key")
		c.Key.Template = drawn(t, "template", "", "pay-{id}")
		c.Key.Retention = drawn(t, "retention", 0, 24*time.Hour)
	}
	return c
}

func apiOf(contracts ...spec.Contract) *spec.API {
	api := &spec.API{Package: "pay", Title: "Pay", Version: "1"}
	api.Upstream.BudgetWindow.V = time.Minute
	for i, c := range contracts {
		name := "op" + string(rune('a'+i))
		api.Operations = append(api.Operations, &spec.Operation{Name: spec.Name{Wire: name, Go: "Op" + name}, Method: "GET", Route: "/" + name, Contract: c})
	}
	return api
}

// cellOf is a cell as a program reads it.
type cellOf struct {
	Attempt     int
	Evidence    string
	Failure     string
	Status      int
	Keyed       bool
	Body        string
	BodyOpened  bool `json:"body_opened"`
	Refreshable bool
	RetryAfter  struct{ State, Delay string } `json:"retry_after"`
	Previous    string                        `json:"previous_delay"`
	Remaining   string
	Verdict     string
	Reason      string
	Refresh     bool
	Shortest    string
	Longest     string
	Cut         bool `json:"cut_by_deadline"`
	Rules       []string
	Because     []explain.Value
}

// explainedCells are the cells of each operation, read back from the JSON.
func explainedCells(t require.TestingT, api *spec.API) [][]cellOf {
	out, err := report.JSON(&explain.Report{Format: 1, Packages: []*explain.Package{explain.New(api, api.Operations)}})
	require.NoError(t, err)
	var read struct {
		Packages []struct {
			Operations []struct{ Cells []cellOf }
		}
	}
	require.NoError(t, json.Unmarshal(out, &read))
	var cells [][]cellOf
	for _, op := range read.Packages[0].Operations {
		cells = append(cells, op.Cells)
	}
	return cells
}

// parsed is the constant whose word this is.
func parsed[E interface {
	~uint8
	String() string
}](t require.TestingT, word string) E {
	for e := E(0); e < 20; e++ {
		if e.String() == word {
			return e
		}
	}
	require.Fail(t, "no such word", word)
	return 0
}

func duration(t require.TestingT, text string) time.Duration {
	if text == "unlimited" {
		return runtime.Unlimited
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

func (c *cellOf) situation(t require.TestingT, op *runtime.Operation) runtime.Situation {
	return runtime.Situation{
		Attempts:      c.Attempt,
		MaxAttempts:   op.MaxAttempts,
		Body:          parsed[runtime.Replayability](t, c.Body),
		BodyOpened:    c.BodyOpened,
		Remaining:     duration(t, c.Remaining),
		Failure:       parsed[runtime.Failure](t, c.Failure),
		Evidence:      parsed[runtime.Evidence](t, c.Evidence),
		Status:        c.Status,
		Keyed:         c.Keyed,
		Refreshable:   c.Refreshable,
		PreviousDelay: duration(t, c.Previous),
		RetryAfter: runtime.RetryAfter{
			State: runtime.RetryAfterState(slices.Index([]string{"absent", "valid", "malformed"}, c.RetryAfter.State)),
			Delay: duration(t, c.RetryAfter.Delay),
		},
	}
}

// TestGridIsWhatTheEngineDecides: cell by cell, as read from the JSON.
func TestGridIsWhatTheEngineDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		api := apiOf(drawContract(t))
		op := report.Operation(api.Operations[0])
		attempts := map[int]bool{}
		for _, c := range explainedCells(t, api)[0] {
			attempts[c.Attempt] = true
			s := c.situation(t, op)
			if c.Evidence == "ResponseReceived" && c.Failure == "NoFailure" && c.Status/100 == 2 {
				require.Equal(t, "success", c.Verdict)
				continue
			}
			lucky := runtime.Decide(op, &s)
			require.Equal(t, map[runtime.Verdict]string{runtime.Permit: "permit", runtime.Denied: "denied", runtime.Ambiguous: "ambiguous"}[lucky.Verdict], c.Verdict, "%+v", c)
			require.Equal(t, lucky.Reason.String(), c.Reason)
			require.Equal(t, lucky.Refresh, c.Refresh)
			require.Equal(t, lucky.Delay, duration(t, c.Shortest))
			if lucky.Verdict != runtime.Permit {
				require.Equal(t, "0s", c.Longest)
				continue
			}
			cut, longest := false, time.Duration(0)
			for _, s.Draws = range [][2]uint64{{0, 0}, {0, math.MaxUint64}, {math.MaxUint64, 0}, {math.MaxUint64, math.MaxUint64}} {
				extreme := runtime.Decide(op, &s)
				cut = cut || extreme.Verdict != runtime.Permit
				longest = max(longest, extreme.Delay)
			}
			require.Equal(t, cut, c.Cut)
			if !c.Cut {
				require.Equal(t, longest, duration(t, c.Longest))
			}
			require.NotEmpty(t, c.Rules)
		}
		require.Len(t, attempts, op.MaxAttempts)
	})
}

// TestDelaysAreWithinTheBounds of the grid, whatever is drawn, also after an
// upstream has asked for a long delay.
func TestDelaysAreWithinTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		api := apiOf(drawContract(t))
		op := report.Operation(api.Operations[0])
		cells := explainedCells(t, api)[0]
		var previous time.Duration
		for attempt := 1; attempt < op.MaxAttempts; attempt++ {
			at := slices.DeleteFunc(slices.Clone(cells), func(c cellOf) bool { return c.Attempt != attempt || c.Verdict != "permit" })
			if len(at) == 0 {
				return
			}
			c := rapid.SampledFrom(at).Draw(t, "cell")
			s := c.situation(t, op)
			s.PreviousDelay = previous
			s.Draws = [2]uint64{rapid.Uint64().Draw(t, "draw"), rapid.Uint64().Draw(t, "draw")}
			d := runtime.Decide(op, &s)
			if d.Verdict != runtime.Permit {
				return // drawn beyond the deadline
			}
			require.GreaterOrEqual(t, d.Delay, duration(t, c.Shortest))
			require.LessOrEqual(t, d.Delay, duration(t, c.Longest))
			previous = d.Delay
		}
	})
}

var everyStatus = func() (list []int) {
	for status := 500; status < 600; status++ {
		list = append(list, status)
	}
	return list
}()

// variations are other values of each key.
var variations = map[string][]func(*spec.Contract){
	report.Idempotent: {
		func(c *spec.Contract) { c.Idempotency.V = spec.Idempotent },
		func(c *spec.Contract) { c.Idempotency.V = spec.NotIdempotent },
	},
	report.Replayability: {func(c *spec.Contract) { c.Replayability.V = spec.Replayable }, func(c *spec.Contract) { c.Replayability.V = spec.OneShot }},
	report.Transient500:  {func(c *spec.Contract) { c.Transient500.V = !c.Transient500.V }},
	report.Transient: {
		func(c *spec.Contract) { c.TransientStatuses.V = nil },
		func(c *spec.Contract) {
			c.TransientStatuses.V = everyStatus
		},
	},
	report.Statuses:      {func(c *spec.Contract) { c.DeniedStatuses.V = nil }},
	report.MaxAttempts:   {func(c *spec.Contract) { c.MaxAttempts.V = 9 }},
	report.Deadline:      {func(c *spec.Contract) { c.Deadline.V = 0 }},
	report.RetryAfterMax: {func(c *spec.Contract) { c.RetryAfterMax.V = 1 }, func(c *spec.Contract) { c.RetryAfterMax.V = 9 * time.Hour }},
	report.Malformed:     {func(c *spec.Contract) { c.RetryAfterMalformed.V = 1 - c.RetryAfterMalformed.V }},
}

// TestCausesAreTrue: of a value that is said to be the cause, another one makes
// another decision, or another reason. Where none is said, only the number of
// attempts, a denied status and the deadline can change what is decided.
func TestCausesAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contract := drawContract(t)
		api := apiOf(contract)
		for _, c := range explainedCells(t, api)[0] {
			said := map[string]bool{}
			for _, v := range c.Because {
				said[v.Key] = true
			}
			for key, others := range variations {
				if c.Verdict == "success" || key == report.MaxAttempts && !said[key] || key == report.Deadline && !said[key] || c.Reason == "MaxAttempts" && !said[key] {
					continue
				}
				changed := slices.ContainsFunc(others, func(change func(*spec.Contract)) bool {
					return decidedOtherwise(t, contract, &c, change) || said[key] && (c.Verdict != "permit" || said[report.Transient500] && said[report.Transient]) && slices.ContainsFunc(c.Because, func(v explain.Value) bool {
						return slices.ContainsFunc(variations[v.Key], func(too func(*spec.Contract)) bool { // both stand in the way, or both register a status
							return decidedOtherwise(t, contract, &c, func(c *spec.Contract) { too(c); change(c) })
						})
					})
				})
				if key == report.Statuses && said[key] { // asked first: a later rule may deny the same status
					require.Contains(t, contract.DeniedStatuses.V, c.Status)
				} else if said[key] {
					require.True(t, changed, "%s is no cause of %+v", key, c)
				} else if len(said) == 0 && key != report.Replayability {
					require.False(t, changed, "%s is a cause of %+v", key, c)
				}
			}
		}
	})
}

// decidedOtherwise reports whether a change of the contract changes the answer to
// a situation.
func decidedOtherwise(t require.TestingT, contract spec.Contract, c *cellOf, change func(*spec.Contract)) bool {
	before := report.Operation(apiOf(contract).Operations[0])
	change(&contract)
	after := report.Operation(apiOf(contract).Operations[0])
	s := c.situation(t, before)
	old := runtime.Decide(before, &s)
	s.MaxAttempts, s.Body, s.Keyed = after.MaxAttempts, after.Replayability, after.Idempotency == runtime.IdempotentByKey
	if after.Deadline == 0 {
		s.Remaining = runtime.Unlimited
	}
	changed := runtime.Decide(after, &s)
	return old.Verdict != changed.Verdict || old.Reason != changed.Reason || old.Refresh != changed.Refresh || old.Delay != changed.Delay
}

// TestExplanationOfAHostileDocument: no text of a document is markup or controls
// anything, in any format.
func TestExplanationOfAHostileDocument(t *testing.T) {
	const evil = "<img src=x onerror=alert(1)>|`@all`\x1b[31m\u202e\u009b\n# x http://evil.example"
	contract := spec.Contract{Idempotency: spec.Value[spec.Idempotency]{V: spec.IdempotentByKey}}
	contract.Key.Header.V, contract.Key.Template.V = "X|`Y`", "<b>|@all-{id}"
	api := apiOf(contract)
	api.Title = evil
	api.Upstream.Name.V = evil
	op := api.Operations[0]
	op.Name.Wire, op.Route, op.Pos.File = evil, "/"+evil, evil
	r := &explain.Report{Format: 1, Packages: []*explain.Package{explain.New(api, api.Operations)}}

	html, err := r.HTML()
	require.NoError(t, err)
	require.NotContains(t, string(html), "<img")
	require.NotContains(t, string(html), "<b>")
	encoded, err := report.JSON(r)
	require.NoError(t, err)
	for format, text := range map[string]string{"text": string(r.Text(false)), "markdown": string(r.Markdown()), "json": string(encoded), "html": string(html)} {
		require.Equal(t, source.Printable(text), text, format)
		require.NotContains(t, text, "\n# x", format)
	}
	for line := range strings.Lines(string(r.Markdown())) {
		prose := line
		for _, span := range []string{"`", "<code>"} { // what is left outside of code
			for strings.Contains(prose, span) {
				before, rest, _ := strings.Cut(prose, span)
				_, after, closed := strings.Cut(rest, strings.Replace(span, "<", "</", 1))
				require.True(t, closed, line)
				prose = before + after
			}
		}
		require.NotContains(t, prose, "<", line)
		require.NotContains(t, prose, "@", line)
		require.NotContains(t, prose, "http:", line)
		if strings.HasPrefix(line, "|") {
			cells(t, line)
		}
	}
	require.Contains(t, string(r.Text(true)), "\x1b[")
	require.NotContains(t, string(r.Text(false)), "\x1b")
}
