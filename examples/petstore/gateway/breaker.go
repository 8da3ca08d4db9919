package gateway

import (
	"errors"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// ErrOpen is why an open breaker refuses a call.
var ErrOpen = errors.New("the breaker is open")

// Breaker opens after a number of failed calls in a row, and lets one call
// through once its rest is over. It counts calls, not attempts.
type Breaker struct {
	limit int
	rest  time.Duration

	mu       sync.Mutex
	failures int
	openedAt time.Time
	probing  bool
}

// NewBreaker opens after limit failed calls and rests for the given time.
func NewBreaker(limit int, rest time.Duration) *Breaker {
	return &Breaker{limit: limit, rest: rest}
}

// Name is the breaker's name in errors.
func (b *Breaker) Name() string { return "pet-provider" }

// Failures is the number of failed calls in a row.
func (b *Breaker) Failures() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures
}

// Allow implements [runtime.Breaker].
func (b *Breaker) Allow() (func(error), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures >= b.limit {
		if b.probing || time.Since(b.openedAt) < b.rest {
			return nil, ErrOpen
		}
		b.probing = true
	}
	return b.done, nil
}

func (b *Breaker) done(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	switch {
	case err == nil:
		b.failures = 0
	case !runtime.IsNeutral(err):
		b.failures++
		b.openedAt = time.Now()
	}
}
