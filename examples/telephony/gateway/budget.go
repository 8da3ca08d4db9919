package gateway

import (
	"sync/atomic"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// budget is a retry budget that can begin anew. What was reserved before is gone
// then: a retry that waits is not sent.
type budget struct {
	ledger atomic.Pointer[runtime.Ledger]
}

// newBudget has the bounds of the contract of pool-sms-auth: a tenth of the
// successful sends in every minute and every second, and no floor.
func newBudget() *budget {
	b := &budget{}
	b.reset()
	return b
}

func (b *budget) reset() {
	ledger, err := runtime.NewLedger(0.1, time.Minute, runtime.DepositSuccess, 0)
	if err != nil {
		panic(err) // the bounds above are constants
	}
	b.ledger.Store(ledger)
}

// These implement [runtime.Budget].

func (b *budget) Primary(now time.Duration)      { b.ledger.Load().Primary(now) }
func (b *budget) Success(now time.Duration)      { b.ledger.Load().Success(now) }
func (b *budget) Affords(now time.Duration) bool { return b.ledger.Load().Affords(now) }
func (b *budget) Reserve(now time.Duration) bool { return b.ledger.Load().Reserve(now) }
func (b *budget) Commit(now time.Duration) bool  { return b.ledger.Load().Commit(now) }
func (b *budget) Cancel(now time.Duration)       { b.ledger.Load().Cancel(now) }
