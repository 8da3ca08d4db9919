package explain

import (
	"slices"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// cause is why the engine has decided so: the rules that apply, and the values of
// the contract of which another one would have changed the answer.
func cause(op *runtime.Operation, row report.Row, attempt int, d runtime.Decision) (rules, keys []string) {
	if row.Succeeded() {
		return []string{"RULE-STATUS-2XX"}, nil
	}
	switch d.Reason {
	case runtime.MaxAttemptsReached:
		return []string{"RULE-DECIDE-1"}, []string{report.MaxAttempts}
	case runtime.BodyNotReplayable:
		return []string{"RULE-DECIDE-3"}, []string{report.Replayability}
	case runtime.DeadlineTooNear:
		return []string{"RULE-DECIDE-DELAY"}, []string{report.Deadline}
	case runtime.PermanentFailure:
		if row.Failure == runtime.MalformedResponse || row.Failure == runtime.OversizedResponse {
			return []string{"RULE-DECIDE-7", "RULE-FAILURE-MALFORMED"}, nil
		}
		return []string{"RULE-DECIDE-7", "RULE-FAILURE-PERMANENT"}, nil
	case runtime.RetryAfterTooLong:
		return []string{"RULE-RETRY-AFTER-3"}, []string{report.RetryAfterMax}
	}
	switch row.Evidence {
	case runtime.NotSent:
		return []string{"RULE-FAILURE-NOT-SENT"}, nil
	case runtime.SentNoResponse:
		if d.Verdict == runtime.Permit {
			return []string{"RULE-FAILURE-NO-RESPONSE"}, []string{report.Idempotent}
		}
		return []string{"RULE-DECIDE-8"}, []string{report.Idempotent}
	}
	return statusCause(op, row, attempt, d)
}

// statusCause is cause for RULE-STATUS.
func statusCause(op *runtime.Operation, row report.Row, attempt int, d runtime.Decision) (rules, keys []string) {
	header := row.RetryAfter.State
	switch status := row.Status; {
	case slices.Contains(op.DeniedStatuses, status):
		return []string{"RULE-STATUS-DENIED"}, []string{report.Statuses}
	case status/100 == 2:
		return []string{"RULE-FAILURE-PARTIAL"}, []string{report.Idempotent}
	case status == 401:
		return []string{"RULE-STATUS-401"}, refreshKeys(op, row, d)
	case status == 408:
		return []string{"RULE-STATUS-408"}, nil
	case status == 425:
		return []string{"RULE-STATUS-425"}, nil
	case status == 429:
		return withHeader([]string{"RULE-STATUS-429"}, nil, header)
	case status == 503 && d.Verdict != runtime.Ambiguous:
		return withHeader([]string{"RULE-STATUS-502"}, []string{report.Idempotent}, header)
	case status >= 502 && status <= 504:
		return []string{"RULE-STATUS-502"}, []string{report.Idempotent}
	case status == 501, status == 505: // never registered
		return []string{"RULE-STATUS-500"}, nil
	case status >= 500 && status <= 599:
		return []string{"RULE-STATUS-500"}, transientKeys(op, status)
	}
	return []string{"RULE-STATUS-OTHER"}, nil
}

// withHeader adds what RULE-RETRY-AFTER has to say.
func withHeader(rules, keys []string, header runtime.RetryAfterState) ([]string, []string) {
	switch header {
	case runtime.RetryAfterValid:
		return append(rules, "RULE-RETRY-AFTER-4"), append(keys, report.RetryAfterMax)
	case runtime.RetryAfterMalformed:
		return append(rules, "RULE-RETRY-AFTER-5"), append(keys, report.Malformed)
	}
	return rules, keys
}

// refreshKeys: a credential that cannot be refreshed denies by itself.
func refreshKeys(op *runtime.Operation, row report.Row, d runtime.Decision) (keys []string) {
	if !row.Refreshable {
		return nil
	}
	safe := op.Idempotency == runtime.Idempotent || op.Idempotency == runtime.IdempotentByKey
	if d.Verdict == runtime.Permit || !safe {
		keys = append(keys, report.Idempotent)
	}
	if op.Replayability == runtime.OneShot {
		keys = append(keys, report.Replayability)
	}
	return keys
}

// transientKeys are what registers a status as transient, or could, and
// idempotency where it is registered.
func transientKeys(op *runtime.Operation, status int) (keys []string) {
	listed, flag := slices.Contains(op.TransientStatuses, status), status == 500 && op.Transient500
	if listed || flag {
		keys = append(keys, report.Idempotent)
	}
	if flag || status == 500 && !listed {
		keys = append(keys, report.Transient500)
	}
	if listed || status != 500 {
		keys = append(keys, report.Transient)
	}
	return keys
}
