package report_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report/drill"
	"github.com/retrygen/retrygen/internal/simulate"
	"github.com/retrygen/retrygen/internal/spec"
)

// rehearsed is the drill of a contract that repeats everything.
func rehearsed(t *testing.T, name string, faultEnd time.Duration) *drill.Report {
	usual := spec.Contract{Idempotency: spec.Value[spec.Idempotency]{V: spec.Idempotent}}
	usual.MaxAttempts.V, usual.Deadline.V, usual.MinAttemptBudget.V = 3, 8*time.Second, 100*time.Millisecond
	usual.BackoffBase.V, usual.BackoffMax.V, usual.BackoffMultiplier.V = 100*time.Millisecond, 3*time.Second, 2
	api := apiOf(usual)
	api.Operations[0].Name.Wire, api.Operations[0].Route = name, "/pets/{id}"
	api.Upstream.BudgetRatio.V = 0.1
	r, err := drill.New(api, api.Operations[0], simulate.Plan{
		Processes: 1, Rate: 1000, Length: 100 * time.Second, Arrivals: simulate.Even,
		Faults: []simulate.Fault{{Status: 429, Share: 0.6, From: 10 * time.Second, To: faultEnd}}, Seed: 1,
	}, simulate.Policies())
	require.NoError(t, err)
	return r
}

// TestDrillOnATerminal: colours add nothing but colours, every line has room, and a
// document controls no terminal.
func TestDrillOnATerminal(t *testing.T) {
	r := rehearsed(t, "get\x1b[31mPetOfWhichTheNameIsSoLongThatThereIsNoRoomForTheRestOfTheTitle", 80*time.Second)
	plain, coloured := string(r.Text(false)), string(r.Text(true))
	require.NotContains(t, plain, "\x1b")
	require.Contains(t, coloured, "\x1b[34m█")
	require.Equal(t, plain, regexp.MustCompile(`\x1b\[[0-9]+m`).ReplaceAllString(coloured, ""))
	for line := range strings.Lines(plain) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
		require.NotRegexp(t, ` \n$`, line)
	}
}

// TestDrillOnAPage: a document writes no page, and a fault shows that lasts until the
// end.
func TestDrillOnAPage(t *testing.T) {
	r := rehearsed(t, "get<script>alert(1)</script>\x1b[31m\u202e", 100*time.Second)
	page, err := r.HTML()
	require.NoError(t, err)
	require.NotRegexp(t, "<script|\x1b|\u202e", string(page))
	require.Contains(t, string(page), "<h1>Drill of <code>get&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Equal(t, 7, strings.Count(string(page), `<rect class="shade"`), "three charts with a budget, twice two without")
	for _, row := range r.Rows()[1:] {
		require.Contains(t, string(page), `<tr><th scope="row">`+row.Name+`</th><td>`+strings.Join(row.Cells, "</td><td>")+"</td></tr>")
	}
}

// TestDrillIsByTheContract: what the document says decides, and the budget too.
func TestDrillIsByTheContract(t *testing.T) {
	runs := rehearsed(t, "getPet", 80*time.Second).Runs
	require.Len(t, runs, 3)
	require.LessOrEqual(t, runs[0].Amplification, 1.1)
	require.Equal(t, "BudgetExhausted", runs[0].Failures[0].Reason)
	require.Equal(t, 100, *runs[0].Seconds[5].Left)
	for _, run := range runs[1:] {
		require.Greater(t, run.Amplification, 1.5)
		require.Equal(t, []drill.Failure{{Reason: "MaxAttempts", Calls: run.Calls - run.Successes}}, run.Failures)
		require.Nil(t, run.Seconds[5].Left)
	}
}
