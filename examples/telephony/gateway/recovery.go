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

	mu     sync.Mutex
	second time.Time // the beginning of the second that is counted
	failed int
	ended  int
	watch
}

// watch is what is known of a fault and of the recovery from it; zero when neither
// is under way.
type watch struct {
	faulty  bool
	cleared time.Time   // when the fault was over
	retries []time.Time // since recoveryGrace after it, the last recoveryRetries
	late    int         // seconds at whose end there were too many
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

// retried notes that a retry was sent.
func (r *recovery) retried(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cleared.IsZero() || now.Sub(r.cleared) < recoveryGrace {
		return
	}
	r.retries = append(r.retries, now)
	if len(r.retries) > recoveryRetries {
		r.retries = r.retries[1:]
	}
}

// attempted notes the end of an attempt.
func (r *recovery) attempted(now time.Time, failed bool) {
	alert, reset := r.count(now, failed)
	if alert {
		r.alert()
	}
	if reset {
		r.reset()
	}
}

func (r *recovery) count(now time.Time, failed bool) (alert, reset bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.second) >= time.Second {
		alert, reset = r.judge(now)
	}
	r.ended++
	if failed {
		r.failed++
	}
	return alert, reset
}

// judge closes a second, and says what is due.
func (r *recovery) judge(now time.Time) (alert, reset bool) {
	began, ended, failed := r.second, float64(r.ended), float64(r.failed)
	r.second, r.ended, r.failed = now, 0, 0
	busy := ended >= faultAttempts
	switch {
	case busy && failed >= faultBegins*ended:
		r.watch = watch{faulty: true}
	case busy && failed < faultEnds*ended && r.faulty:
		r.watch = watch{cleared: began} // its last failure was before
	case !r.cleared.IsZero():
		return r.judgeRecovery(now, busy)
	}
	return false, false
}

// judgeRecovery ends the watch when retries are few. Where they go on, one second
// more must show that it is not the fault that goes on: of one that has returned
// within a second, that second shows little.
func (w *watch) judgeRecovery(now time.Time, busy bool) (alert, reset bool) {
	many := len(w.retries) == recoveryRetries && now.Sub(w.retries[0]) <= recoveryWindow
	switch {
	case !many && now.Sub(w.cleared) >= recoveryGrace+recoveryWindow:
		*w = watch{}
	case !many:
		w.late = 0
	case busy:
		w.late++
	}
	switch {
	case w.late < 2:
		return false, false
	case w.alerted.IsZero():
		w.alerted = now
		return true, false
	case now.Sub(w.alerted) < recoveryReset:
		return false, false
	}
	*w = watch{}
	return false, true
}
