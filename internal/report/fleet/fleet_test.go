package fleet_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report/fleet"
	"github.com/retrygen/retrygen/internal/simulate"
)

// TestFleet: what a thousand processes do to their upstream together.
func TestFleet(t *testing.T) {
	if race {
		t.Skip("the race detector finds nothing in one goroutine, and takes a minute and a half for it")
	}
	r, err := fleet.Rehearse()
	require.NoError(t, err)

	requireTenth(t, &r)
	requireRecovery(t, &r)
	requireRatioOfAll(t, &r)
	requireFloors(t, &r)
	requireDocument(t, &r)
}

// requireTenth: a tenth in every scenario, and more than half as much again without a budget.
func requireTenth(t *testing.T, r *fleet.Report) {
	t.Helper()
	require.Len(t, r.Scenarios, 5)
	for _, s := range r.Scenarios {
		for _, run := range s.Runs {
			if run.Policy == simulate.Contract {
				require.LessOrEqual(t, run.Amplification, 1.1, s.Name)
				require.Greater(t, run.Retries, 0, s.Name)
				require.NotEqual(t, simulate.Never, run.Recovered, s.Name)
				require.Less(t, run.Recovered, 5*time.Second, s.Name)
			} else {
				require.Greater(t, run.Amplification, 1.5, "%s, %s", s.Name, run.Policy)
			}
		}
	}
}

// requireRecovery: an upstream that stalled recovers from no client without a budget.
func requireRecovery(t *testing.T, r *fleet.Report) {
	t.Helper()
	for _, run := range r.Scenarios[2].Runs[1:] {
		require.Equal(t, simulate.Never, run.Recovered, run.Policy)
		last := run.Seconds[len(run.Seconds)-2]
		require.Less(t, last.Success, last.Primary/10, run.Policy)
	}
}

// requireRatioOfAll: ledgers that know nothing of each other keep the ratio together.
func requireRatioOfAll(t *testing.T, r *fleet.Report) {
	t.Helper()
	for _, s := range r.Sizes {
		require.LessOrEqual(t, s.WorstWindow, 0.1, s.Processes)
		require.Greater(t, s.WorstWindow, 0.07, "the budget is there to be used")
		if s.Processes <= 100 {
			require.LessOrEqual(t, s.WorstSecond, 0.1, s.Processes)
		} else {
			require.Greater(t, s.WorstSecond, 0.5, "each may repeat one call a second")
		}
	}
}

// requireFloors: floors add up.
func requireFloors(t *testing.T, r *fleet.Report) {
	t.Helper()
	want := map[string]float64{ // retries per call: the larger of a tenth, and floor / (60 * calls per second)
		"0.1/0": 0.1, "0.1/1": 1. / 6, "0.1/10": 10. / 6, "0.1/100": 2, // two retries per call are all
		"1/0": 0.1, "1/1": 0.1, "1/10": 10. / 60, "1/100": 1, // one retry a second is all
		"5/0": 0.1, "5/1": 0.1, "5/10": 0.1, "5/100": 60. / 300,
	}
	require.Len(t, r.Floors, len(want))
	for _, f := range r.Floors {
		name := fmt.Sprintf("%v/%d", f.PerProcess, f.Floor)
		require.InDelta(t, want[name], f.Bound, 1e-9, name)
		require.LessOrEqual(t, f.WorstWindow, f.Bound+1e-9, name)
		if name == "0.1/1" || name == "1/10" {
			require.InEpsilon(t, f.Bound, f.WorstWindow, 0.01, "%s: all floors are used", name)
		}
	}
}

// requireDocument: docs/fleet.md shows this.
func requireDocument(t *testing.T, r *fleet.Report) {
	t.Helper()
	document, err := os.ReadFile("../../../docs/fleet.md")
	require.NoError(t, err)
	for block := range strings.SplitSeq(string(r.Text()), "\n\n") {
		if strings.Contains(block, "   ") { // the tables; what is above them is told in other words
			require.Contains(t, string(document), "```text\n"+strings.TrimRight(block, "\n")+"\n```\n")
		}
	}
}
