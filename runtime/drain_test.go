package runtime

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrainRace: when the wait is over no call runs, and none is let in any more,
// however many knock meanwhile.
func TestDrainRace(t *testing.T) {
	for range 200 {
		d := newDrain()
		var running, wrong atomic.Int64
		var drained atomic.Bool
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for range 50 {
					over := drained.Load()
					if !d.enter() {
						continue
					}
					running.Add(1)
					if over { // let in too late
						wrong.Add(1)
					}
					running.Add(-1)
					d.leave()
				}
			})
		}
		for range 2 { // draining twice is no error
			callers.Go(func() {
				if err := d.wait(t.Context()); err != nil || running.Load() != 0 || !d.draining() {
					wrong.Add(1)
				}
				drained.Store(true)
			})
		}
		callers.Wait()
		require.Zero(t, wrong.Load())
	}
}
