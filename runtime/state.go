package runtime

import "fmt"

// State is where a call is in its life (RULE-STATE).
type State uint8

const (
	StateSubmitted State = iota
	StateAttempting
	StateBackoffWait
	StateReconciling // OnAmbiguous is asked what happened
	// The rest are terminal: every call ends in exactly one of them.
	StateDispatched        // a 2xx arrived whole
	StateRejected          // never admitted: 0 attempts
	StateCancelled         // the caller gave up
	StateBudgetExhausted   // the retry budget could not pay
	StateTerminalExhausted // the last permitted attempt failed
	StateDenied            // a rule denied a further attempt
	StateAmbiguous         // nobody can know: whatever stopped the call
	StateReconciled        // it happened, as OnAmbiguous says
)

// Terminal reports whether a call ends in the state.
func (s State) Terminal() bool { return s >= StateDispatched }

// successors is the closed table of transitions.
var successors = [...][]State{
	StateSubmitted: {StateAttempting, StateRejected, StateCancelled},
	StateAttempting: {StateDispatched, StateBackoffWait, StateReconciling, StateBudgetExhausted, StateTerminalExhausted,
		StateDenied, StateAmbiguous, StateCancelled},
	StateBackoffWait: {StateAttempting, StateReconciling, StateBudgetExhausted, StateDenied, StateAmbiguous, StateCancelled},
	StateReconciling: {StateReconciled, StateBackoffWait, StateBudgetExhausted, StateTerminalExhausted, StateDenied,
		StateAmbiguous, StateCancelled},
}

// TransitionError is an illegal transition of a call's state: a fault of the
// runtime. The call fails with it instead of going on (RULE-STATE).
type TransitionError struct {
	Operation string
	From, To  State
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("retrygen: %s: illegal transition from %v to %v", e.Operation, e.From, e.To)
}

// follows reports whether the table permits the transition.
func (s State) follows(from State) bool {
	if int(from) >= len(successors) {
		return false
	}
	for _, to := range successors[from] {
		if to == s {
			return true
		}
	}
	return false
}
