package runtime

import (
	"strconv"
	"time"
)

// CallID tells the calls of one process apart.
type CallID uint64

func (id CallID) String() string { return strconv.FormatUint(uint64(id), 36) }

// Event is one transition of a call (RULE-STATE). It bears no credential, no
// body and no whole key, so it may be logged as it is.
type Event struct {
	Time      time.Time
	Operation string
	Upstream  string
	CallID    CallID
	From, To  State
	// Attempt is the number of attempts begun so far.
	Attempt int
	// Evidence and Status are those of the last attempt that ended; Status is 0
	// without a final header.
	Evidence Evidence
	Status   int
	// Delay is the wait that begins with a transition to BackoffWait.
	Delay time.Duration
	// Reason and FailureReason are those of the [Outcome], when the call ends; NoReason
	// otherwise.
	Reason        Reason
	FailureReason Reason
	// Effect is what is known when the call ends.
	Effect Effect
	// TokenTaken: the attempt that begins is a retry that the budget paid.
	TokenTaken bool
	// KeyHash stands for the idempotency key; empty without one.
	KeyHash string
}

// observe hands an event to the user's observer. Its panic is not the call's.
func observe(observer func(Event), e Event) {
	defer func() { _ = recover() }()
	observer(e)
}
