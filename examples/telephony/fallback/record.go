package fallback

import (
	"time"

	"github.com/google/uuid"
)

// Record is what may be known of a send that is not over. It holds no secret.
type Record struct {
	// ID is the send's, from its intent on, and that of its delivery.
	ID    uuid.UUID `json:"id"`
	State State     `json:"state"`
	// Kind is what was to be sent, in the caller's word.
	Kind   string `json:"kind"`
	Class  Class  `json:"class"`
	Effect Effect `json:"effect"`
	// Problem is the code of the problem that the caller was told.
	Problem string `json:"problem,omitempty"`
	// KeyHash is a prefix of the hash of the idempotency key, as the runtime's
	// events and errors show it.
	KeyHash string    `json:"key_hash"`
	Begun   time.Time `json:"begun"`
	Ended   time.Time `json:"ended,omitzero"` // when the send ended without success
	// Expires is when the code ceases to be good; zero where there was none.
	Expires time.Time `json:"expires,omitzero"`
	// Channel is the one that may deliver it; empty before the first try.
	Channel   string    `json:"channel,omitempty"`
	Tries     int       `json:"tries,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"`
	// Closed is when it was delivered, expired or resolved.
	Closed    time.Time  `json:"closed,omitzero"`
	Decisions []Decision `json:"decisions,omitempty"`
}

// State is where a send is on its way through the queue.
type State string

const (
	Sending   State = "sending"   // an intent: its call still runs
	Queued    State = "queued"    // surely not executed, and its code is good: draining delivers it
	Held      State = "held"      // waits for a person
	Delivered State = "delivered" // a channel took it
	Expired   State = "expired"   // surely not executed, and there is no good code to deliver
	Resolved  State = "resolved"  // a person closed it
)

// States lists all of them.
func States() []State { return []State{Sending, Queued, Held, Delivered, Expired, Resolved} }

// closed reports whether nothing more is awaited: the retention runs.
func (s State) closed() bool { return s == Delivered || s == Expired || s == Resolved }

// Class is why a send ended without success.
type Class string

const (
	Exhausted Class = "exhausted" // the last attempt failed, and no further one was permitted
	Budget    Class = "budget"    // the retry budget could not pay for another
	Refused   Class = "refused"   // the provider refused it for good
	Rejected  Class = "rejected"  // it was never admitted: no attempt was made
	Cancelled Class = "cancelled" // the caller gave up
	Ambiguous Class = "ambiguous" // neither success nor failure would be true; or the process died
)

// Classes lists all of them.
func Classes() []Class {
	return []Class{Exhausted, Budget, Refused, Rejected, Cancelled, Ambiguous}
}

// Effect is what is known of the provider's side, in the words of
// runtime.Effect, which are what the file and the API hold.
type Effect string

const (
	Unknown     Effect = "Unknown"
	NotExecuted Effect = "NotExecuted"
	Executed    Effect = "Executed"
)

// stateAfter decides where a send goes that ended without success. Only what
// the provider surely did not execute is delivered by itself.
func stateAfter(class Class, effect Effect, codeIsGood bool) State {
	switch {
	case effect != NotExecuted, class == Ambiguous:
		return Held
	case codeIsGood:
		return Queued
	}
	return Expired
}
