package lifecycle

import (
	"fmt"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Topic is the Kafka topic of the events.
const Topic = "auth.sms.lifecycle.v1"

// Schema is the version of Event.
const Schema = 1

// Event is one transition of a call, as JSON on the topic. It bears no code, no
// text, no phone number and no whole key. The words of evidence, reason and effect
// are the runtime's.
type Event struct {
	Schema int `json:"schema"`
	// ID is the same each time the event is delivered, and no other event has it.
	ID string `json:"id"`
	// Call is the same for all events of a call, and no other call has it.
	Call string `json:"call"`
	// Sequence counts the events of a call, from 1.
	Sequence  int       `json:"sequence"`
	Time      time.Time `json:"time"`
	Operation string    `json:"operation"`
	Upstream  string    `json:"upstream"`
	// KeyHash stands for the idempotency key; empty where the call has none yet.
	KeyHash string `json:"key_hash,omitempty"`
	From    State  `json:"from"`
	To      State  `json:"to"`
	// Attempt is how many attempts have begun.
	Attempt int `json:"attempt"`
	// Evidence and Status are those of the last attempt that has ended.
	Evidence string `json:"evidence,omitempty"`
	Status   int    `json:"status,omitempty"`
	// DelayMS is the wait that begins.
	DelayMS int64 `json:"delay_ms,omitempty"`
	// Reason and Effect come with the end of the call.
	Reason string `json:"reason,omitempty"`
	Effect string `json:"effect,omitempty"`
	// TokenTaken: the attempt that begins is a retry, paid by the budget.
	TokenTaken bool `json:"token_taken,omitempty"`
}

// newEvent is a transition in the words of the topic. A call is told apart from
// those of other processes by the instance.
func newEvent(instance string, sequence int, e runtime.Event) Event {
	call := fmt.Sprintf("%s-%v", instance, e.CallID)
	event := Event{
		Schema:     Schema,
		ID:         fmt.Sprintf("%s-%d", call, sequence),
		Call:       call,
		Sequence:   sequence,
		Time:       e.Time.UTC(),
		Operation:  e.Operation,
		Upstream:   e.Upstream,
		KeyHash:    e.KeyHash,
		From:       stateOf(e.From),
		To:         stateAfter(e),
		Attempt:    e.Attempt,
		Status:     e.Status,
		DelayMS:    e.Delay.Milliseconds(),
		TokenTaken: e.TokenTaken,
	}
	if e.From != runtime.StateSubmitted {
		event.Evidence = e.Evidence.String()
	}
	if e.To.Terminal() {
		event.Reason, event.Effect = e.Reason.String(), e.Effect.String()
	}
	return event
}
