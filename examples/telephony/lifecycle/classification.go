package lifecycle

import (
	"net/http"

	"github.com/retrygen/retrygen/runtime"
)

// Class is what the end of a call means to its caller.
type Class string

const (
	ClassSuccess   Class = "SUCCESS"   // the provider took the message
	ClassTransient Class = "TRANSIENT" // it failed, as it may not the next time
	ClassPermanent Class = "PERMANENT" // it failed, as it would again
	ClassAmbiguous Class = "AMBIGUOUS" // nobody can know whether the message went out
	ClassRejected  Class = "REJECTED"  // never admitted: nothing was sent
	ClassCancelled Class = "CANCELLED" // the caller gave up
)

// Classification is the record of a call's end (MC-FM-01). It is about the failure;
// whether the message went out is the Effect of the outcome.
type Classification struct {
	Class Class `json:"classification"`
	// Status is that of the last response; 0 without one.
	Status int `json:"http_status"`
	// RetryEligible: what stopped the call was a limit (attempts, budget, time, a
	// drain) and not the failure, which the policy repeats under the call's key.
	RetryEligible bool `json:"retry_eligible"`
	// ConsumedBudget is how many tokens of the retry budget the call took: one for
	// each attempt but the first.
	ConsumedBudget int `json:"consumed_budget"`
}

// Classify classifies the end of a call: the outcome is that of [runtime.Report],
// or of [runtime.OutcomeOf] its error. An end without an outcome is unknown to the
// policy, and so PERMANENT.
func Classify(o *runtime.Outcome) Classification {
	if o == nil {
		return Classification{Class: ClassPermanent}
	}
	c := Classification{Class: classOf(o), Status: o.Status, ConsumedBudget: max(len(o.Attempts)-1, 0)}
	if c.Class == ClassTransient || c.Class == ClassAmbiguous {
		c.RetryEligible = limited(o.Reason) && transient(o)
	}
	return c
}

func classOf(o *runtime.Outcome) Class {
	switch stateOf(o.State) {
	case StateDispatched:
		return ClassSuccess
	case StateAmbiguous:
		return ClassAmbiguous
	case StateRejected:
		return ClassRejected
	case StateCancelled:
		return ClassCancelled
	}
	if transient(o) {
		return ClassTransient
	}
	return ClassPermanent
}

// transient reports whether the last failure is of a kind that passes: 429, 503,
// 504 and broken connections. A status that is not known, or a header that makes
// no sense (the runtime stops with StatusNotRetryable), is not.
func transient(o *runtime.Outcome) bool {
	if len(o.Attempts) == 0 || o.Reason == runtime.StatusNotRetryable {
		return false
	}
	last := o.Attempts[len(o.Attempts)-1]
	switch {
	case last.Failure.Permanent():
		return false
	case last.Status == 0, last.Status/100 == 2: // lost, or broken on its way
		return true
	}
	switch last.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// limited reports whether a limit stopped the call, and not its last failure.
func limited(r runtime.Reason) bool {
	switch r {
	case runtime.MaxAttemptsReached, runtime.BudgetExhausted, runtime.Draining, runtime.DeadlineTooNear:
		return true
	}
	return false
}
