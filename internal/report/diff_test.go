package report_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/diff"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
	"github.com/retrygen/retrygen/runtime"
)

// drawChange is two contracts that share most of their values.
func drawChange(t *rapid.T) (before, after spec.Contract) {
	before, other := drawContract(t), drawContract(t)
	after = before
	for _, take := range []func(){
		func() { after.Idempotency, after.Key = other.Idempotency, other.Key },
		func() { after.Replayability = other.Replayability },
		func() { after.Transient500 = other.Transient500 },
		func() { after.TransientStatuses = other.TransientStatuses },
		func() { after.DeniedStatuses = other.DeniedStatuses },
		func() { after.MaxAttempts = other.MaxAttempts },
		func() { after.Deadline = other.Deadline },
		func() { after.AttemptTimeout = other.AttemptTimeout },
		func() { after.MinAttemptBudget = other.MinAttemptBudget },
		func() { after.BackoffBase = other.BackoffBase },
		func() { after.BackoffMax = other.BackoffMax },
		func() { after.BackoffMultiplier = other.BackoffMultiplier },
		func() { after.BackoffJitter = other.BackoffJitter },
		func() { after.RetryAfterMax = other.RetryAfterMax },
		func() { after.RetryAfterMalformed = other.RetryAfterMalformed },
	} {
		if rapid.IntRange(0, 6).Draw(t, "change") == 0 {
			take()
		}
	}
	return before, after
}

func side(contracts ...spec.Contract) *diff.Side {
	api := apiOf(contracts...)
	return &diff.Side{API: api, Signatures: make([]diff.Signature, len(api.Operations))}
}

// compared is the difference of two contracts of one operation.
func compared(before, after spec.Contract) *diff.Report {
	return &diff.Report{Packages: []*diff.Package{diff.New(side(before), side(after))}}
}

// everySituation calls visit with all that an attempt can end in, with nothing
// left out that Decide looks at and that a contract could have a say in.
func everySituation(limits []time.Duration, visit func(s runtime.Situation)) {
	headers := []runtime.RetryAfter{{}, {State: runtime.RetryAfterMalformed}}
	for _, limit := range limits {
		for _, delay := range []time.Duration{limit - 1, limit, limit + 1} {
			headers = append(headers, runtime.RetryAfter{State: runtime.RetryAfterValid, Delay: delay})
		}
	}
	for attempt := 1; attempt <= 5; attempt++ {
		for flags := range 4 {
			s := runtime.Situation{Attempts: attempt, BodyOpened: flags&1 > 0, Refreshable: flags&2 > 0, Remaining: runtime.Unlimited}
			for failure := runtime.NoFailure; failure <= runtime.CallerCancelled; failure++ {
				s.Failure, s.RetryAfter = failure, runtime.RetryAfter{}
				for _, s.Evidence = range []runtime.Evidence{runtime.NotSent, runtime.SentNoResponse} {
					s.Status = 0
					visit(s)
				}
				if failure > runtime.TransportFailure {
					continue // Decide looks at no more
				}
				s.Evidence = runtime.PartialResponse
				if failure == runtime.NoFailure {
					s.Evidence = runtime.ResponseReceived
				}
				for s.Status = 200; s.Status < 600; s.Status++ {
					if s.Evidence == runtime.ResponseReceived && s.Status < 300 {
						continue // a success
					}
					for _, s.RetryAfter = range headers {
						visit(s)
						if s.Status != 429 && s.Status != 503 {
							break
						}
					}
				}
			}
		}
	}
}

func decide(op *runtime.Operation, s runtime.Situation) runtime.Decision {
	s.MaxAttempts, s.Body, s.Keyed = op.MaxAttempts, op.Replayability, op.Idempotency == runtime.IdempotentByKey
	return runtime.Decide(op, &s)
}

// sendsMore is the definition of loosened, spelled out a second time.
func sendsMore(before, after *runtime.Operation) bool {
	more := false
	everySituation([]time.Duration{before.RetryAfterMax, after.RetryAfterMax}, func(s runtime.Situation) {
		more = more || decide(after, s).Verdict == runtime.Permit && decide(before, s).Verdict != runtime.Permit
	})
	if before.KeyHeader != after.KeyHeader || before.KeyTemplate != after.KeyTemplate || before.KeyRetention != after.KeyRetention {
		return true
	}
	if more || after.MaxAttempts < 2 { // nothing is repeated, so nothing sooner
		return more
	}
	finite := func(d time.Duration) time.Duration {
		if d == 0 {
			return math.MaxInt64
		}
		return d
	}
	shrinks := after.BackoffMultiplier < before.BackoffMultiplier
	if before.BackoffJitter == runtime.DecorrelatedJitter {
		shrinks = shrinks && after.BackoffJitter == runtime.FullJitter
	}
	return after.MaxAttempts > before.MaxAttempts ||
		after.RetryAfterMax > before.RetryAfterMax ||
		after.MinAttemptBudget < before.MinAttemptBudget ||
		after.BackoffBase < before.BackoffBase || after.BackoffMax < before.BackoffMax || shrinks ||
		after.BackoffJitter < before.BackoffJitter ||
		finite(after.AttemptTimeout) < finite(before.AttemptTimeout) ||
		finite(after.Deadline) > finite(before.Deadline) && endedBy(after, finite(before.Deadline))
}

// endedBy reports whether a call of an operation can be ended by a deadline with
// attempts left: each takes as long as it may, and so does each delay.
func endedBy(op *runtime.Operation, deadline time.Duration) bool {
	if op.AttemptTimeout == 0 {
		return true
	}
	var elapsed, previous time.Duration
	for attempt := 1; attempt < op.MaxAttempts; attempt++ {
		var longest time.Duration
		for _, status := range []int{0, 408, 429, 503} {
			for _, asked := range []time.Duration{0, op.RetryAfterMax} {
				s := runtime.Situation{Attempts: attempt, Status: status, Evidence: runtime.ResponseReceived, Remaining: runtime.Unlimited, PreviousDelay: previous, Draws: [2]uint64{math.MaxUint64, math.MaxUint64}}
				if status == 0 {
					s.Evidence = runtime.NotSent
				}
				if asked > 0 {
					s.RetryAfter = runtime.RetryAfter{State: runtime.RetryAfterValid, Delay: asked}
				}
				longest = max(longest, decide(op, s).Delay)
			}
		}
		elapsed, previous = elapsed+op.AttemptTimeout+longest, longest
		if deadline-elapsed <= op.MinAttemptBudget {
			return true
		}
	}
	return false
}

// TestLoosenedExactlyWhenMoreMayBeSent: the verdict on two contracts is that of
// all situations and named values.
func TestLoosenedExactlyWhenMoreMayBeSent(t *testing.T) {
	found := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawChange(t)
		more := sendsMore(report.Operation(apiOf(before).Operations[0]), report.Operation(apiOf(after).Operations[0]))
		found[more]++
		r := compared(before, after)
		require.Equal(t, more, r.Has(diff.Loosened), "%s", r.Text(false))
		for _, op := range r.Packages[0].Operations { // the operation is what its changes are
			loosened := slices.ContainsFunc(op.Contract, func(c diff.Change) bool { return c.Class == diff.Loosened })
			require.Equal(t, loosened, op.Class == diff.Loosened)
			for _, c := range op.Contract {
				require.NotEmpty(t, c.Effects, c.Key)
			}
		}
	})
	require.Greater(t, found[true], 5)
	require.Greater(t, found[false], 5)
}

// TestTightenedIsLoosenedBackwards, but for the key: any other one is loosened in
// both directions.
func TestTightenedIsLoosenedBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawChange(t)
		after.Idempotency, after.Key = before.Idempotency, before.Key
		require.Equal(t, compared(after, before).Has(diff.Loosened), compared(before, after).Has(diff.Tightened))
	})
}

func TestNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContract(t)
		again := c
		again.MaxAttempts.Origin, again.MaxAttempts.Pos.Line = spec.FromDocument, 77 // said elsewhere
		r := compared(c, again)
		require.False(t, r.Has(""))
		require.Empty(t, r.Packages[0].Operations)
	})
}

func TestDifferencesOfUpstreams(t *testing.T) {
	usual := spec.Upstream{}
	usual.Name.V, usual.BudgetRatio.V, usual.BudgetWindow.V, usual.BudgetMinPerWindow.V = "pay", 0.1, time.Minute, 10
	tests := map[string]struct {
		change func(u *spec.Upstream)
		want   []diff.Class // forwards, and backwards
	}{
		"ratio":       {func(u *spec.Upstream) { u.BudgetRatio.V = 0.2 }, []diff.Class{diff.Loosened, diff.Tightened}},
		"floor":       {func(u *spec.Upstream) { u.BudgetMinPerWindow.V = 11 }, []diff.Class{diff.Loosened, diff.Tightened}},
		"deposit":     {func(u *spec.Upstream) { u.BudgetDeposit.V = spec.DepositSuccess }, []diff.Class{diff.Tightened, diff.Loosened}},
		"window":      {func(u *spec.Upstream) { u.BudgetWindow.V = time.Hour }, []diff.Class{diff.Loosened, diff.Loosened}}, // bursts, or floors
		"name":        {func(u *spec.Upstream) { u.Name.V = "other" }, []diff.Class{diff.Neutral, diff.Neutral}},
		"connections": {func(u *spec.Upstream) { u.MaxConnections.V = 9 }, []diff.Class{diff.Neutral, diff.Neutral}},
		"pool":        {func(u *spec.Upstream) { u.AcquireTimeout.V = 9 }, []diff.Class{diff.Neutral, diff.Neutral}},
		"bulkhead":    {func(u *spec.Upstream) { u.MaxConcurrent.V = 9 }, []diff.Class{diff.Neutral, diff.Neutral}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := side(), side()
			before.API.Upstream, after.API.Upstream = usual, usual
			test.change(&after.API.Upstream)
			for i, sides := range [][2]*diff.Side{{before, after}, {after, before}} {
				changes := diff.New(sides[0], sides[1]).Upstream
				require.Len(t, changes, 1)
				require.Equal(t, test.want[i], changes[0].Class)
			}
		})
	}
}

// TestDeadlineThatLetsMoreAttemptsFit: a longer deadline sends more only where the
// old one ended calls.
func TestDeadlineThatLetsMoreAttemptsFit(t *testing.T) {
	c := spec.Contract{}
	c.Idempotency.V, c.MaxAttempts.V, c.AttemptTimeout.V, c.MinAttemptBudget.V = spec.Idempotent, 2, time.Second, 100*time.Millisecond
	c.BackoffBase.V, c.BackoffMax.V, c.BackoffMultiplier.V, c.RetryAfterMax.V = 100*time.Millisecond, time.Second, 2, 500*time.Millisecond
	// An attempt, the longest delay (Retry-After and a draw), and the least time
	// that must be left.
	const enough = time.Second + 500*time.Millisecond + 200*time.Millisecond + 100*time.Millisecond
	for old, want := range map[time.Duration]diff.Class{enough: diff.Loosened, enough + 1: diff.Neutral} {
		before, after := c, c
		before.Deadline.V, after.Deadline.V = old, time.Minute
		require.Equal(t, want, diff.New(side(before), side(after)).Operations[0].Class, "%s", old)
		backwards := map[diff.Class]diff.Class{diff.Loosened: diff.Tightened, diff.Neutral: diff.Neutral}
		require.Equal(t, backwards[want], diff.New(side(after), side(before)).Operations[0].Class, "%s", old)
		before.Deadline.V += 2*time.Second - 1
		for patience, want := range map[time.Duration]diff.Class{0: diff.Loosened, time.Second: diff.Loosened, time.Second - 1: diff.Neutral} {
			crowded := [2]*diff.Side{side(before), side(after)}
			for _, s := range crowded { // both attempts wait for a place, with no end or for a time
				s.API.Upstream.MaxConcurrent.V, s.API.Upstream.BulkheadAcquireTimeout.V = 1, patience
			}
			require.Equal(t, want, diff.New(crowded[0], crowded[1]).Operations[0].Class, "%s %s", old, patience)
		}
	}
}

// TestEffectsOfSingleChanges: each value that changes alone, what it is called
// and what it means.
func TestEffectsOfSingleChanges(t *testing.T) {
	usual := spec.Contract{}
	usual.Idempotency.V, usual.Replayability.V = spec.IdempotentByKey, spec.Replayable
	usual.Key.Header.V, usual.Key.Template.V, usual.Key.Retention.V = "Idempotency-Key", "pay-{id}", time.Hour
	usual.MaxAttempts.V, usual.Deadline.V, usual.AttemptTimeout.V, usual.MinAttemptBudget.V = 3, 10*time.Second, time.Second, 100*time.Millisecond
	usual.ReconcileTimeout.V = 5 * time.Second
	usual.BackoffBase.V, usual.BackoffMax.V, usual.BackoffMultiplier.V, usual.RetryAfterMax.V = 100*time.Millisecond, 3*time.Second, 2, 2*time.Second
	tests := map[string]struct {
		change func(c *spec.Contract)
		class  diff.Class
		words  string // of the first effect
	}{
		report.KeyHeader:     {func(c *spec.Contract) { c.Key.Header.V = "X" }, diff.Loosened, "A retry across the deployment bears another key, so what was done under the old one may be done again."},
		report.KeyTemplate:   {func(c *spec.Contract) { c.Key.Template.V = "" }, diff.Loosened, "A retry across the deployment bears another key, so what was done under the old one may be done again."},
		report.KeyRetention:  {func(c *spec.Contract) { c.Key.Retention.V = 1 }, diff.Loosened, "A key is used for another time: runtime.Replay after the upstream has forgotten it does it again."},
		report.Replayability: {func(c *spec.Contract) { c.Replayability.V = spec.OneShot }, diff.Tightened, "After 401 with a refreshable credential, not sent (body opened), no response (body opened), 2xx cut short (body opened), 408 (body opened), 425 (body opened), 429 (body opened), 502 (body opened), 503 (body opened), 504 (body opened), a request is now denied; it could be repeated before."},
		report.Transient500:  {func(c *spec.Contract) { c.Transient500.V = true }, diff.Loosened, "After 500, a request may now be repeated; it was denied before."},
		report.Transient:     {func(c *spec.Contract) { c.TransientStatuses.V = []int{520} }, diff.Loosened, "After 520, a request may now be repeated; it was denied before."},
		report.Statuses:      {func(c *spec.Contract) { c.DeniedStatuses.V = []int{404, 503} }, diff.Tightened, "After 503, a request is now denied; it could be repeated before."},
		report.MaxAttempts:   {func(c *spec.Contract) { c.MaxAttempts.V = 5 }, diff.Loosened, "A call makes up to 5 attempts, and 3 before."},
		report.Deadline:      {func(c *spec.Contract) { c.Deadline.V = 5 * time.Second }, diff.Tightened, "Slow calls have no time any more for attempts that did fit before."},
		report.AttemptTime:   {func(c *spec.Contract) { c.AttemptTimeout.V = 0 }, diff.Tightened, "An attempt is given up later, and leaves less time for another."},
		report.MinBudget:     {func(c *spec.Contract) { c.MinAttemptBudget.V = time.Millisecond }, diff.Loosened, "A further attempt begins with more than 1ms left, and with more than 100ms before."},
		report.BackoffBase:   {func(c *spec.Contract) { c.BackoffBase.V = time.Second }, diff.Tightened, "Delays grow from 1s, and from 100ms before."},
		report.BackoffMax:    {func(c *spec.Contract) { c.BackoffMax.V = time.Second }, diff.Loosened, "Delays are drawn up to 1s, and up to 3s before."},
		report.Multiplier:    {func(c *spec.Contract) { c.BackoffMultiplier.V = 1.5 }, diff.Loosened, "Delays grow by 1.5, and by 2 before."},
		report.Jitter:        {func(c *spec.Contract) { c.BackoffJitter.V = spec.DecorrelatedJitter }, diff.Tightened, "Delays are drawn from the base, and from 1ms before."},
		report.RetryAfterMax: {func(c *spec.Contract) { c.RetryAfterMax.V = 3 * time.Second }, diff.Loosened, "A Retry-After of up to 3s is waited for, and of up to 2s before."},
		report.Malformed:     {func(c *spec.Contract) { c.RetryAfterMalformed.V = spec.DenyMalformed }, diff.Tightened, "After 429 with a malformed Retry-After, 503 with a malformed Retry-After, a request is now denied; it could be repeated before."},
		report.OnAmbiguous:   {func(c *spec.Contract) { c.OnAmbiguous.V = true }, diff.Loosened, "From now on an ambiguous call is repeated where its OnAmbiguous answers that nothing happened."},
		report.AskTime:       {func(c *spec.Contract) { c.ReconcileTimeout.V = time.Second }, diff.Neutral, "It bounds how long OnAmbiguous may take to find out what happened."},
	}
	for key, test := range tests {
		t.Run(key, func(t *testing.T) {
			changed := usual
			test.change(&changed)
			changes := compared(usual, changed).Packages[0].Operations[0].Contract
			require.Len(t, changes, 1)
			require.Equal(t, key, changes[0].Key)
			require.Equal(t, test.class, changes[0].Class)
			require.Equal(t, diff.Effect{Class: test.class, Words: test.words}, changes[0].Effects[0])
		})
	}
	require.Len(t, tests, len(report.Values(&usual))-1) // idempotency has more than one

	unsafe := usual
	unsafe.Idempotency.V, unsafe.Key = spec.NotIdempotent, spec.Key{}
	changes := compared(unsafe, usual).Packages[0].Operations[0].Contract
	require.Equal(t, report.Idempotent, changes[0].Key)
	require.Equal(t, []diff.Effect{
		{Class: diff.Loosened, Words: "After no response, 502, 503, 504, a request may now be repeated; it was ambiguous before."},
		{Class: diff.Loosened, Words: "After 2xx cut short, 401 with a refreshable credential, a request may now be repeated; it was denied before."},
		{Class: diff.Neutral, Words: "After 503 with Retry-After 3s, a request is now denied; it was ambiguous before."},
	}, changes[0].Effects)
}

// TestBothLoosenedAndTightened: loosened wins, and both are told.
func TestBothLoosenedAndTightened(t *testing.T) {
	before := spec.Contract{}
	before.Idempotency.V, before.MaxAttempts.V = spec.Idempotent, 2
	after := before
	before.DeniedStatuses.V, after.DeniedStatuses.V = []int{408}, []int{429}
	r := compared(before, after)
	require.True(t, r.Has(diff.Loosened))
	require.True(t, r.Has(diff.Tightened))
	require.Equal(t, diff.Loosened, r.Packages[0].Operations[0].Class)
	require.Len(t, r.Packages[0].Operations[0].Contract[0].Effects, 2)
}

// TestCallSites: what a caller must change is told apart from retries.
func TestCallSites(t *testing.T) {
	before, after := side(spec.Contract{}, spec.Contract{}, spec.Contract{}), side(spec.Contract{}, spec.Contract{}, spec.Contract{})
	before.API.Operations[1].Name.Wire, after.API.Operations[1].Name.Wire = "old id", "new id" // one request
	after.API.Operations[2].Name.Wire, after.API.Operations[2].Route = "another", "/another"
	before.Signatures[0] = diff.Signature{Method: "Get", Arguments: []string{"a string", "b string"}, Params: []string{"Limit *int64", "Sort string", "Same bool"},
		Body: []string{"Name string, required", "Tag *string", "Same bool"}, Result: "error"}
	after.Signatures[0] = diff.Signature{Method: "Fetch", Arguments: []string{"b string", "a string"}, Params: []string{"Limit int64", "Page string", "Same bool"},
		Body: []string{"Tag string, required", "Owner string, required", "Note *string", "Same bool"}, Result: "(*Pet, error)"}
	operations := diff.New(before, after).Operations
	told := map[string][]string{}
	for _, op := range operations {
		told[op.Name] = append(told[op.Name], op.Kind)
		require.Equal(t, diff.Neutral, op.Class)
		require.Empty(t, op.Contract)
		for _, c := range op.Signature {
			told[op.Name] = append(told[op.Name], c.Key+": "+c.Old+" -> "+c.New)
		}
	}
	require.Equal(t, map[string][]string{
		"opa": {"changed", "method: Get -> Fetch", "arguments: a string, b string -> b string, a string", "result: error -> (*Pet, error)",
			"params.Limit: Limit *int64 -> Limit int64", "params.Sort: Sort string -> none", "params.Page: none -> Page string",
			"body.Name: Name string, required -> none", "body.Tag: Tag *string -> Tag string, required",
			"body.Owner: none -> Owner string, required", "body.Note: none -> Note *string"},
		"new id":  {"changed", "operationId: old id -> new id"},
		"opc":     {"removed"},
		"another": {"added"},
	}, told)
	r := &diff.Report{Packages: []*diff.Package{diff.New(before, after)}}
	require.True(t, r.Has(""))
	require.False(t, r.Has(diff.Loosened) || r.Has(diff.Tightened))
}

// TestDifferenceOfHostileDocuments: no text of a document is markup or controls
// anything.
func TestDifferenceOfHostileDocuments(t *testing.T) {
	const evil = "<img src=x>|`@all`\x1b[31m\u202e\u009b\n# x\\|"
	contract := spec.Contract{Idempotency: spec.Value[spec.Idempotency]{V: spec.IdempotentByKey}}
	contract.Key.Header.V, contract.Key.Template.V = "X|`Y`", "<b>|@all-{id}"
	before, after := side(spec.Contract{}, spec.Contract{}), side(contract)
	for _, s := range []*diff.Side{before, after} {
		s.Prefix = evil + ":"
		for _, op := range s.API.Operations {
			op.Name.Wire += evil
			op.Route += evil
			op.Contract.Key.Template.Pos.File = evil
		}
	}
	before.API.Upstream.Name.V, after.Signatures[0].Result = evil, "*Pet"
	r := &diff.Report{Old: evil, New: evil, Packages: []*diff.Package{diff.New(before, after)}}
	encoded, err := report.JSON(r)
	require.NoError(t, err)
	for format, text := range map[string]string{"text": string(r.Text(false)), "markdown": string(r.Markdown()), "json": string(encoded)} {
		require.Equal(t, source.Printable(text), text, format)
		require.NotContains(t, text, "\n# x", format)
	}
	rows := 0
	for line := range strings.Lines(string(r.Markdown())) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		require.Len(t, cells(t, line), 4, line)
		require.NotContains(t, regexp.MustCompile("<code>[^<]*</code>|`[^`]*`|<br>").ReplaceAllString(line, ""), "<", line)
		require.NotContains(t, line, "@", line)
	}
	require.Greater(t, rows, 8)
	require.Contains(t, string(r.Text(true)), "\x1b[1;31mloosened")
}
