package drill

import (
	"slices"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// meter writes down what happened when, as times since the start. It decides
// nothing; see [measure].
type meter struct {
	start time.Time

	mu        sync.Mutex
	primaries []time.Duration // first attempts
	retries   []time.Duration
	successes []time.Duration // of calls
	logins    []login
}

// login is one login, as its caller saw it.
type login struct {
	at      time.Duration
	took    time.Duration
	success bool
	code    string // of the problem
}

// observe notes what the runtime does.
func (m *meter) observe(e runtime.Event) {
	at := e.Time.Sub(m.start)
	switch e.To {
	case runtime.StateAttempting:
		m.attempt(at, e.Attempt == 1)
	case runtime.StateDispatched:
		m.succeeded(at)
	}
}

func (m *meter) attempt(at time.Duration, primary bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if primary {
		m.primaries = append(m.primaries, at)
	} else {
		m.retries = append(m.retries, at)
	}
}

func (m *meter) succeeded(at time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.successes = append(m.successes, at)
}

func (m *meter) note(l login) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logins = append(m.logins, l)
}

// sorted brings all in the order of time.
func (m *meter) sorted() {
	slices.Sort(m.primaries)
	slices.Sort(m.retries)
	slices.Sort(m.successes)
	slices.SortFunc(m.logins, func(a, b login) int { return int(a.at - b.at) })
}

// within counts the times in (to-span, to].
func within(times []time.Duration, to, span time.Duration) int {
	return after(times, to) - after(times, to-span)
}

// after is the index of the first time later than t.
func after(times []time.Duration, t time.Duration) int {
	i, _ := slices.BinarySearch(times, t+1)
	return i
}

// worstRatio is the largest share of retries in the primaries of a trailing span,
// over all instants at which a retry was sent.
func (m *meter) worstRatio(span time.Duration) (worst float64) {
	for i, at := range m.retries {
		retries := i + 1 - after(m.retries[:i], at-span)
		if primaries := within(m.primaries, at, span); primaries > 0 {
			worst = max(worst, float64(retries)/float64(primaries))
		}
	}
	return worst
}

// peak is the largest number of attempts in a second, the calendar's or any.
func (m *meter) peak() (calendar, trailing int) {
	all := slices.Concat(m.primaries, m.retries)
	slices.Sort(all)
	seconds := map[time.Duration]int{}
	for i, at := range all {
		trailing = max(trailing, i+1-after(all[:i], at-time.Second))
		seconds[at/time.Second]++
		calendar = max(calendar, seconds[at/time.Second])
	}
	return calendar, trailing
}

// quiet is how long after an instant the retries of every window that begins
// later average below two per second. It is negative where they never do.
func (m *meter) quiet(from, end, window time.Duration) time.Duration {
	const step = 100 * time.Millisecond
	limit := int(2 * window.Seconds())
	recovered := time.Duration(-1)
	for begin := end - window; begin >= from; begin -= step {
		if within(m.retries, begin+window, window) >= limit {
			break
		}
		recovered = begin - from
	}
	return recovered
}
