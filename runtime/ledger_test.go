package runtime

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// oracle is the ledger by definition: it remembers every event and counts anew.
type oracle struct {
	ratioPercent int
	spans        [2]time.Duration
	floors       [2]int
	deposit      Deposit
	primaries    []time.Duration
	successes    []time.Duration
	retries      []time.Duration
	reserved     int
}

func newOracle(ratioPercent int, window time.Duration, deposit Deposit, floor int) *oracle {
	return &oracle{
		ratioPercent: ratioPercent,
		spans:        [2]time.Duration{window, time.Second},
		floors:       [2]int{floor, 1},
		deposit:      deposit,
	}
}

func since(events []time.Duration, start time.Duration) int {
	n := 0
	for _, at := range events {
		if at > start {
			n++
		}
	}
	return n
}

// bound reports whether so many retries more would keep the bound at now.
// Rounding lets retries count for longer and primaries for less long.
func (o *oracle) bound(now time.Duration, more int, rounding bool) bool {
	for i, span := range o.spans {
		slack := time.Duration(0)
		if rounding {
			slack = span / [2]time.Duration{250, 20}[i]
			if span%time.Millisecond != 0 {
				slack = 2*slack + time.Microsecond // no whole number of buckets
			}
		}
		earned := since(o.primaries, now-span+slack)
		if o.deposit == DepositSuccess {
			earned = min(earned, since(o.successes, now-span+slack))
		}
		retries := since(o.retries, now-span-slack) + more
		if retries > max(o.ratioPercent*earned/100, o.floors[i]) {
			return false
		}
	}
	return true
}

// In every sequence of events the ledger admits no retry that the definition
// forbids, and forbids none that the definition permits with one bucket less
// (RULE-BUDGET-1, RULE-BUDGET-4).
func TestLedgerAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.SampledFrom([]int{0, 1, 10, 29, 50}).Draw(t, "ratio")
		window := rapid.SampledFrom([]time.Duration{10 * time.Second, time.Minute, 12_345_678_901}).Draw(t, "window")
		deposit := rapid.SampledFrom([]Deposit{DepositRequest, DepositSuccess}).Draw(t, "deposit")
		floor := rapid.SampledFrom([]int{0, 3}).Draw(t, "floor")
		seed := rapid.Uint64().Draw(t, "seed")

		ledger, err := NewLedger(float64(ratio)/100, window, deposit, floor)
		require.NoError(t, err)
		o := newOracle(ratio, window, deposit, floor)
		random := rand.New(rand.NewPCG(seed, 0))
		steps := []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond, time.Second, window / 3, 2 * window}
		pace := 3 + random.IntN(len(steps)-2) // most traces never see the longest steps
		now := time.Duration(random.Int64N(int64(3 * window)))
		for range 600 {
			if random.IntN(3) == 0 {
				now += time.Duration(random.Int64N(int64(steps[random.IntN(pace)]) + 1))
			}
			step(t, ledger, o, now, random)
		}
	})
}

func step(t *rapid.T, ledger *Ledger, o *oracle, now time.Duration, random *rand.Rand) {
	switch random.IntN(10) {
	case 0, 1, 2, 3, 4:
		for range random.IntN(8) {
			ledger.Primary(now)
			o.primaries = append(o.primaries, now)
		}
	case 5:
		for range random.IntN(20) {
			ledger.Success(now)
			o.successes = append(o.successes, now)
		}
	case 6, 7:
		affords := ledger.Affords(now)
		require.Equal(t, affords, ledger.Reserve(now), "Affords and Reserve differ")
		if affords {
			o.reserved++
			require.True(t, o.bound(now, o.reserved, false), "reserved against the bound")
		} else {
			require.False(t, o.bound(now, o.reserved+1, true), "refused what was earned")
		}
	case 8:
		reserved := o.reserved
		sent := ledger.Commit(now)
		o.reserved = max(0, o.reserved-1)
		if sent {
			require.Positive(t, reserved)
			o.retries = append(o.retries, now)
			require.True(t, o.bound(now, o.reserved, false), "sent against the bound")
		} else if reserved > 0 {
			require.False(t, o.bound(now, reserved, true), "refused at dispatch what was earned")
		}
	case 9:
		ledger.Cancel(now)
		o.reserved = max(0, o.reserved-1)
	}
}

// To the nanosecond: wherever in its bucket an event lies, a retry counts for
// the whole window and a primary no longer than that.
func TestLedgerEdges(t *testing.T) {
	for _, window := range []time.Duration{10 * time.Second, 12_345_678_901} {
		bucket := window / 250
		for _, at := range []time.Duration{0, 1, bucket - 1, bucket, bucket + 1, 7*bucket - 1, 7 * bucket} {
			ledger, err := NewLedger(0, window, DepositRequest, 1)
			require.NoError(t, err)
			require.True(t, ledger.Reserve(at) && ledger.Commit(at))
			require.False(t, ledger.Affords(at+window-1), "a retry at %d still counts", at)
			require.True(t, ledger.Affords(at+window+2*bucket), "a retry at %d counts too long", at)

			ledger, err = NewLedger(0.5, window, DepositRequest, 0)
			require.NoError(t, err)
			ledger.Primary(at)
			ledger.Primary(at)
			require.True(t, ledger.Affords(at+window-2*bucket), "primaries at %d earn no longer", at)
			require.False(t, ledger.Affords(at+window), "primaries at %d still earn", at)
		}
	}
}

// A time stamp that comes late never earns for longer than it may
// (RULE-BUDGET-5).
func TestLedgerLateTimeStamps(t *testing.T) {
	const now = 20 * time.Second
	for _, late := range []time.Duration{time.Nanosecond, 40 * time.Millisecond, 11 * time.Second} {
		ledger, err := NewLedger(0.5, 10*time.Second, DepositRequest, 0)
		require.NoError(t, err)
		ledger.Primary(now)
		for range 9 {
			ledger.Primary(now - late)
		}
		require.False(t, ledger.Affords(now-late+10*time.Second), "%v late", late)
	}

	ledger, err := NewLedger(0, 10*time.Second, DepositRequest, 1)
	require.NoError(t, err)
	require.True(t, ledger.Affords(now))
	require.False(t, ledger.Commit(now), "nothing is reserved")
	require.True(t, ledger.Reserve(now-time.Second), "a late question is answered for the latest instant")
	require.True(t, ledger.Commit(now-time.Second))
	require.False(t, ledger.Affords(now+10*time.Second-1), "the retry counts from the latest instant")
}

// Goroutines that race within one instant reserve exactly what was earned.
func TestLedgerConcurrently(t *testing.T) {
	const goroutines, calls = 8, 500
	ledger, err := NewLedger(0.1, time.Minute, DepositRequest, 0)
	require.NoError(t, err)
	o := newOracle(10, time.Minute, DepositRequest, 0)
	now := time.Duration(0)
	for range 20 {
		now += 2 * time.Second
		var retries [goroutines]int
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range calls {
					ledger.Primary(now)
					switch reserved := ledger.Reserve(now); {
					case reserved && i%5 == 0:
						ledger.Cancel(now)
					case reserved && ledger.Commit(now):
						retries[g]++
					}
				}
			})
		}
		wg.Wait()
		for range goroutines * calls {
			o.primaries = append(o.primaries, now)
		}
		for _, n := range retries {
			for range n {
				o.retries = append(o.retries, now)
			}
		}
		require.True(t, o.bound(now, 0, false), "more retries than earned")
		for len(o.retries) < len(o.primaries) && ledger.Reserve(now) {
			require.True(t, ledger.Commit(now))
			o.retries = append(o.retries, now)
		}
		require.True(t, o.bound(now, 0, false) && !o.bound(now, 1, false), "retries that were earned or spent are not counted")
	}
}

// What was earned is spent, expires with the window, and is earned again.
func TestLedgerRecovers(t *testing.T) {
	for _, window := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute} {
		ledger, err := NewLedger(0.1, window, DepositRequest, 0)
		require.NoError(t, err)
		require.False(t, ledger.Reserve(0), "nothing is earned yet")

		now := time.Second
		earnAndDrain(t, ledger, now)
		for range 9 {
			ledger.Primary(now)
		}
		require.False(t, ledger.Reserve(now), "nine primaries earn nothing")

		now += window + window/100 // a window and a bucket
		require.False(t, ledger.Reserve(now), "earnings expire")
		earnAndDrain(t, ledger, now)

		const century = 100 * 365 * 24 * time.Hour
		require.False(t, ledger.Affords(now+century), "a long idle time costs no more than a short one")
	}
}

func earnAndDrain(t *testing.T, ledger *Ledger, now time.Duration) {
	t.Helper()
	for range 100 {
		ledger.Primary(now)
	}
	for i := range 10 {
		require.True(t, ledger.Reserve(now), "retry %d of 10 is earned", i+1)
		require.True(t, ledger.Commit(now))
	}
	require.False(t, ledger.Reserve(now), "the eleventh is not")
}

// The bound is checked again at dispatch: the primaries may have gone
// (RULE-BUDGET-3).
func TestLedgerCommitChecksAgain(t *testing.T) {
	ledger, err := NewLedger(0.1, 10*time.Second, DepositRequest, 0)
	require.NoError(t, err)
	for range 10 {
		ledger.Primary(0)
	}
	require.True(t, ledger.Reserve(0))
	require.False(t, ledger.Commit(11*time.Second), "the primaries have left the window")
	for range 10 {
		ledger.Primary(11 * time.Second)
	}
	require.True(t, ledger.Reserve(11*time.Second), "the refused reservation is gone")
	require.False(t, ledger.Reserve(11*time.Second), "a reservation counts")
	ledger.Cancel(11 * time.Second)
	require.True(t, ledger.Reserve(11*time.Second), "a cancelled one costs nothing")
}

func TestLedgerFloors(t *testing.T) {
	count := func(ratio float64, floor int, instants ...time.Duration) int {
		ledger, err := NewLedger(ratio, 10*time.Second, DepositRequest, floor)
		require.NoError(t, err)
		sent := 0
		for _, now := range instants {
			for sent < 1000 && ledger.Reserve(now) && ledger.Commit(now) {
				sent++
			}
		}
		return sent
	}
	seconds := make([]time.Duration, 9)
	for i := range seconds {
		seconds[i] = time.Duration(i) * 1100 * time.Millisecond
	}
	require.Equal(t, 0, count(0, 0, seconds...), "ratio 0 and floor 0 admit none")
	require.Equal(t, 0, count(0.5, 0, seconds...), "nothing is earned without primaries")
	require.Equal(t, 1, count(0, 3, 0), "one per second")
	require.Equal(t, 3, count(0, 3, seconds...), "three per window")
	require.Equal(t, 9, count(0, 100, seconds...), "one per second, again")
}

// Successes earn, and no more than first attempts do (RULE-BUDGET-2).
func TestLedgerDepositSuccess(t *testing.T) {
	ledger, err := NewLedger(0.1, 10*time.Second, DepositSuccess, 0)
	require.NoError(t, err)
	for range 100 {
		ledger.Primary(0)
	}
	require.False(t, ledger.Affords(0), "no call has succeeded")
	for range 10 {
		ledger.Success(0)
	}
	require.True(t, ledger.Reserve(0))
	require.False(t, ledger.Reserve(0))
	for range 1000 {
		ledger.Success(0)
	}
	for range 9 {
		require.True(t, ledger.Reserve(0))
	}
	require.False(t, ledger.Reserve(0), "no more than the primaries earn")
}

// An upstream of 1,200 calls per second fails 60% of all attempts for 45
// seconds: neither a minute nor a second bears more than a tenth on top.
func TestLedgerOutage(t *testing.T) {
	const perSecond = 1200
	ledger, err := NewLedger(0.1, time.Minute, DepositRequest, 0)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	type retry struct{ due, attempt int }
	waiting := map[int][]retry{} // by millisecond
	primaries, retries := make([]int, 180_000), make([]int, 180_000)
	for ms := range primaries {
		now := time.Duration(ms) * time.Millisecond
		failing := ms >= 90_000 && ms < 135_000
		send := func(attempt int) {
			if !failing || random.IntN(100) >= 60 || attempt == 3 || !ledger.Reserve(now) {
				return
			}
			due := ms + 1 + random.IntN(100<<attempt)
			waiting[due] = append(waiting[due], retry{due, attempt + 1})
		}
		for range perSecond*(ms+1)/1000 - perSecond*ms/1000 {
			ledger.Primary(now)
			primaries[ms]++
			send(1)
		}
		for _, r := range waiting[ms] {
			if ledger.Commit(now) {
				retries[ms]++
				send(r.attempt)
			}
		}
		delete(waiting, ms)
	}
	require.LessOrEqual(t, busiest(1000, primaries, retries), perSecond*110/100)
	perMinute := busiest(60_000, retries)
	require.LessOrEqual(t, perMinute, perSecond*60/10)
	require.Greater(t, perMinute, perSecond*45*8/100, "the budget is there to be used")
}

// busiest is the largest sum over a trailing window.
func busiest(window int, counts ...[]int) int {
	sum, most := 0, 0
	for i := range counts[0] {
		for _, c := range counts {
			sum += c[i]
			if i >= window {
				sum -= c[i-window]
			}
		}
		most = max(most, sum)
	}
	return most
}

func TestNewLedgerRefusesOutOfRange(t *testing.T) {
	nan := 0.0
	nan /= nan
	for name, make := range map[string]func() (*Ledger, error){
		"ratio above":  func() (*Ledger, error) { return NewLedger(0.51, time.Minute, DepositRequest, 0) },
		"ratio below":  func() (*Ledger, error) { return NewLedger(-0.1, time.Minute, DepositRequest, 0) },
		"ratio NaN":    func() (*Ledger, error) { return NewLedger(nan, time.Minute, DepositRequest, 0) },
		"window short": func() (*Ledger, error) { return NewLedger(0.1, 9*time.Second, DepositRequest, 0) },
		"window long":  func() (*Ledger, error) { return NewLedger(0.1, time.Hour, DepositRequest, 0) },
		"deposit":      func() (*Ledger, error) { return NewLedger(0.1, time.Minute, 2, 0) },
		"floor below":  func() (*Ledger, error) { return NewLedger(0.1, time.Minute, DepositRequest, -1) },
		"floor above":  func() (*Ledger, error) { return NewLedger(0.1, time.Minute, DepositRequest, 101) },
	} {
		t.Run(name, func(t *testing.T) {
			ledger, err := make()
			require.Error(t, err)
			require.Nil(t, ledger)
		})
	}
}

func TestLedgerDoesNotAllocate(t *testing.T) {
	ledger, err := NewLedger(0.5, time.Minute, DepositSuccess, 100)
	require.NoError(t, err)
	now := time.Duration(0)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		now += 10 * time.Millisecond
		ledger.Primary(now)
		ledger.Success(now)
		if ledger.Affords(now) && ledger.Reserve(now) && !ledger.Commit(now) {
			ledger.Cancel(now)
		}
	}))
}

func BenchmarkLedger(b *testing.B) {
	b.Run("ReserveCommit", func(b *testing.B) {
		ledger, _ := NewLedger(0.5, time.Minute, DepositRequest, 0)
		for range 2 * b.N {
			ledger.Primary(0)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			if !ledger.Reserve(0) || !ledger.Commit(0) {
				b.Fatal("refused")
			}
		}
	})
	b.Run("Primary", func(b *testing.B) {
		ledger, _ := NewLedger(0.5, time.Minute, DepositRequest, 0)
		b.ReportAllocs()
		for i := range b.N {
			ledger.Primary(time.Duration(i) * 100)
		}
	})
	b.Run("Denied", func(b *testing.B) {
		ledger, _ := NewLedger(0, time.Minute, DepositRequest, 0)
		b.ReportAllocs()
		for i := range b.N {
			ledger.Reserve(time.Duration(i) * 100)
		}
	})
	b.Run("PlainMutexCounterTwice", func(b *testing.B) {
		var mu sync.Mutex
		n := 0
		for range b.N {
			for range 2 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		}
	})
}
