package gateway_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/internal/race"
	"github.com/retrygen/retrygen/examples/telephony/provider"
)

// scheduled is a fault as the schedules of [world] have it.
type scheduled struct {
	fault provider.Fault
	final bool // a 4xx that must end the call (INV-RTY-03)
}

var faults = []scheduled{
	{fault: provider.Status(429)},
	{fault: provider.Status(429)},
	{fault: provider.Status(429, "Retry-After", "1")},
	{fault: provider.Status(429, "Retry-After", "30")},
	{fault: provider.Status(503)},
	{fault: provider.Status(503, "Retry-After", "2")},
	{fault: provider.Status(504)},
	{fault: provider.Reset()},
	{fault: provider.Acting(provider.Reset())},
	{fault: provider.Hang(time.Minute)},
	{fault: provider.Status(500)},
	{fault: provider.Status(502)},
	{fault: provider.Acting(provider.Garble(201))},
	{fault: provider.Status(400), final: true},
	{fault: provider.Status(401), final: true},
	{fault: provider.Status(403), final: true},
	{fault: provider.Status(404), final: true},
	{fault: provider.Status(408), final: true},
	{fault: provider.Status(422), final: true},
}

const (
	worlds         = 40
	sendsPerWorld  = 400
	latencyOfWorld = 5 * time.Millisecond
)

// world is a gateway under random traffic before a provider that fails by a random
// schedule for each send.
type world struct {
	random    *rand.Rand
	schedules map[string][3]scheduled // by key
}

func newWorld(seed uint64) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, 0)), schedules: map[string][3]scheduled{}}
	share := w.random.Float64() / 3 // more leaves no budget, and no retries to look at
	for i := range sendsPerWorld {
		var s [3]scheduled
		unlucky := w.random.IntN(10) == 0 // 429 as often as it is sent
		for attempt := range s {
			switch {
			case unlucky:
				s[attempt] = faults[0]
			case w.random.Float64() < share:
				s[attempt] = faults[w.random.IntN(len(faults))]
			}
		}
		w.schedules[keyOf(i)] = s
	}
	return w
}

func keyOf(i int) string { return fmt.Sprintf("SMS-2FA-u%d-s%d", i%7, i) }

// meets is what a request meets.
func (w *world) meets(a provider.Arrival) (s scheduled) {
	if schedule := w.schedules[a.Key]; a.Attempt >= 1 && a.Attempt <= len(schedule) {
		s = schedule[a.Attempt-1]
	}
	return s
}

// run sends in bursts of random rates, and returns how many ended without success.
func (w *world) run(b *bench) (failed int) {
	var sends sync.WaitGroup
	var mu sync.Mutex
	rate := 0.0
	for i := range sendsPerWorld {
		if i%100 == 0 {
			time.Sleep(time.Duration(w.random.Int64N(int64(3 * time.Second))))
			rate = 20 + 280*w.random.Float64()
		}
		time.Sleep(time.Duration(w.random.ExpFloat64() / rate * float64(time.Second)))
		sends.Go(func() {
			_, err := b.SendCode(b.t.Context(), gateway.Login{
				UserID: fmt.Sprintf("u%d", i%7), LoginSessionID: fmt.Sprintf("s%d", i), To: login.To, Code: login.Code,
			})
			if err != nil {
				mu.Lock()
				failed++
				mu.Unlock()
			}
		})
	}
	sends.Wait()
	return failed
}

// TestInvariants holds the gateway to the five invariants by what the provider has
// seen, over 16,000 random fault schedules.
func TestInvariants(t *testing.T) {
	var pauses []time.Duration
	worlds := worlds
	if race.Enabled {
		worlds /= 4
	}
	for seed := range uint64(worlds) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(seed)
			b := newBench(t, provider.Options{
				Latency: func() time.Duration { return latencyOfWorld },
				Fault:   func(a provider.Arrival) provider.Fault { return w.meets(a).fault },
			}, func(c *gateway.Config) { c.QueueNoSync, c.PerLogin = true, sendsPerWorld })
			failed := w.run(b)
			arrivals := b.provider.Arrivals()
			requireTenPercent(t, arrivals)
			pauses = append(pauses, w.requireSends(t, arrivals)...)
			require.LessOrEqual(t, b.provider.Sent(), sendsPerWorld)
			require.Len(t, b.records(), failed, "what failed is in the queue, once each")
		})
	}
	t.Logf("%d schedules, %d retries", worlds*sendsPerWorld, len(pauses))
	require.Greater(t, len(pauses), 15*worlds, "there was something to see")
	requireJitter(t, pauses)
}

// requireSends looks at each send by itself, and returns the pauses before its
// retries.
func (w *world) requireSends(t *testing.T, arrivals []provider.Arrival) (pauses []time.Duration) {
	last := map[string]provider.Arrival{}
	for _, a := range arrivals {
		require.Contains(t, w.schedules, a.Key, "INV-RTY-05: a key is that of its user and session")
		before, again := last[a.Key]
		last[a.Key] = a
		require.Equal(t, before.Attempt+1, a.Attempt, "INV-RTY-05: the attempts of a send, and no other, bear its key")
		require.LessOrEqual(t, a.Attempt, 3, "INV-RTY-01")
		if !again {
			continue
		}
		require.False(t, w.meets(before).final, "INV-RTY-03: nothing follows a 4xx")
		pause := a.Time.Sub(before.Time) - latencyOfWorld
		require.GreaterOrEqual(t, pause, time.Millisecond, "INV-RTY-02: no retry is immediate")
		pauses = append(pauses, pause)
	}
	require.Len(t, last, sendsPerWorld, "each send was tried")
	return pauses
}

// requireTenPercent is INV-RTY-04, at every retry over the trailing minute, and over
// the trailing second, where one retry is always permitted.
func requireTenPercent(t *testing.T, arrivals []provider.Arrival) {
	for i, a := range arrivals {
		if a.Attempt == 1 {
			continue
		}
		primaries, retries := within(arrivals[:i+1], time.Minute)
		require.LessOrEqual(t, 10*retries, primaries, "INV-RTY-04 at arrival %d, in a minute", i)
		primaries, retries = within(arrivals[:i+1], time.Second)
		require.LessOrEqual(t, 10*retries, max(primaries, 10), "INV-RTY-04 at arrival %d, in a second", i)
	}
}

// within counts the arrivals of a window that ends with the last one.
func within(arrivals []provider.Arrival, window time.Duration) (primaries, retries int) {
	last := arrivals[len(arrivals)-1].Time
	for _, a := range slices.Backward(arrivals) {
		switch {
		case last.Sub(a.Time) >= window:
			return primaries, retries
		case a.Attempt == 1:
			primaries++
		default:
			retries++
		}
	}
	return primaries, retries
}

// requireJitter is the other half of INV-RTY-02: pauses are spread, those that
// Retry-After asks for aside.
func requireJitter(t *testing.T, pauses []time.Duration) {
	drawn, seen := 0, map[time.Duration]int{}
	for _, p := range pauses {
		if p < 400*time.Millisecond {
			drawn++
			seen[p.Truncate(10*time.Millisecond)]++
		}
	}
	for p, n := range seen {
		require.Less(t, n, drawn/8, "%d of %d retries came %v after a failure", n, drawn, p)
	}
	require.Greater(t, len(seen), 20)
}

// TestDelays (MC-PO-01): over 10,000 sends the pauses are drawn evenly from up to
// 200 ms before the second attempt and up to 400 ms before the third; Retry-After
// up to 3 s lengthens them, and a longer one ends the call.
func TestDelays(t *testing.T) {
	runs := 10_000
	if race.Enabled {
		runs /= 5
	}
	for _, c := range []struct {
		name   string
		header []string
		runs   int
		most   []time.Duration // before attempt 2, 3
		least  time.Duration
	}{
		{"jitter", nil, runs, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}, time.Millisecond},
		// A draw is added, so that not all come back in the same instant.
		{"Retry-After: 1", []string{"Retry-After", "1"}, runs / 5, []time.Duration{1200 * time.Millisecond, 1400 * time.Millisecond}, time.Second},
		{"Retry-After: 3", []string{"Retry-After", "3"}, runs / 5, []time.Duration{3200 * time.Millisecond}, 3 * time.Second},
		{"Retry-After: 4", []string{"Retry-After", "4"}, runs / 5, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := provider.New(provider.Options{Fault: func(provider.Arrival) provider.Fault {
					return provider.Status(http.StatusTooManyRequests, c.header...)
				}})
				client := unlimited(t, p)
				for i := range c.runs {
					m := newMessage(i)
					_, err := client.SendMessage(t.Context(), m)
					require.Error(t, err)
				}
				pauses := make([][]time.Duration, 2)
				var before provider.Arrival
				for _, a := range p.Arrivals() {
					if a.Attempt > 1 {
						require.Equal(t, before.Key, a.Key)
						pauses[a.Attempt-2] = append(pauses[a.Attempt-2], a.Time.Sub(before.Time))
					}
					before = a
				}
				for i, drawn := range pauses {
					if i >= len(c.most) {
						require.Empty(t, drawn, "attempt %d", i+2)
						continue
					}
					require.Len(t, drawn, c.runs)
					requireEven(t, drawn, c.least, c.most[i])
				}
			})
		})
	}
}

// requireEven: values are within the bounds, and each tenth of the span holds about
// a tenth of them.
func requireEven(t *testing.T, values []time.Duration, least, most time.Duration) {
	var tenths [10]int
	for _, v := range values {
		require.GreaterOrEqual(t, v, least)
		require.LessOrEqual(t, v, most)
		tenths[min(9, int(10*(v-least)/(most-least)))]++
	}
	for i, n := range tenths {
		// Six standard deviations, so that chance does not break the test.
		require.InDelta(t, len(values)/10, n, 6*math.Sqrt(0.09*float64(len(values))), "tenth %d", i)
	}
}
