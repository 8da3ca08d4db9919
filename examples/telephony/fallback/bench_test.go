package fallback

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkSends is two transactions per send, an intent and its end, from as many
// callers as connections to the provider; one send in ten fails. A gateway of 1,200
// sends a second needs sends/s above that.
func BenchmarkSends(b *testing.B) {
	for _, callers := range []int{1, 50, 200} {
		b.Run("callers="+strconv.Itoa(callers), func(b *testing.B) { benchmarkSends(b, callers, false) })
	}
	b.Run("virtual time", func(b *testing.B) { benchmarkSends(b, 1, true) })
}

func benchmarkSends(b *testing.B, callers int, noSync bool) {
	q, err := Open(filepath.Join(b.TempDir(), "queue"), Options{Sealer: sealer(b), NoSync: noSync})
	require.NoError(b, err)
	defer q.Close()
	var next atomic.Int64
	waits := make(chan []time.Duration, callers)
	for range callers {
		go func() {
			var waited []time.Duration
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				start := time.Now()
				p, err := q.Begin(context.Background(), Intent{Key: Secret("SMS-2FA-u1-s" + strconv.Itoa(int(n))), Kind: "login-code"})
				waited = append(waited, time.Since(start))
				switch {
				case err != nil:
				case n%10 == 0:
					err = p.Keep(Failure{Class: Budget, Effect: NotExecuted, Recipient: "u1", Code: "123456", Expires: time.Now().Add(time.Minute)})
				default:
					err = p.Done()
				}
				if err != nil {
					b.Error(err)
				}
			}
			waits <- waited
		}()
	}
	var waited []time.Duration
	for range callers {
		waited = append(waited, <-waits...)
	}
	slices.Sort(waited)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sends/s")
	b.ReportMetric(float64(waited[len(waited)*99/100].Microseconds())/1000, "p99-ms/intent")
}
