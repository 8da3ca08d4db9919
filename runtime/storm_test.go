package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime/wire"
)

// far is an upstream that answers at once, in memory, so that thousands of
// calls fit into a bubble of virtual time.
type far func(*http.Request) int

func (f far) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return &http.Response{StatusCode: f(r), Header: http.Header{}, Request: r,
		Body: io.NopCloser(bytes.NewReader([]byte(`{"name":"rex"}`))), ContentLength: -1}, nil
}

// strict is the contract of an upstream whose retries are a tenth of what it
// gets, and no floor.
func strict() UpstreamContract {
	c := contract
	c.BudgetMinPerWindow = 0
	return c
}

func reach(t *testing.T, c UpstreamContract, f far) *Upstream {
	t.Helper()
	u, err := NewUpstream(c, "http://pets.test", UpstreamConfig{RoundTripper: f}, nil)
	require.NoError(t, err)
	return u
}

// TestTotalOutage: of a thousand calls at most a hundred are repeated, even if
// each would like to be, twice (RULE-BUDGET-1).
func TestTotalOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		u := reach(t, strict(), func(*http.Request) int { sent.Add(1); return 503 })
		var exhausted atomic.Int64
		var all sync.WaitGroup
		for range 1000 {
			time.Sleep(10 * time.Millisecond)
			all.Go(func() {
				var o Outcome
				_ = exec(t.Context(), u, slow(), &o)
				if o.Reason == BudgetExhausted {
					exhausted.Add(1)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, sent.Load(), int64(1100))
		require.Greater(t, sent.Load(), int64(1040), "the budget is there to be used")
		require.Greater(t, exhausted.Load(), int64(800))
	})
}

// shared asks a store that all processes share, and the process's own ledger
// where the store does not answer.
type shared struct {
	*Ledger
	store func() (bool, error)
}

func (s *shared) Reserve(now time.Duration) bool {
	own := s.Ledger.Reserve(now)
	granted, err := s.store()
	if own && err == nil && !granted {
		s.Cancel(now)
		return false
	}
	return own
}

// TestSharedBudget takes the ledger's place: the store decides, and its failure
// leaves the ledger's bound and no less (RULE-BUDGET-6).
func TestSharedBudget(t *testing.T) {
	for name, tt := range map[string]struct {
		granted bool
		err     error
		most    int64
	}{
		"the store grants":  {true, nil, 110},
		"the store refuses": {false, nil, 100},
		"the store is down": {false, errors.New("down"), 110},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ledger, err := NewLedger(0.1, time.Minute, DepositRequest, 0)
				require.NoError(t, err)
				var sent atomic.Int64
				u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{
					Budget:       &shared{ledger, func() (bool, error) { return tt.granted, tt.err }},
					RoundTripper: far(func(*http.Request) int { sent.Add(1); return 503 }),
				}, nil)
				require.NoError(t, err)
				for range 100 {
					_ = exec(t.Context(), u, slow(), new(Outcome))
				}
				require.LessOrEqual(t, sent.Load(), tt.most)
				require.Equal(t, tt.most > 100, sent.Load() > 100)
			})
		})
	}
}

// TestBudgetComesBackByTime: what an outage has spent is not lost for the life
// of the process, and needs no success to return (RULE-BUDGET-1).
func TestBudgetComesBackByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := reach(t, strict(), func(*http.Request) int { return 503 })
		attempts := func(calls int) (n int) {
			for range calls {
				var o Outcome
				_ = exec(t.Context(), u, slow(), &o)
				n += len(o.Attempts)
			}
			return n
		}
		drain := func() {
			for range 100 {
				u.budget.Primary(u.now())
			}
			for u.budget.Reserve(u.now()) {
				require.True(t, u.budget.Commit(u.now()))
			}
		}
		drain()
		require.Equal(t, 5, attempts(5), "nothing is left")
		time.Sleep(62 * time.Second)
		require.Equal(t, 11, attempts(10), "ten calls pay for one retry")
	})
}

// TestStormAfterHealthyMinutes: good times are no savings. At every moment the
// retries of the last minute are a tenth of its calls, and no second bears more
// than a tenth on top (RULE-BUDGET-1, RULE-BUDGET-3).
func TestStormAfterHealthyMinutes(t *testing.T) {
	const perSecond, healthy, storm = 250, 300, 60 // seconds
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sick := start.Add(healthy * time.Second)
		random := rand.New(rand.NewPCG(1, 2))
		primaries, retries := make([]int, (healthy+storm+10)*1000), make([]int, (healthy+storm+10)*1000)
		var mu sync.Mutex
		u := reach(t, strict(), func(r *http.Request) int {
			mu.Lock()
			defer mu.Unlock()
			ms := time.Since(start).Milliseconds()
			if r.Header.Get(AttemptHeader) == "1" {
				primaries[ms]++
			} else {
				retries[ms]++
			}
			if time.Now().After(sick) && random.IntN(100) < 60 {
				return 429
			}
			return 200
		})
		op := slow()
		var all sync.WaitGroup
		for range (healthy + storm) * perSecond {
			all.Go(func() { _ = exec(t.Context(), u, op, new(Outcome)) })
			time.Sleep(time.Second / perSecond)
		}
		all.Wait()
		require.LessOrEqual(t, busiest(1000, primaries, retries), perSecond*110/100)
		perMinute := busiest(60_000, retries)
		require.LessOrEqual(t, perMinute, perSecond*60/10)
		require.Greater(t, perMinute, perSecond*60*8/100, "the budget is there to be used")
	})
}

// TestClientsDoNotReturnAsAWave: a thousand clients that fail in one instant
// come back spread (RULE-BACKOFF-1).
func TestClientsDoNotReturnAsAWave(t *testing.T) {
	const clients, bin = 1000, 5 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		bins := map[time.Duration]int{}
		var all sync.WaitGroup
		for range clients {
			u := reach(t, contract, func(r *http.Request) int {
				if r.Header.Get(AttemptHeader) == "1" {
					return 503
				}
				mu.Lock()
				defer mu.Unlock()
				bins[time.Since(start)/bin]++
				return 200
			})
			all.Go(func() { require.NoError(t, exec(t.Context(), u, slow(), new(Outcome))) })
		}
		all.Wait()
		const mean = clients / int(200*time.Millisecond/bin)
		sum := 0
		for at, n := range bins {
			require.Less(t, n, 3*mean, "retries within 5 ms from %v", at*bin)
			sum += n
		}
		require.Equal(t, clients, sum)
		require.Zero(t, bins[200*time.Millisecond/bin+1], "later than the ceiling")
	})
}

// TestRetriesPassTheBulkheadToo: first attempts and others together are never
// more than it has places (RULE-BACKOFF-5).
func TestRetriesPassTheBulkheadToo(t *testing.T) {
	const places = 3
	synctest.Test(t, func(t *testing.T) {
		var running, most, sent atomic.Int64
		c := contract
		c.MaxConcurrent = places
		u, err := NewUpstream(c, "http://pets.test", UpstreamConfig{Budget: plenty{}, RoundTripper: far(func(*http.Request) int {
			now := running.Add(1)
			defer running.Add(-1)
			sent.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			time.Sleep(20 * time.Millisecond)
			return 503
		})}, nil)
		require.NoError(t, err)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { _ = exec(t.Context(), u, slow(), new(Outcome)) })
		}
		all.Wait()
		require.EqualValues(t, 150, sent.Load())
		require.EqualValues(t, places, most.Load())
		require.NoError(t, u.Drain(context.Background()))
	})
}

// TestClientInAClient: three attempts, each of which calls the same upstream
// again, are three further attempts and not nine (RULE-OWNER-1).
func TestClientInAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var outer, inner atomic.Int64
		var u *Upstream
		u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{Budget: plenty{}, RoundTripper: far(func(r *http.Request) int {
			if r.Header.Get("X-Inner") != "" {
				inner.Add(1)
				return 503
			}
			outer.Add(1)
			var header wire.Header
			header.Set("X-Inner", "1")
			_ = Exec(r.Context(), u, slow(), Request{Path: []string{"/pets"}, Header: header},
				func(*Response) error { return nil }, nil)
			return 503
		})}, nil)
		require.NoError(t, err)
		require.Equal(t, "status", kind(exec(t.Context(), u, slow(), new(Outcome))))
		require.EqualValues(t, 3, outer.Load())
		require.EqualValues(t, 3, inner.Load())
	})
}
