package simulate

import (
	"sort"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// meter writes down what happens, in the order of time. It decides nothing.
type meter struct {
	attempts []attempt
	sent     map[time.Duration]int // calls that succeeded, by the second that they began in
	failures map[runtime.Reason]int
	left     []int // the budget at the end of each second
}

// newMeter has room for about so many attempts.
func newMeter(room int) meter {
	return meter{attempts: make([]attempt, 0, room), sent: map[time.Duration]int{}, failures: map[runtime.Reason]int{}}
}

// attempt is one request.
type attempt struct {
	at      time.Duration
	process int32
	retry   bool
}

func (m *meter) attempt(c *call, at time.Duration) {
	m.attempts = append(m.attempts, attempt{at, int32(c.process), c.attempts > 1}) //nolint:gosec // there are at most mostProcesses
}

func (m *meter) succeeded(c *call) { m.sent[c.begun/time.Second]++ }

func (m *meter) failed(why runtime.Reason) { m.failures[why]++ }

// count tells how many first attempts and retries there are among the attempts.
func count(attempts []attempt) (primaries, retries int) {
	for i := range attempts {
		if attempts[i].retry {
			retries++
		}
	}
	return len(attempts) - retries, retries
}

// trailing visits each attempt with the number of first attempts and retries in the
// span that ends with it.
func (m *meter) trailing(span time.Duration, visit func(a attempt, primaries, retries int)) {
	oldest, retries := 0, 0
	for i, a := range m.attempts {
		if a.retry {
			retries++
		}
		for ; m.attempts[oldest].at <= a.at-span; oldest++ {
			if m.attempts[oldest].retry {
				retries--
			}
		}
		visit(a, i+1-oldest-retries, retries)
	}
}

// peak is the largest number of attempts within any second.
func (m *meter) peak() (most int) {
	m.trailing(time.Second, func(_ attempt, primaries, retries int) { most = max(most, primaries+retries) })
	return most
}

// worst is the largest share of retries in the first attempts of a trailing span,
// over all instants in which a retry was sent.
func (m *meter) worst(span time.Duration) (share float64) {
	m.trailing(span, func(a attempt, primaries, retries int) {
		if a.retry {
			share = max(share, float64(retries)/float64(max(primaries, 1)))
		}
	})
	return share
}

// between are the attempts of [from, to).
func (m *meter) between(from, to time.Duration) []attempt {
	index := func(t time.Duration) int {
		return sort.Search(len(m.attempts), func(i int) bool { return m.attempts[i].at >= t })
	}
	return m.attempts[index(from):index(to)]
}

// What counts as recovered: in every later span retries are fewer than one for 200
// calls, or than two a second where that is more.
const (
	recoverySpan  = 5 * time.Second
	recoveryStep  = 100 * time.Millisecond
	recoveryShare = 0.005
	recoveryLeast = 2.0
)

// recovered is how long after an instant retries are few again; Never where they are
// not until the end.
func (m *meter) recovered(rate float64, from, end time.Duration) time.Duration {
	limit := max(recoveryLeast, recoveryShare*rate) * recoverySpan.Seconds()
	recovered := Never
	for begin := end - recoverySpan; begin >= from; begin -= recoveryStep {
		if _, retries := count(m.between(begin, begin+recoverySpan)); float64(retries) >= limit {
			break
		}
		recovered = begin - from
	}
	return recovered
}
