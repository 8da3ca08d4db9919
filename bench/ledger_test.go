package bench

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/retrygen/retrygen/runtime"
)

// BenchmarkBudget is what one retry costs its budget, a reservation and a
// commitment, beside two uses of what others take for a budget: a counter under
// a mutex, and the token bucket of x/time. The time is passed in to all of them.
func BenchmarkBudget(b *testing.B) {
	for name, prepare := range map[string]func(b *testing.B) (retry func() bool){
		"ledger":  ledger,
		"bucket":  bucket,
		"counter": counter,
	} {
		b.Run("alone/"+name, func(b *testing.B) {
			retry := prepare(b)
			b.ReportAllocs()
			for b.Loop() {
				if !retry() {
					b.Fatal("refused")
				}
			}
		})
		b.Run("parallel/"+name, func(b *testing.B) {
			retry := prepare(b)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if !retry() {
						b.Error("refused")
					}
				}
			})
		})
	}
}

// ledger holds enough for every retry of the run.
func ledger(b *testing.B) func() bool {
	l, err := runtime.NewLedger(0.5, time.Minute, runtime.DepositRequest, 0)
	if err != nil {
		b.Fatal(err)
	}
	for range 150_000_000 {
		l.Primary(0)
	}
	return func() bool { return l.Reserve(0) && l.Commit(0) }
}

func bucket(*testing.B) func() bool {
	now := time.Now()
	l := rate.NewLimiter(rate.Limit(1_000_000_000), 1_000_000_000)
	return func() bool { return twice(func() bool { return l.AllowN(now, 1) }) }
}

func counter(*testing.B) func() bool {
	var (
		mu sync.Mutex
		n  int
	)
	use := func() bool {
		mu.Lock()
		defer mu.Unlock()
		n++
		return n > 0
	}
	return func() bool { return twice(use) }
}

// twice is as often as the ledger is asked for one retry.
func twice(use func() bool) bool {
	for range 2 {
		if !use() {
			return false
		}
	}
	return true
}
