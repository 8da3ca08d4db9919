// Package lifecycle follows each call to the provider from state to state
// (MC-ST-01) and says what its end was (MC-FM-01).
//
// An [Observer] turns the runtime's events into those of the topic
// auth.sms.lifecycle.v1, and checks each against a closed table that it does not
// share with the runtime.
package lifecycle

import "github.com/retrygen/retrygen/runtime"

// State is where a call is in its life.
type State string

const (
	StateSubmitted   State = "SUBMITTED"
	StateAttempting  State = "ATTEMPTING"
	StateBackoffWait State = "BACKOFF_WAIT"
	// The rest are ends. Every call has exactly one.
	StateDispatched        State = "DISPATCHED"         // the provider took the message
	StateBudgetExhausted   State = "BUDGET_EXHAUSTED"   // the retry budget could not pay for one more attempt
	StateTerminalExhausted State = "TERMINAL_EXHAUSTED" // the last attempt failed, or a rule forbade another
	StateAmbiguous         State = "AMBIGUOUS"          // nobody can know whether the message went out
	StateRejected          State = "REJECTED"           // never admitted: nothing was sent
	StateCancelled         State = "CANCELLED"          // the caller gave up
)

// MaxAttempts is how many attempts a call may make.
const MaxAttempts = 3

// successors is the closed table. It permits what MC-ST-01 does, and beside that
// the ends that a call can meet and that have no word there: AMBIGUOUS, REJECTED,
// CANCELLED, and each end of a wait (the budget or the deadline may run out while
// a call waits).
var successors = map[State][]State{
	StateSubmitted:   {StateAttempting, StateRejected, StateCancelled},
	StateAttempting:  {StateDispatched, StateBackoffWait, StateBudgetExhausted, StateTerminalExhausted, StateAmbiguous, StateCancelled},
	StateBackoffWait: {StateAttempting, StateBudgetExhausted, StateTerminalExhausted, StateAmbiguous, StateCancelled},
}

// Terminal reports whether a call ends in the state.
func (s State) Terminal() bool { return len(successors[s]) == 0 }

var states = map[runtime.State]State{
	runtime.StateSubmitted:         StateSubmitted,
	runtime.StateAttempting:        StateAttempting,
	runtime.StateBackoffWait:       StateBackoffWait,
	runtime.StateDispatched:        StateDispatched,
	runtime.StateBudgetExhausted:   StateBudgetExhausted,
	runtime.StateTerminalExhausted: StateTerminalExhausted,
	runtime.StateDenied:            StateTerminalExhausted,
	runtime.StateAmbiguous:         StateAmbiguous,
	runtime.StateRejected:          StateRejected,
	runtime.StateCancelled:         StateCancelled,
}

// stateOf is the state in the words of the table. What it has no word for keeps
// the runtime's, which is in none of its rows.
func stateOf(s runtime.State) State {
	if known, ok := states[s]; ok {
		return known
	}
	return State(s.String())
}

// stateAfter is where an event leads. BUDGET_EXHAUSTED is for what the policy would
// have repeated (MC-ST-01).
func stateAfter(e runtime.Event) State {
	if e.To == runtime.StateBudgetExhausted && !StoppedByBudget(e.Reason, e.FailureReason) {
		return StateTerminalExhausted
	}
	return stateOf(e.To)
}
