package drill_test

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
)

// TestDrillInVirtualTime is the whole drill of MC-RT-01, without its minute.
func TestDrillInVirtualTime(t *testing.T) {
	for _, plan := range []drill.Plan{drill.Standard(), drill.OverHTTP2()} {
		t.Run(plan.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				report, err := drill.Run(t.Context(), plan, drill.NewMemory(), t.TempDir(), slog.New(slog.DiscardHandler))
				require.NoError(t, err)
				for _, check := range report.Checks {
					require.True(t, check.OK, "%+v", check)
				}
				require.LessOrEqual(t, report.Totals.PeakSecond, 1320)
				t.Logf("%+v", report.Totals)
			})
		})
	}
}
