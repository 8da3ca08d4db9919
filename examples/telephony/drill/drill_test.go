package drill_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
)

// rehearse holds a drill in virtual time.
func rehearse(t *testing.T, plan drill.Plan) (report drill.Report) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		report, err = drill.Run(t.Context(), plan, drill.NewMemory(), t.TempDir(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
	})
	t.Logf("%+v", report.Totals)
	return report
}

func requireHeld(t *testing.T, report drill.Report) {
	for _, check := range report.Checks {
		require.True(t, check.OK, "%+v", check)
	}
}

// TestDrillInVirtualTime is the whole drill of MC-RT-01, without its minute.
func TestDrillInVirtualTime(t *testing.T) {
	if race {
		t.Skip("90,000 logins take minutes under the race detector; the shorter drills below run there")
	}
	report := rehearse(t, drill.Standard())
	requireHeld(t, report)
	require.LessOrEqual(t, report.Totals.PeakSecond, 1320)
}

// TestShorterDrills: over HTTP/2, and with half of the requests failing.
func TestShorterDrills(t *testing.T) {
	for _, plan := range []drill.Plan{drill.OverHTTP2(), drill.Half()} {
		t.Run(plan.Name, func(t *testing.T) {
			report := rehearse(t, shorter(plan))
			requireHeld(t, report)
			require.LessOrEqual(t, report.Totals.PeakSecond, 1320)
		})
	}
}

// shorter is a plan with a quarter of the time: enough for the budget to run dry, and
// to recover.
func shorter(p drill.Plan) drill.Plan {
	p.FaultFrom, p.FaultTo, p.Length = 2*time.Second, 8*time.Second, 16*time.Second
	return p
}

// TestNaivePolicy: what the policy of the incident makes of the same fault. It
// sends eight times as much, and is banned.
func TestNaivePolicy(t *testing.T) {
	plan := shorter(drill.Naive())
	plan.FaultShare = 1
	plan.BanAbove = 0
	report := rehearse(t, plan)
	require.GreaterOrEqual(t, report.Totals.PeakSecond, 8*plan.Rate*9/10)

	plan = shorter(drill.Naive())
	report = rehearse(t, plan)
	require.Equal(t, 1, report.Totals.Bans)
	require.Zero(t, report.Phases[2].Success, "the ban outlasts the fault")
}
