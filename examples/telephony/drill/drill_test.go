package drill_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
	"github.com/retrygen/retrygen/examples/telephony/internal/race"
)

// rehearse holds a drill in virtual time.
func rehearse(t *testing.T, plan drill.Plan) (report drill.Report) {
	return rehearseLoud(t, plan, slog.New(slog.DiscardHandler))
}

func rehearseLoud(t *testing.T, plan drill.Plan, log *slog.Logger) (report drill.Report) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		report, err = drill.Run(t.Context(), plan, drill.NewMemory(), t.TempDir(), log)
		require.NoError(t, err)
	})
	t.Logf("%+v", report.Totals)
	return report
}

// skipUnderRace leaves a drill of tens of thousands of logins out. Those of
// [TestRecoveryLag] and of the page do the same things.
func skipUnderRace(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector is too slow for 1,200 logins per second")
	}
}

func requireHeld(t *testing.T, report drill.Report) {
	for _, check := range report.Checks {
		require.True(t, check.OK, "%+v", check)
	}
}

// TestDrillInVirtualTime is the whole drill of MC-RT-01, without its minute.
func TestDrillInVirtualTime(t *testing.T) {
	skipUnderRace(t)
	report := rehearse(t, drill.Standard())
	requireHeld(t, report)
	require.LessOrEqual(t, report.Totals.PeakSecond, 1320)
}

// TestShorterDrills: over HTTP/2, and with half of the requests failing.
func TestShorterDrills(t *testing.T) {
	skipUnderRace(t)
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
	skipUnderRace(t)
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

// TestRecoveryLag: a provider that fails one request in 105 for ever keeps retries
// above two per second. The alert is raised, once, and five seconds later the
// budget begins anew.
func TestRecoveryLag(t *testing.T) {
	plan := drill.Standard()
	plan.Rate, plan.BaselineEvery = 300, 105
	plan.FaultFrom, plan.FaultTo, plan.Length = 2*time.Second, 4*time.Second, 18*time.Second
	var log bytes.Buffer
	report := rehearseLoud(t, plan, slog.New(slog.NewJSONHandler(&log, nil)))
	require.Equal(t, 1, report.Totals.Alerts)
	require.Contains(t, log.String(), "ALERT_RETRY_RECOVERY_LAG: the fault is over, and retries go on")
	require.Contains(t, log.String(), "ALERT_RETRY_RECOVERY_LAG: the retry budget begins anew, empty")
	require.False(t, report.OK())
}

// TestDrillInRealTime is ten seconds on loopback. It leaves out what is the
// machine's: the latency, and how many logins come at once after it stood still.
func TestDrillInRealTime(t *testing.T) {
	skipUnderRace(t)
	plan := drill.Short()
	plan.BanAbove = 3 * plan.Rate
	report, err := drill.Run(t.Context(), plan, drill.Loopback{}, t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Logf("%+v", report.Totals)
	for _, check := range report.Checks {
		require.True(t, check.OK || strings.HasPrefix(check.Name, "p95"), "%+v", check)
	}
}

// TestReportAsText: each bound in a line of its own, and what was broken in
// capitals.
func TestReportAsText(t *testing.T) {
	report := drill.Report{
		Plan:   drill.Standard(),
		Totals: drill.Totals{Logins: 10, Successes: 9, Attempts: 12, Retries: 2, Amplification: 1.2, PeakSecond: 7, PeakTrailing: 8},
		Phases: []drill.Phase{{Name: "fault", To: time.Second, Success: 0.9, P50: 25 * time.Millisecond, P95: 125 * time.Millisecond}},
		Checks: []drill.Check{{"bans", "0", "0", true}, {"recovery", "within 2.5s", "never", false}},
	}
	var out bytes.Buffer
	require.NoError(t, report.WriteText(&out))
	require.Equal(t, `  logins           10, of which 9 sent
  attempts         12, of which 2 retries: 1.200 per login
  peak             7 attempts in a second, 8 in any
  fault, 0s to 1s  90.0% sent, p50 25ms, p95 125ms
  held             bans: 0, want 0
  BROKEN           recovery: never, want within 2.5s
`, out.String())
}
