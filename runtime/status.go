package runtime

import "slices"

// afterStatus is the status table (RULE-STATUS). A policy may forbid more than
// the table does (Operation.DeniedStatuses), never permit more.
func (s *Situation) afterStatus(op *Operation) Decision {
	permit := Decision{Verdict: Permit}
	denied := Decision{Reason: StatusNotRetryable}
	unsafe := Decision{Reason: NotSafelyIdempotent}
	safe := s.safelyIdempotent(op)

	if slices.Contains(op.DeniedStatuses, s.Status) {
		return denied
	}
	switch status := s.Status; {
	case status >= 200 && status <= 299: // RULE-STATUS-2XX
		if s.Evidence != PartialResponse {
			return Decision{} // whole: nothing has failed
		}
		if safe {
			return permit
		}
		return unsafe
	case status == 401: // RULE-STATUS-401
		if s.Refreshable && safe && s.Body != OneShot {
			return Decision{Verdict: Permit, Refresh: true}
		}
		return denied
	case status == 408: // RULE-STATUS-408
		return permit
	case status == 425: // RULE-STATUS-425
		if s.Attempts == 1 {
			return permit
		}
		return denied
	case status == 429: // RULE-STATUS-429
		return s.unlessRetryAfterForbids(op, permit)
	case status == 502, status == 503, status == 504: // RULE-STATUS-502
		if !safe {
			return Decision{Verdict: Ambiguous, Reason: NotSafelyIdempotent}
		}
		if status == 503 {
			return s.unlessRetryAfterForbids(op, permit)
		}
		return permit
	case status >= 500 && status <= 599: // RULE-STATUS-500
		if !op.transient(status) {
			return denied
		}
		if safe {
			return permit
		}
		return unsafe
	}
	return denied // RULE-STATUS-OTHER
}

// unlessRetryAfterForbids denies where the header asks for more patience than
// the policy has, or makes no sense and the policy says so (RULE-RETRY-AFTER).
func (s *Situation) unlessRetryAfterForbids(op *Operation, permit Decision) Decision {
	switch {
	case s.RetryAfter.State == RetryAfterValid && s.RetryAfter.Delay > op.RetryAfterMax:
		return Decision{Reason: RetryAfterTooLong}
	case s.RetryAfter.State == RetryAfterMalformed && op.RetryAfterMalformed == DenyMalformed:
		return Decision{Reason: StatusNotRetryable}
	}
	return permit
}
