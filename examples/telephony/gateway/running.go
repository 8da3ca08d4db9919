package gateway

import (
	"context"
	"fmt"
	"sync"
)

// running are the sends that have an intent in the fallback queue, or are about to.
// A send outlives its call: what became of it is written down after that.
type running struct {
	mu    sync.Mutex
	sends int
	ended chan struct{} // there once no more may begin; closed when none runs
}

// begin reports whether a send may begin.
func (r *running) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return false
	}
	r.sends++
	return true
}

func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sends--
	r.closeIfIdle()
}

// end lets no more begin, and waits for those that run, until ctx ends.
func (r *running) end(ctx context.Context) error {
	r.mu.Lock()
	if r.ended == nil {
		r.ended = make(chan struct{})
		r.closeIfIdle()
	}
	r.mu.Unlock()
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sends had not ended, and are held at the next start: %w", ctx.Err())
	}
}

func (r *running) closeIfIdle() {
	if r.ended != nil && r.sends == 0 {
		close(r.ended)
	}
}
