package gateway

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/retrygen/retrygen/runtime"
)

// TestRecoveryIsWatched (MC-RT-01): after a fault the retries must average below
// two per second from 2.5 s on; else the alert is raised once, and the budget
// begins anew five seconds later.
func TestRecoveryIsWatched(t *testing.T) {
	const clear = 20 * time.Second // of the fault, which began at 10 s
	type expected struct{ alert, reset time.Duration }
	for _, c := range []struct {
		name    string
		retries func(at time.Duration) int // per 100 ms
		fault   bool
		want    expected
	}{
		{"few retries", every(600 * time.Millisecond), true, expected{}},
		{"no fault", every(100 * time.Millisecond), false, expected{}},
		{"many for two seconds", func(at time.Duration) int {
			if at < clear+2*time.Second {
				return 5
			}
			return 0
		}, true, expected{}},
		{"two per second", every(500 * time.Millisecond), true, expected{alert: clear + 9*time.Second, reset: clear + 14*time.Second}},
		{"ten per second", every(100 * time.Millisecond), true, expected{alert: clear + 5*time.Second, reset: clear + 10*time.Second}},
		{"many, then none", func(at time.Duration) int {
			if at < clear+5500*time.Millisecond {
				return 1
			}
			return 0
		}, true, expected{alert: clear + 5*time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			var now time.Time
			var got expected
			r := &recovery{
				alert: func() { require.Zero(t, got.alert); got.alert = now.Sub(start) },
				reset: func() { require.Zero(t, got.reset); got.reset = now.Sub(start) },
			}
			for at := time.Duration(0); at < 40*time.Second; at += 100 * time.Millisecond {
				now = start.Add(at)
				for i := range 100 {
					r.attempted(now, c.fault && at >= 10*time.Second && at < clear && i < 60)
				}
				for range c.retries(at) {
					r.retried(now)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestRecoveryRaisesNoFalseAlarm: what fails anew behind a fault is another fault, and
// no recovery that takes too long.
func TestRecoveryRaisesNoFalseAlarm(t *testing.T) {
	const second = time.Second
	during := func(from, to time.Duration, n int) func(time.Duration) int {
		return func(at time.Duration) int {
			if at >= from && at < to {
				return n
			}
			return 0
		}
	}
	for name, c := range map[string]struct {
		attempts func(at time.Duration) int // per 100 ms; each tenth of a failed one is repeated
		failed   func(at time.Duration) int // a hundredth
	}{
		"the fault returns while its recovery is watched": {nil, during(24*second, 30*second, 60)},
		"it returns at the end of a second":               {nil, during(24*second+900*time.Millisecond, 30*second, 60)},
		"it returns much later":                           {nil, during(60*second, 70*second, 60)},
		"a small fault, much later":                       {nil, during(60*second, 70*second, 5)},
		"a long outage":                                   {nil, during(20*second, 70*second, 100)},
		"no traffic, and a fault when it comes again": {
			func(at time.Duration) int { return 120 - during(25*second, 60*second, 120)(at) },
			during(60*second, 70*second, 60),
		},
		"a trickle that fails": {
			func(at time.Duration) int { return 120 - during(21*second, 80*second, 119)(at) },
			during(21*second, 70*second, 100),
		},
	} {
		t.Run(name, func(t *testing.T) {
			alarmed := func() { t.Error("false alarm") }
			r := &recovery{alert: alarmed, reset: alarmed}
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			first := during(10*second, 20*second, 60)
			for at := time.Duration(0); at < 80*second; at += 100 * time.Millisecond {
				attempts := 120
				if c.attempts != nil {
					attempts = c.attempts(at)
				}
				failed := attempts * max(first(at), c.failed(at)) / 100
				for i := range attempts {
					r.attempted(start.Add(at), i < failed)
				}
				for range (failed + 9) / 10 {
					r.retried(start.Add(at))
				}
			}
		})
	}
}

// every is one retry per span.
func every(span time.Duration) func(time.Duration) int {
	return func(at time.Duration) int {
		if at%span == 0 {
			return 1
		}
		return 0
	}
}

// TestBudgetBeginsAnewEmpty: nothing that was earned or reserved before is left.
func TestBudgetBeginsAnewEmpty(t *testing.T) {
	b := newBudget()
	for range 100 {
		b.Primary(0)
		b.Success(0)
	}
	require.True(t, b.Reserve(0))
	require.True(t, b.Commit(0))
	require.True(t, b.Reserve(0))
	b.reset()
	require.False(t, b.Commit(0), "a retry that waits is not sent")
	require.False(t, b.Affords(0))
	for range 10 {
		b.Primary(0)
		b.Success(0)
	}
	require.True(t, b.Reserve(0))
	b.Cancel(0)
}

// TestBudgetIsThatOfTheContract: the gateway makes its own ledger, since one of the
// upstream cannot begin anew, with the contract's bounds.
func TestBudgetIsThatOfTheContract(t *testing.T) {
	data, err := os.ReadFile("../openapi.yaml")
	require.NoError(t, err)
	var document struct {
		Upstream struct {
			Budget struct {
				Ratio   float64 `yaml:"ratio"`
				Deposit string  `yaml:"deposit"`
				Floor   int     `yaml:"min-per-window"`
				Window  string  `yaml:"window"`
			} `yaml:"budget"`
			Pool struct {
				MaxConnections int `yaml:"max-connections"`
			} `yaml:"pool"`
		} `yaml:"x-upstream"`
	}
	require.NoError(t, yaml.Unmarshal(data, &document))
	b := document.Upstream.Budget
	require.Equal(t, 0.1, b.Ratio)
	require.Equal(t, "success", b.Deposit)
	require.Zero(t, b.Floor)
	require.Empty(t, b.Window, "a minute")
	require.Equal(t, smsConnections, document.Upstream.Pool.MaxConnections)
}

// TestProblemsOfOthersShowNothing: an error that no call has made is an internal
// one.
func TestProblemsOfOthersShowNothing(t *testing.T) {
	p := problemOf(os.ErrPermission)
	require.Equal(t, runtime.CodeInternal, p.Code)
	require.NotContains(t, p.Detail, "permission")
}
