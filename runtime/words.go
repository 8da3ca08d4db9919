package runtime

import "fmt"

// The words of the runtime, as events, errors and logs print them.

func word[E ~uint8](e E, words []string) string {
	if int(e) < len(words) {
		return words[e]
	}
	return fmt.Sprintf("unknown(%d)", uint8(e))
}

func (i Idempotency) String() string {
	return word(i, []string{"Undeclared", "NotIdempotent", "Idempotent", "IdempotentByKey"})
}

func (r Replayability) String() string {
	return word(r, []string{"NoBody", "Replayable", "Reopenable", "OneShot"})
}

func (j Jitter) String() string { return word(j, []string{"FullJitter", "DecorrelatedJitter"}) }

func (m Malformed) String() string { return word(m, []string{"IgnoreMalformed", "DenyMalformed"}) }

func (e Evidence) String() string {
	return word(e, []string{"SentNoResponse", "NotSent", "ResponseReceived", "PartialResponse"})
}

func (e Effect) String() string { return word(e, []string{"Unknown", "NotExecuted", "Executed"}) }

func (v Verdict) String() string { return word(v, []string{"Denied", "Permit", "Ambiguous"}) }

func (f Failure) String() string {
	return word(f, []string{"NoFailure", "TransportFailure", "RejectedRequest", "UnencodableRequest",
		"InvalidCertificate", "NameNotFound", "MalformedResponse", "OversizedResponse", "CallerCancelled"})
}

func (r Reason) String() string {
	return word(r, []string{"none", "MaxAttempts", "BudgetExhausted", "BodyNotReplayable",
		"ResponseAlreadyDelivered", "Draining", "Deadline", "PermanentFailure", "NotIdempotent",
		"StatusNotRetryable", "RetryAfterTooLong", "Rejected"})
}

func (s State) String() string {
	return word(s, []string{"Submitted", "Attempting", "BackoffWait", "Reconciling", "Dispatched", "Rejected", "Cancelled",
		"BudgetExhausted", "TerminalExhausted", "Denied", "Ambiguous", "Reconciled"})
}
