package runtime

import "time"

// Budget bounds the retries of one upstream (RULE-BUDGET). A time stamp counts
// from an epoch that the upstream owns and never runs backwards. All methods
// may be called concurrently.
//
// An implementation that asks a shared store must answer from a process's own
// [Ledger] when the store fails, never with true.
type Budget interface {
	// Primary notes that the first attempt of a call starts.
	Primary(now time.Duration)
	// Success notes that a call succeeded, once per call and at whichever
	// attempt.
	Success(now time.Duration)
	// Affords reports whether one more retry could be paid, and takes nothing.
	Affords(now time.Duration) bool
	// Reserve takes one retry, which counts from now on, and reports whether
	// there was one to take. A Commit or a Cancel must follow each true.
	Reserve(now time.Duration) bool
	// Commit turns a reservation into a retry that is being sent. False means
	// that the bound no longer holds: the reservation is gone and the retry must
	// not be sent.
	Commit(now time.Duration) bool
	// Cancel gives a reservation back.
	Cancel(now time.Duration)
}

// Deposit is what earns retries (RULE-BUDGET-2).
type Deposit uint8

const (
	// DepositRequest: the first attempts of calls.
	DepositRequest Deposit = iota
	// DepositSuccess: the first attempts of calls, but no more of them than calls
	// succeeded.
	DepositSuccess
)
