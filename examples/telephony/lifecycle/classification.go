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

// Reason is why a call stopped: the runtime's reason, or the last failure where the
// runtime names a limit though the policy would not have repeated the call.
func Reason(o *runtime.Outcome) runtime.Reason {
	if len(o.Attempts) == 0 || !limited(o.Reason) || transient(o) {
		return o.Reason
	}
	if o.Attempts[len(o.Attempts)-1].Failure.Permanent() {
		return runtime.PermanentFailure
	}
	return runtime.StatusNotRetryable
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

// transient reports whether the last failure is of a kind that passes. A header
// that makes no sense is not: the runtime stops with StatusNotRetryable.
func transient(o *runtime.Outcome) bool {
	if len(o.Attempts) == 0 || o.Reason == runtime.StatusNotRetryable {
		return false
	}
	last := o.Attempts[len(o.Attempts)-1]
	return !last.Failure.Permanent() && passes(last.Evidence, last.Status)
}

// passes reports whether a failed attempt is of a kind that passes: 429, 503, 504
// and broken connections. A status that is not known is not.
func passes(evidence runtime.Evidence, status int) bool {
	switch status {
	case 0: // unless a header said so
		return evidence == runtime.NotSent || evidence == runtime.SentNoResponse
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return status/100 == 2 && evidence == runtime.PartialResponse
}

// StoppedByBudget reports whether an event ends a call because the retry budget could
// not pay. The runtime asks its limits before it looks at the failure, so that it
// names the budget also where the policy would not have repeated the call.
func StoppedByBudget(e runtime.Event) bool {
	return e.To.Terminal() && e.Reason == runtime.BudgetExhausted && passes(e.Evidence, e.Status)
}

// limited reports whether the runtime names a limit as what stopped the call, and
// not its last failure.
func limited(r runtime.Reason) bool {
	switch r {
	case runtime.MaxAttemptsReached, runtime.BudgetExhausted, runtime.Draining, runtime.DeadlineTooNear:
		return true
	}
	return false
}
