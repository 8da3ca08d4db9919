package runtime

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Ledger is the [Budget] of one process. In two trailing windows, the
// contract's and one second, it admits retries up to a ratio of what the
// upstream has earned, or up to a floor (RULE-BUDGET-1). It takes constant time
// and memory. [NewLedger] makes one.
type Ledger struct {
	ratio   int64 // in billionths, so that 0.1 is exactly a tenth
	deposit Deposit

	mu       sync.Mutex
	reserved int64
	windows  [2]window
}

const (
	billion = 1_000_000_000

	shortWindow        = time.Second
	shortWindowFloor   = 1
	shortWindowBuckets = 20
	longWindowBuckets  = 250 // divides every window of whole milliseconds
)

// NewLedger makes a ledger for a ratio of 0 to 0.5, a window of 10 seconds to
// 10 minutes and a floor of 0 to 100 retries per window. Ratio 0 and floor 0
// admit no retry at all.
func NewLedger(ratio float64, window time.Duration, deposit Deposit, minPerWindow int) (*Ledger, error) {
	switch {
	case !(ratio >= 0 && ratio <= 0.5):
		return nil, fmt.Errorf("budget ratio %v is not between 0 and 0.5", ratio)
	case window < 10*time.Second || window > 10*time.Minute:
		return nil, fmt.Errorf("budget window %v is not between 10s and 10m", window)
	case deposit > DepositSuccess:
		return nil, fmt.Errorf("budget deposit %d is neither DepositRequest nor DepositSuccess", deposit)
	case minPerWindow < 0 || minPerWindow > 100:
		return nil, fmt.Errorf("budget floor %d is not between 0 and 100", minPerWindow)
	}
	l := &Ledger{ratio: int64(math.Round(ratio * billion)), deposit: deposit}
	l.windows[0].init(window, longWindowBuckets, minPerWindow)
	l.windows[1].init(shortWindow, shortWindowBuckets, shortWindowFloor)
	return l, nil
}

// Primary implements [Budget].
func (l *Ledger) Primary(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.windows {
		w := &l.windows[i]
		if bucket := w.bucketAt(now); bucket != nil {
			bucket.primaries++
			w.primaries++
		}
	}
}

// Success implements [Budget].
func (l *Ledger) Success(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.windows {
		w := &l.windows[i]
		if bucket := w.bucketAt(now); bucket != nil {
			bucket.successes++
			w.successes++
		}
	}
}

// Affords implements [Budget].
func (l *Ledger) Affords(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds(now, 1)
}

// Reserve implements [Budget].
func (l *Ledger) Reserve(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.holds(now, 1) {
		return false
	}
	l.reserved++
	return true
}

// Commit implements [Budget]. Without a reservation it is false.
func (l *Ledger) Commit(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reserved == 0 {
		return false
	}
	held := l.holds(now, 0)
	l.reserved--
	if !held {
		return false
	}
	for i := range l.windows {
		l.windows[i].addRetry()
	}
	return true
}

// Cancel implements [Budget]. Without a reservation it does nothing.
func (l *Ledger) Cancel(time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved = max(0, l.reserved-1)
}

// holds reports whether the bound holds in both windows with so many retries
// more than were reserved and sent.
func (l *Ledger) holds(now time.Duration, more int64) bool {
	for i := range l.windows {
		w := &l.windows[i]
		w.advance(now)
		retries := w.retries + l.reserved + more
		earned := w.primaries
		if l.deposit == DepositSuccess {
			earned = min(earned, w.successes)
		}
		if retries > w.floor && retries*billion > earned*l.ratio {
			return false
		}
	}
	return true
}
