package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Row is one way in which an attempt can fail. Together with the number of the
// attempt it is a situation; budget, draining and what the caller has read are
// left out, as no contract says anything about them.
type Row struct {
	Evidence    runtime.Evidence
	Failure     runtime.Failure
	Status      int
	StandsFor   string // the class that Status is an example of; "" for itself
	BodyOpened  bool
	Refreshable bool
	RetryAfter  runtime.RetryAfter
}

// After is the row as the situation after an attempt of an operation, with all of
// the deadline left. A generated client sends a key with every request of an
// operation that is idempotent by key.
func (r Row) After(op *runtime.Operation, attempt int) runtime.Situation {
	return runtime.Situation{
		Attempts:    attempt,
		MaxAttempts: op.MaxAttempts,
		Body:        op.Replayability,
		BodyOpened:  r.BodyOpened,
		Remaining:   OrUnlimited(op.Deadline),
		Failure:     r.Failure,
		Evidence:    r.Evidence,
		Status:      r.Status,
		Keyed:       op.Idempotency == runtime.IdempotentByKey,
		Refreshable: r.Refreshable,
		RetryAfter:  r.RetryAfter,
	}
}

// Succeeded: the attempt was a whole 2xx, and nothing is decided.
func (r Row) Succeeded() bool {
	return r.Evidence == runtime.ResponseReceived && r.Failure == runtime.NoFailure && r.Status/100 == 2
}

// Rows are all the ways in which an attempt can fail that make a difference to
// any of the operations, in the order in which they are shown.
func Rows(operations ...*runtime.Operation) []Row {
	rows := []Row{
		{Evidence: runtime.NotSent, Failure: runtime.TransportFailure},
		{Evidence: runtime.SentNoResponse, Failure: runtime.TransportFailure},
	}
	for _, answer := range statuses(operations) {
		whole := Row{Evidence: runtime.ResponseReceived, Status: answer.code, StandsFor: answer.class}
		broken := whole
		broken.Evidence, broken.Failure = runtime.PartialResponse, runtime.TransportFailure
		rows = append(rows, variants(operations, whole)...)
		rows = append(rows, variants(operations, broken)...)
	}
	rows = append(rows, permanent...)
	if slices.ContainsFunc(operations, func(op *runtime.Operation) bool { return op.Replayability == runtime.OneShot }) {
		rows = opened(rows)
	}
	return rows
}

// permanent are the failures that nothing mends, with the evidence that they
// leave.
var permanent = []Row{
	{Evidence: runtime.NotSent, Failure: runtime.RejectedRequest},
	{Evidence: runtime.NotSent, Failure: runtime.UnencodableRequest},
	{Evidence: runtime.NotSent, Failure: runtime.InvalidCertificate},
	{Evidence: runtime.NotSent, Failure: runtime.NameNotFound},
	{Evidence: runtime.SentNoResponse, Failure: runtime.MalformedResponse},
	{Evidence: runtime.ResponseReceived, Failure: runtime.MalformedResponse, Status: 200},
	{Evidence: runtime.ResponseReceived, Failure: runtime.OversizedResponse, Status: 200},
	{Evidence: runtime.NotSent, Failure: runtime.CallerCancelled},
	{Evidence: runtime.SentNoResponse, Failure: runtime.CallerCancelled},
}

// answer is a status, alone or as an example of its class.
type answer struct {
	code  int
	class string
}

// statuses are those that have a row of their own in RULE-STATUS or in a
// contract, and one example of each class for the rest.
func statuses(operations []*runtime.Operation) []answer {
	named := []int{401, 408, 425, 429, 500, 502, 503, 504}
	for _, op := range operations {
		named = slices.Concat(named, op.TransientStatuses, op.DeniedStatuses)
	}
	slices.Sort(named)
	named = slices.Compact(named)
	var answers []answer
	for _, code := range named {
		answers = append(answers, answer{code: code})
	}
	for first := 200; first <= 500; first += 100 {
		other := slices.ContainsFunc(named, func(code int) bool { return code/100 == first/100 })
		for code := first; code < first+100; code++ {
			if slices.Contains(named, code) || code == 501 || code == 505 { // never registered as transient
				continue
			}
			class := fmt.Sprintf("%dxx", first/100)
			if other {
				class = "other " + class
			}
			answers = append(answers, answer{code, class})
			break
		}
	}
	slices.SortStableFunc(answers, func(a, b answer) int {
		return cmp.Or(cmp.Compare(a.code/100, b.code/100), cmp.Compare(len(a.class), len(b.class)), cmp.Compare(a.code, b.code))
	})
	return answers
}

// variants are what else counts with some statuses.
func variants(operations []*runtime.Operation, row Row) (rows []Row) {
	switch row.Status {
	case 401:
		refreshable := row
		refreshable.Refreshable = true
		return []Row{row, refreshable}
	case 429, 503:
		for _, header := range retryAfters(operations) {
			row.RetryAfter = header
			rows = append(rows, row)
		}
		return rows
	}
	return []Row{row}
}

// retryAfters are a header that is absent, short, as long as an operation waits
// for, longer, and malformed.
func retryAfters(operations []*runtime.Operation) []runtime.RetryAfter {
	delays := []time.Duration{time.Second}
	for _, op := range operations {
		delays = append(delays, op.RetryAfterMax, op.RetryAfterMax+time.Second)
	}
	slices.Sort(delays)
	headers := []runtime.RetryAfter{{State: runtime.RetryAfterAbsent}}
	for _, delay := range slices.Compact(delays) {
		headers = append(headers, runtime.RetryAfter{State: runtime.RetryAfterValid, Delay: delay})
	}
	return append(headers, runtime.RetryAfter{State: runtime.RetryAfterMalformed})
}

// opened doubles the rows: the body was opened by an attempt, or was not.
func opened(rows []Row) []Row {
	doubled := slices.Clone(rows)
	for _, row := range rows {
		row.BodyOpened = true
		doubled = append(doubled, row)
	}
	return doubled
}

// What the name of a row adds to that of its answer.
const (
	cutShort   = " cut short"
	with       = " with "
	bodyOpened = " (body opened)"
)

// Name is the row in the words of people.
func (r Row) Name() string {
	name := r.answer()
	switch {
	case r.Refreshable:
		name += with + "a refreshable credential"
	case r.RetryAfter.State == runtime.RetryAfterValid:
		name += with + "Retry-After " + Duration(r.RetryAfter.Delay)
	case r.RetryAfter.State == runtime.RetryAfterMalformed:
		name += with + "a malformed Retry-After"
	}
	if r.BodyOpened {
		name += bodyOpened
	}
	return name
}

func (r Row) answer() string {
	switch {
	case r.Failure.Permanent():
		return r.permanent()
	case r.Evidence == runtime.NotSent:
		return "not sent"
	case r.Evidence == runtime.SentNoResponse:
		return "no response"
	}
	name := cmp.Or(r.StandsFor, fmt.Sprint(r.Status))
	if r.Evidence == runtime.PartialResponse {
		name += cutShort
	}
	return name
}

func (r Row) permanent() string {
	late := r.Evidence == runtime.SentNoResponse
	switch r.Failure {
	case runtime.RejectedRequest:
		return "request rejected by the client"
	case runtime.UnencodableRequest:
		return "body cannot be encoded or opened"
	case runtime.InvalidCertificate:
		return "certificate does not verify"
	case runtime.NameNotFound:
		return "name does not exist"
	case runtime.OversizedResponse:
		return "response too large"
	case runtime.MalformedResponse:
		if late {
			return "response head makes no sense"
		}
		return "response makes no sense"
	}
	if late {
		return "caller cancelled after sending"
	}
	return "caller cancelled before sending"
}
