package simulate

import (
	"sort"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// meter writes down what happens, in the order of time. It decides nothing.
type meter struct {
	attempts        []attempt
	failures        map[runtime.Reason]int
	ambiguous       int
	repeatedInDoubt int
	left            []int // the budget at the end of each second
}

// newMeter has room for about so many attempts.
func newMeter(room int) meter {
	return meter{attempts: make([]attempt, 0, room), failures: map[runtime.Reason]int{}}
}

// attempt is one request.
type attempt struct {
	at      time.Duration
	process int32
	retry   bool
	success bool // of a first attempt: its call has succeeded in the end
}

func (m *meter) attempt(c *call, at time.Duration) {
	if c.attempts == 1 {
		c.first = len(m.attempts)
	}
	m.attempts = append(m.attempts, attempt{at: at, process: int32(c.process), retry: c.attempts > 1}) //nolint:gosec // there are at most mostProcesses
}

func (m *meter) succeeded(c *call) { m.attempts[c.first].success = true }

func (m *meter) failed(why runtime.Reason, ambiguous bool) {
	m.failures[why]++
	if ambiguous {
		m.ambiguous++
	}
}

// tally counts attempts.
type tally struct {
	primaries, retries int
	successes          int // of the calls that the first attempts began
}

func (t *tally) add(a attempt) {
	if a.retry {
		t.retries++
		return
	}
	t.primaries++
	if a.success {
		t.successes++
	}
}

// plus is the sum of t and n times o.
func (t tally) plus(o tally, n int) tally {
	return tally{t.primaries + n*o.primaries, t.retries + n*o.retries, t.successes + n*o.successes}
}

func count(attempts []attempt) (t tally) {
	for _, a := range attempts {
		t.add(a)
	}
	return t
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

// What counts as recovered: in every later span no more than one call in twenty fails,
// and retries are fewer than one for 200 calls, or than two a second where that is
// more.
const (
	recoverySpan  = 5 * time.Second
	recoveryStep  = 100 * time.Millisecond
	recoveryFails = 0.05
	recoveryShare = 0.005
	recoveryLeast = 2.0
)

// well reports whether a span shows nothing of a fault.
func (t tally) well(rate float64) bool {
	return float64(t.retries) < max(recoveryLeast, recoveryShare*rate)*recoverySpan.Seconds() &&
		float64(t.primaries-t.successes) <= recoveryFails*float64(t.primaries)
}

// recovered is how long after an instant everything is well until the end; Never
// where it is not. Spans begin at every step.
func (m *meter) recovered(rate float64, from, end time.Duration) time.Duration {
	steps := make([]tally, (end-from)/recoveryStep)
	for _, a := range m.between(from, from+time.Duration(len(steps))*recoveryStep) {
		steps[(a.at-from)/recoveryStep].add(a)
	}
	const long = int(recoverySpan / recoveryStep)
	recovered, span := Never, tally{}
	for i := len(steps) - 1; i >= 0; i-- {
		span = span.plus(steps[i], 1)
		if i+long > len(steps) {
			continue
		}
		if !span.well(rate) {
			break
		}
		recovered = time.Duration(i) * recoveryStep
		span = span.plus(steps[i+long-1], -1)
	}
	return recovered
}
