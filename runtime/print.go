package runtime

import (
	"encoding/json"
	"fmt"
	"time"
)

// How an outcome prints and encodes, by itself or as part of an error: without
// header, body and whole key, so that it may be logged as it is
// (RULE-KEY-PRIVATE). Whoever needs those asks for the field.

func (o Outcome) String() string {
	return fmt.Sprintf("%s of %s: %v, effect %v%s", o.Operation, o.Upstream, o.State, o.Effect, o.story())
}

// GoString keeps what String keeps out of "%#v" too.
func (o Outcome) GoString() string { return "runtime.Outcome{" + o.String() + "}" }

// MarshalJSON encodes what may be logged. It cannot be read back.
func (o Outcome) MarshalJSON() ([]byte, error) {
	entry := outcomeEntry{
		Operation: o.Operation, Upstream: o.Upstream, CallID: o.CallID.String(), State: o.State.String(),
		Status: o.Status, Reason: o.Reason.String(), Effect: o.Effect.String(), PriorUnknown: o.PriorUnknown,
		KeyHash: o.KeyHash(), KeyExpires: o.KeyExpires, Attempts: make([]attemptEntry, len(o.Attempts)),
	}
	if o.FailureReason != NoReason {
		entry.FailureReason = o.FailureReason.String()
	}
	if o.Reconciled != Unknown {
		entry.Reconciled = o.Reconciled.String()
	}
	for i, a := range o.Attempts {
		entry.Attempts[i] = attemptEntry{a.Number, a.Evidence.String(), a.Failure.String(), a.Status, a.Start,
			a.Duration.String(), a.Delay.String(), len(a.Hops)}
	}
	return json.Marshal(entry)
}

type outcomeEntry struct {
	Operation     string         `json:"operation"`
	Upstream      string         `json:"upstream"`
	CallID        string         `json:"call_id"`
	State         string         `json:"state"`
	Status        int            `json:"status,omitempty"`
	Reason        string         `json:"reason"`
	FailureReason string         `json:"failure_reason,omitempty"`
	Effect        string         `json:"effect"`
	Reconciled    string         `json:"reconciled,omitempty"`
	PriorUnknown  bool           `json:"prior_unknown,omitempty"`
	KeyHash       string         `json:"key_hash,omitempty"`
	KeyExpires    time.Time      `json:"key_expires,omitzero"`
	Attempts      []attemptEntry `json:"attempts"`
}

type attemptEntry struct {
	Number   int       `json:"number"`
	Evidence string    `json:"evidence"`
	Failure  string    `json:"failure"`
	Status   int       `json:"status,omitempty"`
	Start    time.Time `json:"start"`
	Duration string    `json:"duration"`
	Delay    string    `json:"delay"`
	Hops     int       `json:"hops,omitempty"`
}
