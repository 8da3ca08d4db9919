package gateway

import (
	"net/http"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Bounds of a recovery (MC-RT-01).
const (
	// CodeRecoveryLag is the alert: the fault is over, and retries go on.
	CodeRecoveryLag = "ALERT_RETRY_RECOVERY_LAG"

	recoveryGrace   = 2500 * time.Millisecond // after the fault, until retries must be few
	recoveryWindow  = 5 * time.Second
	recoveryRetries = 10              // within the window: two per second
	recoveryReset   = 5 * time.Second // from the alert to an empty budget

	// A fault begins when so many of the attempts of a second failed, and is over
	// when fewer did.
	faultBegins, faultEnds = 0.1, 0.01
	faultAttempts          = 20 // that a second must have for a share to mean anything
)

// recovery watches the attempts of an upstream: once a fault is over, retries must
// become few within 2.5 s. If they do not, something repeats what it should not:
// the alert is raised, and five seconds later the retry budget begins anew, empty.
type recovery struct {
	alert func()
	reset func()

	mu      sync.Mutex
	second  time.Time // the beginning of the second that is counted
	failed  int
	ended   int
	faulty  bool
	cleared time.Time   // when the last fault was over; zero: there was none
	retries []time.Time // since recoveryGrace after it, at most recoveryRetries
	alerted time.Time
}

// observe follows the attempts of the upstream's calls.
func (r *recovery) observe(e runtime.Event) {
	if e.TokenTaken {
		r.retried(e.Time)
	}
	if e.From == runtime.StateAttempting {
		r.attempted(e.Time, e.Status == 0 || e.Status == http.StatusTooManyRequests || e.Status >= 500)
	}
}

// attempted notes the end of an attempt.
func (r *recovery) attempted(now time.Time, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.second) >= time.Second {
		r.judge(now)
	}
	r.ended++
	if failed {
		r.failed++
	}
}

// judge closes a second.
func (r *recovery) judge(now time.Time) {
	if r.ended >= faultAttempts {
		switch share := float64(r.failed) / float64(r.ended); {
		case share >= faultBegins:
			r.faulty, r.cleared, r.retries, r.alerted = true, time.Time{}, nil, time.Time{}
		case share < faultEnds && r.faulty:
			// Its last failure was before the second that is over now.
			r.faulty, r.cleared = false, r.second
		}
	}
	r.second, r.failed, r.ended = now, 0, 0
}

// retried notes that a retry was sent.
func (r *recovery) retried(now time.Time) {
	alert, reset := r.late(now)
	if alert {
		r.alert()
	}
	if reset {
		r.reset()
	}
}

// late counts a retry, and says what is due.
func (r *recovery) late(now time.Time) (alert, reset bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cleared.IsZero() || now.Sub(r.cleared) < recoveryGrace {
		return false, false
	}
	for len(r.retries) > 0 && now.Sub(r.retries[0]) >= recoveryWindow {
		r.retries = r.retries[1:]
	}
	r.retries = append(r.retries, now)
	if len(r.retries) < recoveryRetries {
		return false, false
	}
	r.retries = r.retries[1:]
	switch {
	case r.alerted.IsZero():
		r.alerted = now
		return true, false
	case now.Sub(r.alerted) >= recoveryReset:
		r.cleared, r.alerted, r.retries = time.Time{}, time.Time{}, nil
		return false, true
	}
	return false, false
}
