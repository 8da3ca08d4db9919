package bench

import (
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// BenchmarkDecide is one decision, permitted and denied.
func BenchmarkDecide(b *testing.B) {
	permitted := runtime.Situation{
		Attempts: 1, MaxAttempts: 3, Body: runtime.Replayable, BodyOpened: true, Remaining: 5 * time.Second,
		Evidence: runtime.ResponseReceived, Status: 503, Draws: [2]uint64{1 << 60, 1 << 61},
	}
	denied := permitted
	denied.Status = 404
	for name, situation := range map[string]runtime.Situation{"permit": permitted, "denied": denied} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var decision runtime.Decision
			for b.Loop() {
				decision = runtime.Decide(&operation, &situation)
			}
			_ = decision
		})
	}
}
