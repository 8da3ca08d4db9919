package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A call that fails ends in exactly one of the errors of this file; errors.As
// finds each. All of them carry the Outcome of the call. Their texts hold no
// credential, no body and no whole key.

// RejectedError: the call was never admitted. Nothing was sent.
type RejectedError struct {
	Outcome
	// By is who rejected it.
	By    Rejecter
	Cause error
}

// Rejecter is what can reject a call before its first attempt.
type Rejecter string

const (
	ByValidation Rejecter = "validation" // the request breaks a rule of the document
	ByCredential Rejecter = "credential" // a credential is missing or cannot be had
	ByBreaker    Rejecter = "breaker"
	ByBulkhead   Rejecter = "bulkhead"
	ByDrain      Rejecter = "drain"
	ByDeadline   Rejecter = "deadline" // it had passed before the first attempt
)

func (e *RejectedError) Error() string {
	return fmt.Sprintf("retrygen: %s: rejected by %s, nothing was sent: %v", e.Operation, e.By, e.Cause)
}

func (e *RejectedError) Unwrap() error { return e.Cause }

// StatusError: the upstream answered, and not with a 2xx.
type StatusError struct {
	Outcome
	// Body is the response's body as it came. Decoded is what the document says
	// it is, a pointer to a generated type; nil where it says nothing or the
	// body is something else. See [ErrorBody].
	Body    []byte
	Decoded any
	// Cause is why a permitted attempt could not begin; nil otherwise.
	Cause error
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("retrygen: %s: status %d%s%s", e.Operation, e.Status, statusText(e.Status), e.story())
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return " " + text
	}
	return ""
}

// Unwrap tells a call that ran out of time, whatever its last status.
func (e *StatusError) Unwrap() []error { return nonNil(e.Cause, e.deadlineCause()) }

// TransportError: the last attempt ended without a whole response.
type TransportError struct {
	Outcome
	Cause error
}

func (e *TransportError) Error() string {
	return fmt.Sprintf("retrygen: %s: %v: %v%s", e.Operation, e.Evidence(), e.Cause, e.story())
}

func (e *TransportError) Unwrap() []error { return nonNil(e.Cause, e.deadlineCause()) }

// MalformedError: a response arrived that is not what the document promises, not
// of a content type that was asked for, or larger than permitted. After a 2xx,
// Effect is Executed.
type MalformedError struct {
	Outcome
	Body []byte // as far as it was read
	// Decoded is the body where its content type is documented, but not what was
	// asked for: a pointer to a generated type. See [ErrorBody].
	Decoded any
	Cause   error
}

func (e *MalformedError) Error() string {
	what := "malformed response"
	if e.Decoded != nil {
		what = "another response than asked for,"
	}
	return fmt.Sprintf("retrygen: %s: %s with status %d: %v%s", e.Operation, what, e.Status, e.Cause, e.story())
}

func (e *MalformedError) Unwrap() error { return e.Cause }

// CancelledError: the caller's context was cancelled.
type CancelledError struct {
	Outcome
	Cause error // the cause of the context
}

func (e *CancelledError) Error() string {
	return fmt.Sprintf("retrygen: %s: cancelled by the caller: %v%s", e.Operation, e.Cause, e.story())
}

// Unwrap makes errors.Is(err, context.Canceled) true, with the caller's own
// cause beside it.
func (e *CancelledError) Unwrap() []error { return nonNil(context.Canceled, e.Cause) }

// AmbiguousError: nobody can know whether the upstream has acted on the call.
// Neither success nor failure would be true: find out before you call again, by
// asking the upstream or, where the operation is idempotent by key, by calling
// it with the same key before KeyExpires.
//
// It unwraps to nothing and is no timeout, so that code which repeats timeouts
// or swallows cancellations does not take it for one (RULE-AMBIGUOUS).
type AmbiguousError struct {
	Outcome
	// Cause is what the call would have failed with, were it not ambiguous.
	Cause error
	// Unanswered is why [OnAmbiguous] could not tell what happened: the error of its
	// function, a [*PanicError], the end of its time, or the caller's cancellation.
	// It is nil where there was none to ask, or it knew nothing. No text shows it.
	Unanswered error
}

func (e *AmbiguousError) Error() string {
	key := ""
	if e.Key != "" {
		key = ", key " + e.KeyHash()
	}
	return fmt.Sprintf("retrygen: %s: ambiguous: %s may have acted on it%s%s", e.Operation, e.Upstream, key, e.story())
}

// ErrorBody returns the decoded body of a failed call: E is a generated type that
// the document gives for the status.
func ErrorBody[E any](err error) (*E, bool) {
	var ambiguous *AmbiguousError
	if errors.As(err, &ambiguous) {
		err = ambiguous.Cause
	}
	var decoded any
	var status *StatusError
	var malformed *MalformedError
	switch {
	case errors.As(err, &status):
		decoded = status.Decoded
	case errors.As(err, &malformed):
		decoded = malformed.Decoded
	}
	body, ok := decoded.(*E)
	return body, ok
}

// OutcomeOf returns the outcome that a failed call's error carries.
func OutcomeOf(err error) (*Outcome, bool) {
	var failed interface{ outcome() *Outcome }
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.outcome(), true
}

func (o *Outcome) outcome() *Outcome { return o }

func (o *Outcome) deadlineCause() error {
	if o.why() == DeadlineTooNear {
		return context.DeadlineExceeded
	}
	return nil
}

// story is how the call went, in a few words.
func (o *Outcome) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, " (attempts: %d", len(o.Attempts))
	for i := range o.Attempts {
		a := &o.Attempts[i]
		b.WriteString([]string{": ", ", "}[min(i, 1)])
		b.WriteString(a.Evidence.String())
		if a.Status != 0 {
			fmt.Fprintf(&b, " %d", a.Status)
		}
	}
	if why := o.why(); why != NoReason {
		fmt.Fprintf(&b, "; stopped by %v", why)
	}
	if o.Reconciled != Unknown {
		fmt.Fprintf(&b, "; reconciled: %v", o.Reconciled)
	}
	if o.undeclared() {
		b.WriteString("; the document says nothing of x-idempotent")
	}
	b.WriteString(")")
	return b.String()
}

func nonNil(errs ...error) []error {
	var kept []error
	for _, err := range errs {
		if err != nil {
			kept = append(kept, err)
		}
	}
	return kept
}

// keyExpiry is when the upstream forgets a key that it first saw at start.
func keyExpiry(op *Operation, key string, start time.Time) time.Time {
	if key == "" || op.KeyRetention == NoRetention {
		return time.Time{}
	}
	return start.Add(op.KeyRetention)
}
