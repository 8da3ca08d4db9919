package gateway

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// callerRest is how long a caller that hammers the gateway is told to wait
// (ADV-IR-01).
const callerRest = 30 * time.Second

// maxCallers bounds what is remembered; beyond it, the oldest half is forgotten.
const maxCallers = 100_000

// callers limits each caller by a token bucket of its own. A bucket that nobody
// used for one rest is full again, and forgotten.
type callers struct {
	limit rate.Limit
	burst int

	mu         sync.Mutex
	young, old map[string]*rate.Limiter
	turned     time.Time
}

// newCallers permits each caller a burst, and as much again in each rest.
func newCallers(perRest int) *callers {
	return &callers{
		limit: rate.Limit(float64(perRest) / callerRest.Seconds()),
		burst: perRest,
		young: map[string]*rate.Limiter{},
	}
}

// allow reports whether the caller may go on, and takes one of its tokens.
func (c *callers) allow(caller string) bool {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.turned) > callerRest || len(c.young) >= maxCallers/2 {
		c.young, c.old, c.turned = map[string]*rate.Limiter{}, c.young, now
	}
	bucket := c.young[caller]
	if bucket == nil {
		if bucket = c.old[caller]; bucket == nil {
			bucket = rate.NewLimiter(c.limit, c.burst)
		}
		c.young[caller] = bucket
	}
	return bucket.AllowN(now, 1)
}
