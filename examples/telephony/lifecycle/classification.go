package lifecycle

import "github.com/retrygen/retrygen/runtime"

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
		c.RetryEligible = limited(o)
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

// transient reports whether the last failure is of a kind that passes: one that the
// policy repeats, or would have if the provider had not asked for more patience than
// it has.
func transient(o *runtime.Outcome) bool {
	return len(o.Attempts) > 0 && (o.FailureReason == runtime.NoReason || o.FailureReason == runtime.RetryAfterTooLong)
}

// StoppedByBudget reports whether a call with these reasons ended because the retry
// budget could not pay, and for nothing else.
func StoppedByBudget(reason, failure runtime.Reason) bool {
	return reason == runtime.BudgetExhausted && failure == runtime.NoReason
}

// limited reports whether a limit stopped the call, and not its last failure.
func limited(o *runtime.Outcome) bool {
	switch o.Reason {
	case runtime.MaxAttemptsReached, runtime.BudgetExhausted, runtime.Draining, runtime.DeadlineTooNear:
		return o.FailureReason == runtime.NoReason
	}
	return false
}
