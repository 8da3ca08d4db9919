package runtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// Attempt is the record of one attempt.
type Attempt struct {
	Number   int // from 1
	Evidence Evidence
	Failure  Failure
	Status   int           // 0 without a final header
	Start    time.Time     // when a connection was asked for
	Duration time.Duration // until the answer was whole, or the attempt failed
	Delay    time.Duration // the backoff before it
	// Hops are the redirects that were followed, each one further request.
	Hops []Hop
	// Cause is what the transport said; nil where a response arrived whole.
	Cause error
}

// Outcome is what is known of a call when it has ended, well or not.
type Outcome struct {
	Operation string
	Upstream  string
	CallID    CallID
	State     State
	// Status and Header are those of the last response; 0 and nil without one.
	Status int
	Header http.Header
	// Attempts lists every request that was handed to the transport.
	Attempts []Attempt
	// Reason is why no further attempt was made; NoReason where one succeeded.
	Reason Reason
	// FailureReason is why the last failure would have been the last without any limit
	// of attempts, budget, body and time, too; NoReason where it would not have been.
	// The rules ask for limits first (RULE-DECIDE), so that Reason may name one where
	// another answer was not to be had, either: of a 404, say.
	FailureReason Reason
	// Effect is what is known of the call's effect over all its attempts.
	Effect Effect
	// Reconciled is what OnAmbiguous answered of the attempts that there were;
	// Unknown where it was not asked, or did not know.
	Reconciled Effect
	// PriorUnknown: an attempt before the last was SentNoResponse, so that the
	// last answer (a 404 after a lost DELETE, say) may be its echo.
	PriorUnknown bool
	// Key is the idempotency key of the call, whole: treat it as personal data.
	// Errors and events show only a hash of it.
	Key string
	// KeyExpires is when the upstream forgets the key; zero where it is not
	// declared.
	KeyExpires time.Time

	idempotency Idempotency
	deadline    time.Time // of the call; zero: none
}

// why is the reason that people and errors.Is are told: a limit's only where the failure
// has none of its own.
func (o *Outcome) why() Reason { return cmp.Or(o.FailureReason, o.Reason) }

// undeclared reports whether the call stopped because the document says nothing
// of x-idempotent.
func (o *Outcome) undeclared() bool {
	return o.idempotency == Undeclared && o.why() == NotSafelyIdempotent
}

// Evidence is that of the last attempt; NotSent when there was none.
func (o *Outcome) Evidence() Evidence {
	if len(o.Attempts) == 0 {
		return NotSent
	}
	return o.Attempts[len(o.Attempts)-1].Evidence
}

// KeyHash is a prefix of the key's SHA-256 in hexadecimal, fit for logs; empty
// without a key.
func (o *Outcome) KeyHash() string {
	if o.Key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(o.Key))
	return hex.EncodeToString(sum[:6])
}

// effect joins what is known over all attempts (RULE-EFFECT).
func effect(attempts []Attempt, safelyIdempotent bool) Effect {
	joined := NotExecuted
	for i := range attempts {
		switch a := &attempts[i]; {
		case a.Status >= 200 && a.Status <= 299:
			if joined == NotExecuted || safelyIdempotent {
				joined = Executed
			}
		case a.mayHaveExecuted() && !(joined == Executed && safelyIdempotent):
			joined = Unknown
		}
	}
	return joined
}

// mayHaveExecuted tells of an attempt without a 2xx whether the upstream may
// have acted on it.
func (a *Attempt) mayHaveExecuted() bool {
	switch a.Evidence {
	case NotSent:
		return false
	case SentNoResponse:
		return true
	}
	switch a.Status {
	case 400, 401, 403, 404, 405, 413, 415, 422, 425, 429:
		return false
	}
	return true
}

// endsAmbiguous reports whether neither success nor failure would be true of
// the call (RULE-AMBIGUOUS).
func endsAmbiguous(op *Operation, attempts []Attempt, joined Effect) bool {
	if op.Idempotency == Idempotent || joined == Executed {
		return false
	}
	for i := range attempts {
		a := &attempts[i]
		if a.Evidence == SentNoResponse || a.Status >= 502 && a.Status <= 504 {
			return true
		}
	}
	return false
}

// priorUnknown reports whether an attempt before the last was lost.
func priorUnknown(attempts []Attempt) bool {
	for i := 0; i+1 < len(attempts); i++ {
		if attempts[i].Evidence == SentNoResponse {
			return true
		}
	}
	return false
}
