package runtime

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testdata/decisions.tsv is the decision table as data: conditions, and the
// answer of the first row whose conditions all hold. A condition is a list of
// values (a|b), all but a list (!a|b) or anything (*). The tests below put every
// combination of values to Decide and to the table.

// The numbers of the enumerated contracts. The draws are 0, so that a delay is
// the shortest there is.
const (
	tableMinimum     = 100 * time.Millisecond // MinAttemptBudget
	tableRetryAfter  = 50 * time.Millisecond  // short: shorter than RetryAfterMax
	tableShortest    = time.Millisecond       // the shortest delay
	tablePatience    = time.Second            // RetryAfterMax
	tableMaxAttempts = 3
)

var tableStatuses = []int{0, 200, 204, 299, 301, 400, 401, 404, 408, 409, 425, 429, 500, 501, 502, 503, 504, 505, 599, 700}

// value is one value of an axis: the cells it stands for, and how it is set.
type value struct {
	cells map[string]string
	set   func(op *Operation, s *Situation)
}

// axis lists all the values that one part of a situation can have.
type axis []value

func cell(column, name string, set func(op *Operation, s *Situation)) value {
	return value{map[string]string{column: name}, set}
}

func attemptsAxis() axis {
	made := func(name string, attempts, limit int) value {
		return cell("attempts", name, func(_ *Operation, s *Situation) { s.Attempts, s.MaxAttempts = attempts, limit })
	}
	return axis{made("first", 1, tableMaxAttempts), made("later", 2, tableMaxAttempts), made("spent", 3, tableMaxAttempts),
		made("spent", 4, tableMaxAttempts), made("spent", 1, 1), made("spent", 1, 0)}
}

func flagAxis(column, off, on string, set func(s *Situation, on bool)) axis {
	return axis{
		cell(column, off, func(_ *Operation, s *Situation) { set(s, false) }),
		cell(column, on, func(_ *Operation, s *Situation) { set(s, true) }),
	}
}

func bodyAxis() axis {
	var values axis
	for body, name := range []string{"none", "replayable", "reopenable", "one-shot"} {
		values = append(values, cell("body", name, func(_ *Operation, s *Situation) { s.Body = Replayability(body) }))
	}
	return values
}

func deadlineAxis() axis {
	remaining := func(name string, d time.Duration) value {
		return cell("deadline", name, func(_ *Operation, s *Situation) { s.Remaining = d })
	}
	return axis{
		remaining("plenty", time.Hour), remaining("none", Unlimited),
		remaining("fits", tableMinimum+tableShortest+1), // the shortest delay, but no Retry-After
		remaining("tight", tableMinimum+tableShortest),
		remaining("tight", tableMinimum+1),
		remaining("minimum", tableMinimum), remaining("below", tableMinimum-1), remaining("below", -time.Second),
	}
}

func failureAxis() axis {
	var values axis
	for failure, name := range []string{"none", "transport", "rejected", "unencodable", "certificate", "name", "malformed", "oversized", "cancelled"} {
		values = append(values, cell("failure", name, func(_ *Operation, s *Situation) { s.Failure = Failure(failure) }))
	}
	return values
}

// answerAxis pairs evidence and status: without a final header there is none.
func answerAxis() axis {
	answer := func(evidence string, e Evidence, status int) value {
		return value{
			map[string]string{"evidence": evidence, "status": fmt.Sprint(status)},
			func(_ *Operation, s *Situation) { s.Evidence, s.Status = e, status },
		}
	}
	values := axis{answer("not-sent", NotSent, 0), answer("no-response", SentNoResponse, 0)}
	for _, status := range tableStatuses {
		values = append(values, answer("response", ResponseReceived, status), answer("partial", PartialResponse, status))
	}
	return values
}

func idempotencyAxis() axis {
	var values axis
	for _, keyed := range []bool{false, true} {
		for i, name := range []string{"undeclared", "false", "true", "by key"} {
			switch {
			case name == "by key" && keyed:
				name = "keyed"
			case name == "by key":
				name = "unkeyed"
			}
			values = append(values, cell("idempotency", name, func(op *Operation, s *Situation) {
				op.Idempotency, s.Keyed = Idempotency(i), keyed
			}))
		}
	}
	return values
}

// registeredAxis sets what a contract says of statuses: nothing of this one,
// that it is transient, or that it is denied. No upstream is built with 501 or
// 505 registered as transient.
func registeredAxis() axis {
	register := func(name string, transient500 bool, transient, denied []int) value {
		return cell("registered", name, func(op *Operation, _ *Situation) {
			op.Transient500, op.TransientStatuses, op.DeniedStatuses = transient500, transient, denied
		})
	}
	return axis{
		register("no", false, []int{598}, []int{418}),
		register("transient", true, []int{599, 502, 503, 404}, nil),
		register("denied", true, []int{599, 502}, tableStatuses),
	}
}

func retryAfterAxis() axis {
	header := func(name string, after RetryAfter, malformed Malformed) value {
		return cell("retry-after", name, func(op *Operation, s *Situation) {
			s.RetryAfter, op.RetryAfterMalformed = after, malformed
		})
	}
	return axis{
		header("absent", RetryAfter{}, DenyMalformed),
		header("short", RetryAfter{State: RetryAfterValid, Delay: tableRetryAfter}, DenyMalformed),
		header("long", RetryAfter{State: RetryAfterValid, Delay: tablePatience + 1}, IgnoreMalformed),
		header("malformed", RetryAfter{State: RetryAfterMalformed}, IgnoreMalformed),
		header("malformed-deny", RetryAfter{State: RetryAfterMalformed}, DenyMalformed),
	}
}

// tableAxes are all the parts of a situation; the first shards the work.
func tableAxes() []axis {
	return []axis{
		idempotencyAxis(),
		answerAxis(),
		registeredAxis(),
		failureAxis(),
		bodyAxis(),
		flagAxis("opened", "no", "yes", func(s *Situation, on bool) { s.BodyOpened = on }),
		flagAxis("delivered", "no", "yes", func(s *Situation, on bool) { s.Delivered = on }),
		flagAxis("draining", "no", "yes", func(s *Situation, on bool) { s.Draining = on }),
		flagAxis("budget", "left", "spent", func(s *Situation, on bool) { s.BudgetSpent = on }),
		flagAxis("refreshable", "no", "yes", func(s *Situation, on bool) { s.Refreshable = on }),
		attemptsAxis(),
		deadlineAxis(),
		retryAfterAxis(),
	}
}

// answer is a row's last cell.
type answer struct {
	verdict Verdict
	reason  Reason
	refresh bool
	wait    bool // at least Retry-After
}

var answers = map[string]answer{
	"success":             {},
	"permit":              {verdict: Permit},
	"permit refresh":      {verdict: Permit, refresh: true},
	"permit wait":         {verdict: Permit, wait: true},
	"ambiguous unsafe":    {verdict: Ambiguous, reason: NotSafelyIdempotent},
	"denied max-attempts": {reason: MaxAttemptsReached},
	"denied budget":       {reason: BudgetExhausted},
	"denied body":         {reason: BodyNotReplayable},
	"denied delivered":    {reason: ResponseAlreadyDelivered},
	"denied draining":     {reason: Draining},
	"denied deadline":     {reason: DeadlineTooNear},
	"denied permanent":    {reason: PermanentFailure},
	"denied unsafe":       {reason: NotSafelyIdempotent},
	"denied status":       {reason: StatusNotRetryable},
	"denied retry-after":  {reason: RetryAfterTooLong},
}

// table is decisions.tsv.
type table struct {
	columns []string // without the rule and the answer
	rows    [][]string
	answers []answer
}

func readTable(t *testing.T) *table {
	t.Helper()
	text, err := os.ReadFile("testdata/decisions.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	header := strings.Split(lines[0], "\t")
	tab := &table{columns: header[1 : len(header)-1]}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		require.Len(t, cells, len(header), line)
		answer, known := answers[cells[len(cells)-1]]
		require.True(t, known, line)
		tab.rows = append(tab.rows, cells)
		tab.answers = append(tab.answers, answer)
	}
	require.LessOrEqual(t, len(tab.rows), 64, "a set of rows is one word")
	return tab
}

// matching is the set of rows whose conditions a value meets, a bit per row.
func (tab *table) matching(v value) uint64 {
	set := uint64(0)
	for i, row := range tab.rows {
		meets := true
		for column, name := range v.cells {
			condition := row[1+slices.Index(tab.columns, column)]
			meets = meets && matches(condition, name)
		}
		if meets {
			set |= 1 << i
		}
	}
	return set
}

func matches(condition, name string) bool {
	list, not := strings.CutPrefix(condition, "!")
	if list == "*" {
		return true
	}
	for alternative := range strings.SplitSeq(list, "|") {
		if alternative == name || alternative == "2xx" && len(name) == 3 && name[0] == '2' {
			return !not
		}
	}
	return not
}

// walk visits all combinations of the axes. rows is the set of rows that match
// what is set so far.
type walk struct {
	axes  []axis
	sets  [][]uint64 // for each axis and value, the rows that match
	visit func(op *Operation, s *Situation, rows uint64)
}

func newWalk(tab *table, axes []axis, visit func(*Operation, *Situation, uint64)) *walk {
	w := &walk{axes: axes, visit: visit}
	for _, a := range axes {
		var sets []uint64
		for _, v := range a {
			sets = append(sets, tab.matching(v))
		}
		w.sets = append(w.sets, sets)
	}
	return w
}

func (w *walk) from(depth int, op *Operation, s *Situation, rows uint64) {
	if depth == len(w.axes) {
		w.visit(op, s, rows)
		return
	}
	for i := range w.axes[depth] {
		w.axes[depth][i].set(op, s)
		w.from(depth+1, op, s, rows&w.sets[depth][i])
	}
}

func tableOperation() *Operation {
	return &Operation{
		MinAttemptBudget: tableMinimum, RetryAfterMax: tablePatience,
		BackoffBase: 100 * time.Millisecond, BackoffMax: 3 * time.Second, BackoffMultiplier: 2,
	}
}

// Decide answers every combination as the table does, and no row of the table
// can be left out (RULE-DECIDE, RULE-DECIDE-9, RULE-STATUS, RULE-FAILURE).
func TestDecideAgainstTable(t *testing.T) {
	tab := readTable(t)
	axes := tableAxes()
	for _, column := range tab.columns {
		require.True(t, slices.ContainsFunc(axes, func(a axis) bool { return a[0].cells[column] != "" }), "no axis sets %s", column)
	}

	var mu sync.Mutex
	needed := uint64(0)
	t.Run("all", func(t *testing.T) {
		for i := range axes[0] {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				shard := append([]axis{axes[0][i : i+1]}, axes[1:]...)
				found := compare(t, tab, shard)
				mu.Lock()
				defer mu.Unlock()
				needed |= found
			})
		}
	})
	for i, row := range tab.rows {
		require.NotZero(t, needed&(1<<i), "without row %d nothing changes: %v", i+1, row)
	}
}

// compare puts all combinations of the axes to Decide and to the table. It
// returns the rows that are needed: those without which the table would answer
// a combination otherwise, or not at all.
func compare(t *testing.T, tab *table, axes []axis) (needed uint64) {
	failures := 0
	newWalk(tab, axes, func(op *Operation, s *Situation, rows uint64) {
		first := bits.TrailingZeros64(rows)
		if first == 64 {
			t.Fatalf("no row matches %+v", *s)
		}
		want := tab.answers[first]
		d := Decide(op, s)
		if got := (answer{d.Verdict, d.Reason, d.Refresh, d.Delay >= tableRetryAfter}); got != want || !delayFits(s, d) {
			if failures++; failures <= 5 {
				t.Errorf("%s: %v\nwant %+v\ngot  %+v\noperation %+v\nsituation %+v", tab.rows[first][0], tab.rows[first], want, d, *op, *s)
			}
		}
		if needed&(1<<first) == 0 {
			next := bits.TrailingZeros64(rows &^ (1 << first))
			if next == 64 || tab.answers[next] != want {
				needed |= 1 << first
			}
		}
	}).from(0, tableOperation(), &Situation{}, ^uint64(0)>>(64-len(tab.rows)))
	return needed
}

// delayFits: a permit waits at least a millisecond and leaves more than the
// minimum attempt budget; what is no permit waits for nothing.
func delayFits(s *Situation, d Decision) bool {
	if d.Verdict != Permit {
		return d.Delay == 0
	}
	return d.Delay >= tableShortest && s.Remaining-d.Delay > tableMinimum
}

// Turning on what forbids a retry never turns a refusal into a permit.
func TestDecideIsMonotone(t *testing.T) {
	forbid := []struct {
		name   string
		turnOn func(op *Operation, s *Situation)
	}{
		{"attempts", func(_ *Operation, s *Situation) { s.Attempts = max(s.Attempts, s.MaxAttempts) }},
		{"one attempt", func(_ *Operation, s *Situation) { s.MaxAttempts = 1 }},
		{"later", func(_ *Operation, s *Situation) { s.Attempts++ }},
		{"budget", func(_ *Operation, s *Situation) { s.BudgetSpent = true }},
		{"one-shot", func(_ *Operation, s *Situation) { s.Body = OneShot }},
		{"opened", func(_ *Operation, s *Situation) { s.BodyOpened = true }},
		{"delivered", func(_ *Operation, s *Situation) { s.Delivered = true }},
		{"draining", func(_ *Operation, s *Situation) { s.Draining = true }},
		{"deadline", func(_ *Operation, s *Situation) { s.Remaining /= 2 }},
		{"permanent", func(_ *Operation, s *Situation) { s.Failure = CallerCancelled }},
		{"idempotency", func(op *Operation, _ *Situation) { op.Idempotency = NotIdempotent }},
		{"no key", func(_ *Operation, s *Situation) { s.Keyed = false }},
		{"no refresh", func(_ *Operation, s *Situation) { s.Refreshable = false }},
		{"denied", func(op *Operation, _ *Situation) { op.DeniedStatuses = tableStatuses }},
		{"impatience", func(op *Operation, _ *Situation) { op.RetryAfterMax = 0 }},
		{"strict", func(op *Operation, _ *Situation) { op.RetryAfterMalformed = DenyMalformed }},
	}
	axes := tableAxes()
	for i, a := range axes {
		switch {
		case a[0].cells["attempts"] != "":
			axes[i] = a[:3]
		case a[0].cells["failure"] != "", a[0].cells["body"] != "":
			axes[i] = axis{a[0], a[len(a)-1]} // one of each kind
		case a[0].cells["deadline"] != "":
			axes[i] = axis{a[0], a[2], a[4]}
		}
	}
	stricter, forbidden := &Operation{}, &Situation{} // allocated once
	newWalk(readTable(t), axes, func(op *Operation, s *Situation, _ uint64) {
		if Decide(op, s).Verdict == Permit {
			return
		}
		for i := range forbid {
			*stricter, *forbidden = *op, *s
			forbid[i].turnOn(stricter, forbidden)
			if Decide(stricter, forbidden).Verdict == Permit {
				t.Fatalf("%s turned a refusal into a permit: %+v", forbid[i].name, *forbidden)
			}
		}
	}).from(0, tableOperation(), &Situation{}, 0)
}

// What did not happen is decided as if the operation were idempotent, whatever it
// declares (RULE-RECONCILE-NOT-EXECUTED).
func TestDidNotHappenIsSafeToRepeat(t *testing.T) {
	axes := tableAxes()
	for i, a := range axes {
		if a[0].cells["attempts"] != "" {
			axes[i] = a[:3]
		}
	}
	idempotent, said := &Operation{}, &Situation{} // allocated once
	newWalk(readTable(t), axes, func(op *Operation, s *Situation, _ uint64) {
		*idempotent, *said = *op, *s
		idempotent.Idempotency, said.DidNotHappen = Idempotent, true
		if got, want := Decide(op, said), Decide(idempotent, s); got != want {
			t.Fatalf("want %+v\ngot  %+v\noperation %+v\nsituation %+v", want, got, *op, *said)
		}
	}).from(0, tableOperation(), &Situation{}, 0)
}

// A decision is on the path of every failed attempt.
func TestDecideDoesNotAllocate(t *testing.T) {
	op := tableOperation()
	s := &Situation{Attempts: 1, MaxAttempts: 3, Remaining: time.Hour, Evidence: ResponseReceived, Status: 429,
		RetryAfter: RetryAfter{State: RetryAfterValid, Delay: tableRetryAfter}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if Decide(op, s).Verdict != Permit {
			t.Fatal("refused")
		}
	}))
}
