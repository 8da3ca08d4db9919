package runtime

// Evidence is what is proven about one attempt (RULE-EVIDENCE). The zero value
// is the pessimistic one.
type Evidence uint8

const (
	// SentNoResponse: a byte may have left and no final header arrived.
	SentNoResponse Evidence = iota
	// NotSent: proven not received, or proven not processed.
	NotSent
	// ResponseReceived: the final header arrived, whatever the status.
	ResponseReceived
	// PartialResponse: the header arrived and the body broke before its end.
	PartialResponse
)

// Effect is what is known of a call's effect on the upstream, joined over all
// its attempts (RULE-EFFECT). The zero value is the pessimistic one.
type Effect uint8

const (
	Unknown Effect = iota
	NotExecuted
	Executed
)

// MayHaveExecuted reports whether the upstream may have acted on the call.
func (e Effect) MayHaveExecuted() bool { return e != NotExecuted }
