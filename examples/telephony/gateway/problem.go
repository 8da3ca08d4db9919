package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/retrygen/retrygen/runtime"
)

// The gateway's own problems, beside those of the runtime.
const (
	// CodeCallerLimited: the caller hammers the gateway.
	CodeCallerLimited = "ERR_CALLER_RATE_LIMITED"
	// CodeNotRecorded: the fallback queue cannot be written or read, and so nothing
	// was done.
	CodeNotRecorded = "ERR_FALLBACK_QUEUE_UNAVAILABLE"
	// CodeBadRequest: the request is no request of this gateway.
	CodeBadRequest = "ERR_BAD_REQUEST"
)

// problemOf is what a caller is told of a send that ended without success.
func problemOf(err error) runtime.Problem {
	var own *ownError
	if errors.As(err, &own) {
		return runtime.Problem{
			Type:   "urn:telephony:problem:" + own.code,
			Title:  own.title,
			Status: own.status,
			Detail: own.detail,
			Code:   own.code,
		}
	}
	p := runtime.ProblemOf(err)
	// What the provider finds wrong with the message is the caller's to mend; its
	// other refusals are between it and the gateway.
	if p.Code == runtime.CodeStatusNotRetryable && p.UpstreamStatus == http.StatusUnprocessableEntity {
		p.Status = http.StatusUnprocessableEntity
	}
	return p
}

// ownError is a refusal of the gateway itself: nothing was sent.
type ownError struct {
	status              int
	code, title, detail string
	cause               error
}

func (e *ownError) Error() string {
	if e.cause == nil {
		return e.code + ": " + e.title
	}
	return fmt.Sprintf("%s: %s: %v", e.code, e.title, e.cause)
}

func (e *ownError) Unwrap() error { return e.cause }

// writeProblem answers with problem details (RFC 9457).
func writeProblem(w http.ResponseWriter, p runtime.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(callerRest.Seconds())))
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
