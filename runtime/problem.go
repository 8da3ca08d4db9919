package runtime

import (
	"errors"
	"net/http"
	"strconv"
)

// Problem is an error as problem details (RFC 9457), for a service that answers
// its own caller. It holds no secret: neither a credential nor a body nor a key.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Code is stable: match on it, not on texts.
	Code string `json:"code"`

	Operation      string `json:"operation,omitempty"`
	Upstream       string `json:"upstream,omitempty"`
	CallID         string `json:"call_id,omitempty"`
	Effect         string `json:"effect,omitempty"`
	Attempts       int    `json:"attempts"`
	UpstreamStatus int    `json:"upstream_status,omitempty"`
}

// The stable codes of problems.
const (
	CodeAmbiguous                = "ERR_AMBIGUOUS_EXECUTION"
	CodeRetryLimit               = "ERR_RETRY_LIMIT_EXCEEDED"
	CodeRetryBudget              = "ERR_RETRY_BUDGET_EXHAUSTED"
	CodeBodyNotReplayable        = "ERR_BODY_NOT_REPLAYABLE"
	CodeResponseAlreadyDelivered = "ERR_RESPONSE_ALREADY_DELIVERED"
	CodeDraining                 = "ERR_UPSTREAM_DRAINING"
	CodeDeadline                 = "ERR_DEADLINE_EXCEEDED"
	CodePermanentFailure         = "ERR_PERMANENT_FAILURE"
	CodeNotIdempotent            = "ERR_NOT_IDEMPOTENT"
	CodeStatusNotRetryable       = "ERR_STATUS_NOT_RETRYABLE"
	CodeRetryAfterTooLong        = "ERR_RETRY_AFTER_TOO_LONG"
	CodeMalformedResponse        = "ERR_MALFORMED_RESPONSE"
	CodeCancelled                = "ERR_CANCELLED"
	CodeInvalidRequest           = "ERR_INVALID_REQUEST"
	CodeCredential               = "ERR_CREDENTIAL_UNAVAILABLE"
	CodeBreakerOpen              = "ERR_BREAKER_OPEN"
	CodeBulkheadFull             = "ERR_BULKHEAD_FULL"
	CodeInternal                 = "ERR_INTERNAL"
)

// problemKind is what a code stands for.
type problemKind struct {
	title  string
	status int
}

var problemKinds = map[string]problemKind{
	CodeAmbiguous:                {"The upstream may or may not have acted on the call", http.StatusBadGateway},
	CodeRetryLimit:               {"The last permitted attempt failed", http.StatusServiceUnavailable},
	CodeRetryBudget:              {"The retry budget is exhausted", http.StatusServiceUnavailable},
	CodeBodyNotReplayable:        {"The request body cannot be sent again", http.StatusBadGateway},
	CodeResponseAlreadyDelivered: {"The response broke after part of it was delivered", http.StatusBadGateway},
	CodeDraining:                 {"The upstream is being drained", http.StatusServiceUnavailable},
	CodeDeadline:                 {"No time is left for the call", http.StatusGatewayTimeout},
	CodePermanentFailure:         {"The call cannot succeed", http.StatusBadGateway},
	CodeNotIdempotent:            {"The operation may not be repeated", http.StatusBadGateway},
	CodeStatusNotRetryable:       {"The upstream refused the call", http.StatusBadGateway},
	CodeRetryAfterTooLong:        {"The upstream asks to wait longer than permitted", http.StatusServiceUnavailable},
	CodeMalformedResponse:        {"The upstream's answer makes no sense", http.StatusBadGateway},
	CodeCancelled:                {"The caller cancelled the call", http.StatusServiceUnavailable},
	CodeInvalidRequest:           {"The request breaks a rule of the operation", http.StatusBadRequest},
	CodeCredential:               {"No credential can be had for the upstream", http.StatusBadGateway},
	CodeBreakerOpen:              {"The upstream's breaker is open", http.StatusServiceUnavailable},
	CodeBulkheadFull:             {"Too many calls to the upstream are under way", http.StatusServiceUnavailable},
	CodeInternal:                 {"The call failed for an unknown reason", http.StatusInternalServerError},
}

// ProblemOf renders the error of a call. Any other error, nil too, is an
// internal one whose text is not shown.
func ProblemOf(err error) Problem {
	code := codeOf(err)
	kind := problemKinds[code]
	p := Problem{Type: "urn:retrygen:problem:" + code, Title: kind.title, Status: kind.status, Code: code}
	o, ok := OutcomeOf(err)
	if !ok {
		p.Detail = "The error does not come from a call."
		return p
	}
	p.Detail = o.detail()
	p.Operation, p.Upstream, p.CallID = o.Operation, o.Upstream, o.CallID.String()
	p.Effect, p.Attempts, p.UpstreamStatus = o.Effect.String(), len(o.Attempts), o.Status
	return p
}

// detail says how the call went; a cause's text, which is not ours, stays out.
func (o *Outcome) detail() string {
	return "Operation " + o.Operation + " of " + o.Upstream + " made " + strconv.Itoa(len(o.Attempts)) +
		" attempts; the effect is " + o.Effect.String() + "; it stopped for the reason " + o.why().String() + "."
}

var codeByRejecter = map[Rejecter]string{
	ByValidation: CodeInvalidRequest,
	ByCredential: CodeCredential,
	ByBreaker:    CodeBreakerOpen,
	ByBulkhead:   CodeBulkheadFull,
	ByDrain:      CodeDraining,
	ByDeadline:   CodeDeadline,
}

var codeByReason = map[Reason]string{
	MaxAttemptsReached:       CodeRetryLimit,
	BudgetExhausted:          CodeRetryBudget,
	BodyNotReplayable:        CodeBodyNotReplayable,
	ResponseAlreadyDelivered: CodeResponseAlreadyDelivered,
	Draining:                 CodeDraining,
	DeadlineTooNear:          CodeDeadline,
	PermanentFailure:         CodePermanentFailure,
	NotSafelyIdempotent:      CodeNotIdempotent,
	StatusNotRetryable:       CodeStatusNotRetryable,
	RetryAfterTooLong:        CodeRetryAfterTooLong,
	Rejected:                 CodeBulkheadFull,
}

func codeOf(err error) string {
	var (
		ambiguous *AmbiguousError
		rejected  *RejectedError
		cancelled *CancelledError
		malformed *MalformedError
	)
	switch {
	case errors.As(err, &ambiguous):
		return CodeAmbiguous
	case errors.As(err, &rejected):
		return codeByRejecter[rejected.By]
	case errors.As(err, &cancelled):
		return CodeCancelled
	case errors.As(err, &malformed):
		return CodeMalformedResponse
	}
	if o, ok := OutcomeOf(err); ok {
		if code := codeByReason[o.why()]; code != "" {
			return code
		}
	}
	return CodeInternal
}
