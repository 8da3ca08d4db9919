package runtime

import (
	"math"
	"slices"
	"time"
)

// Situation is all that a decision looks at. It is taken after an attempt has
// failed: a whole 2xx needs no decision.
type Situation struct {
	// Attempts is the number of attempts made, counted from 1; MaxAttempts the
	// smaller of the contract's and the call's.
	Attempts    int
	MaxAttempts int
	// BudgetSpent: the retry budget cannot pay for one more retry.
	BudgetSpent bool
	// Body is the replayability of the body in hand, BodyOpened whether an
	// attempt has opened it.
	Body       Replayability
	BodyOpened bool
	// Delivered: a byte of a response body was handed to the caller.
	Delivered bool
	// Draining: the upstream takes no further attempts.
	Draining bool
	// Remaining is the time left until the call's deadline; Unlimited without
	// one.
	Remaining time.Duration
	// Failure, Evidence and Status describe the attempt that has just failed.
	// Status is 0 without a final header.
	Failure  Failure
	Evidence Evidence
	Status   int
	// Keyed: this request bears an idempotency key.
	Keyed bool
	// DidNotHappen: the upstream has not acted on any attempt, nor will it, as
	// OnAmbiguous says.
	DidNotHappen bool
	// Refreshable: the credential can be refreshed and this call has not done
	// so yet.
	Refreshable bool
	// RetryAfter is what the response's header says.
	RetryAfter RetryAfter
	// PreviousDelay is the delay before the failed attempt, 0 before the first.
	PreviousDelay time.Duration
	// Draws are two uniform random numbers, so that Decide itself draws none.
	Draws [2]uint64
}

// Unlimited is the Remaining of a call without a deadline.
const Unlimited time.Duration = math.MaxInt64

// Failure is the category of a failed attempt.
type Failure uint8

const (
	// NoFailure: a response arrived; its status decides.
	NoFailure Failure = iota
	// TransportFailure: the attempt broke; its evidence decides.
	TransportFailure
	// The rest are permanent (rule 7).
	RejectedRequest    // the request may not be sent: validation, credentials
	UnencodableRequest // the body could not be encoded or opened
	InvalidCertificate // the upstream's certificate does not verify
	NameNotFound       // the upstream's name does not exist
	MalformedResponse  // the response arrived and makes no sense
	OversizedResponse  // the response exceeds MaxResponseBytes
	CallerCancelled    // the caller's context was cancelled
)

// Permanent reports whether no further attempt can mend the failure.
func (f Failure) Permanent() bool { return f > TransportFailure }

// Verdict is the answer of a decision.
type Verdict uint8

const (
	Denied Verdict = iota
	Permit
	Ambiguous
)

// Reason is why no further attempt was made. It says nothing about what is
// known of the effect: see [Effect].
type Reason uint8

const (
	NoReason Reason = iota
	MaxAttemptsReached
	BudgetExhausted
	BodyNotReplayable
	ResponseAlreadyDelivered
	Draining
	DeadlineTooNear
	PermanentFailure
	NotSafelyIdempotent // rules 8 and 9
	StatusNotRetryable
	RetryAfterTooLong
	// Rejected: the call was never admitted, 0 attempts.
	Rejected
)

// Decision is the answer to one situation.
type Decision struct {
	Verdict Verdict
	Reason  Reason
	// Delay is the wait before the next attempt; 0 unless Verdict is Permit.
	Delay time.Duration
	// Refresh: the credential must be refreshed before the next attempt.
	Refresh bool
}

// Decide answers whether one more attempt is made after a failed one. It is a
// pure function: no clock, no random source, no I/O, no allocation. The nine
// rules (RULE-DECIDE-1 to RULE-DECIDE-9) run in their order, and none re-enables
// what an earlier one forbade.
//
// The answer is only why the call goes on or stops. What is known of its effect
// is another question, with an answer of its own: [Effect].
func Decide(op *Operation, s *Situation) Decision {
	if limit := s.limit(op); limit != NoReason {
		return Decision{Reason: limit}
	}
	return s.permit(op, s.judge(op))
}

// limit is rules 1 to 6: what forbids an attempt whatever the failure was.
func (s *Situation) limit(op *Operation) Reason {
	switch {
	case s.Attempts >= max(s.MaxAttempts, 1): // 1
		return MaxAttemptsReached
	case s.BudgetSpent: // 2
		return BudgetExhausted
	case s.Body == OneShot && s.BodyOpened: // 3
		return BodyNotReplayable
	case s.Delivered: // 4
		return ResponseAlreadyDelivered
	case s.Draining: // 5
		return Draining
	case s.Remaining <= op.MinAttemptBudget: // 6
		return DeadlineTooNear
	}
	return NoReason
}

// judge is rules 7 to 9, without the delay: what the failure itself permits.
func (s *Situation) judge(op *Operation) Decision {
	switch {
	case s.Failure.Permanent(): // 7
		return Decision{Reason: PermanentFailure}
	case s.Evidence == SentNoResponse && !s.safelyIdempotent(op): // 8
		return Decision{Verdict: Ambiguous, Reason: NotSafelyIdempotent}
	}
	return s.afterFailure(op) // 9
}

// safelyIdempotent reports whether doing this request twice is the same as
// doing it once (RULE-IDEMPOTENCY). The method plays no part in it. What did not
// happen is done once only (RULE-RECONCILE-NOT-EXECUTED).
func (s *Situation) safelyIdempotent(op *Operation) bool {
	return s.DidNotHappen || op.safelyIdempotent(s.Keyed)
}

func (op *Operation) safelyIdempotent(keyed bool) bool {
	return op.Idempotency == Idempotent || op.Idempotency == IdempotentByKey && keyed
}

// afterFailure is rule 9 without the delay: the failure rules, then the status
// rules.
func (s *Situation) afterFailure(op *Operation) Decision {
	if s.Evidence == NotSent || s.Evidence == SentNoResponse {
		return Decision{Verdict: Permit} // RULE-FAILURE-NOT-SENT; rule 8 has seen to the other
	}
	return s.afterStatus(op)
}

// permit adds the delay to a permit, or withdraws it where the wait does not
// fit into what remains (RULE-DEADLINE).
func (s *Situation) permit(op *Operation, d Decision) Decision {
	if d.Verdict != Permit {
		return d
	}
	var wait RetryAfter
	if s.heedsRetryAfter() {
		wait = s.RetryAfter
	}
	d.Delay = op.delay(s.Attempts, s.PreviousDelay, wait, s.Draws)
	if d.Delay >= s.Remaining || s.Remaining-d.Delay <= op.MinAttemptBudget {
		return Decision{Reason: DeadlineTooNear}
	}
	return d
}

// heedsRetryAfter: the header counts on 429 and 503 only (RULE-RETRY-AFTER).
func (s *Situation) heedsRetryAfter() bool {
	return (s.Status == 429 || s.Status == 503) && (s.Evidence == ResponseReceived || s.Evidence == PartialResponse)
}

// transient reports whether the upstream registered the status as transient.
func (op *Operation) transient(status int) bool {
	return status == 500 && op.Transient500 || slices.Contains(op.TransientStatuses, status)
}
