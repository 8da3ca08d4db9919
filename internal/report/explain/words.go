package explain

import (
	"fmt"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
)

// words tell the table in sentences.
func words(op *spec.Operation, e *Operation) []string {
	c := &op.Contract
	sentences := []string{declared(c)}
	for _, list := range []struct{ verdict, yes, no string }{
		{"permit", "A failed first attempt is followed by another after: %s.", "No attempt is followed by another."},
		{"ambiguous", "Nobody can know whether it was done, and it is not repeated, after: %s.", ""},
	} {
		if answers := e.first(list.verdict); answers != "" {
			sentences = append(sentences, fmt.Sprintf(list.yes, answers))
		} else if list.no != "" {
			sentences = append(sentences, list.no)
		}
	}
	sentences = append(sentences, limits(c, e), ending(c))
	if body := body(op); body != "" {
		sentences = append(sentences, body)
	}
	return sentences
}

func declared(c *spec.Contract) string {
	switch c.Idempotency.V {
	case spec.IdempotentByKey:
		template := c.Key.Template.V
		if template == "" {
			template = "a random key for each call"
		}
		memory := "for a time that is not declared"
		if c.Key.Retention.V > 0 {
			memory = "for " + report.Duration(c.Key.Retention.V)
		}
		return report.OneLine(fmt.Sprintf("Idempotent by key: all attempts of a call bear %s: %s, which the upstream remembers %s.", c.Key.Header.V, template, memory))
	case spec.Idempotent:
		return "Idempotent: doing it twice is declared to be the same as doing it once."
	case spec.NotIdempotent:
		return "Not idempotent: only what was provably not done is repeated."
	}
	return "Nothing is declared (x-idempotent), so only what was provably not done is repeated."
}

// first are the answers to a first attempt that have a verdict. What a response
// may ask for besides is left to the table.
func (e *Operation) first(verdict string) string {
	var answers []string
	for _, row := range e.rows {
		if c := row.cells[0]; c.Verdict == verdict && c.RetryAfter.State == "absent" {
			answers = append(answers, row.answers...)
		}
	}
	return report.List(answers)
}

func limits(c *spec.Contract, e *Operation) string {
	text := "One attempt"
	if e.Attempts > 1 {
		text = fmt.Sprintf("Up to %d attempts", e.Attempts)
	}
	if c.AttemptTimeout.V > 0 {
		text += fmt.Sprintf(" of at most %s", report.Duration(c.AttemptTimeout.V))
	}
	if c.Deadline.V > 0 {
		text += fmt.Sprintf(", within %s", report.Duration(c.Deadline.V))
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf("; a further one needs more than %s", report.Duration(c.MinAttemptBudget.V))
	}
	return text + "."
}

// ending is RULE-AMBIGUOUS, which is asked when the call ends.
func ending(c *spec.Contract) string {
	if c.Idempotency.V == spec.Idempotent {
		return "A call that does not succeed ends in its plain error, which tells what is known of the effect (RULE-AMBIGUOUS-2)."
	}
	text := "A call that does not succeed ends ambiguous if any attempt got no response, 502, 503 or 504, whatever stopped it (RULE-AMBIGUOUS-1)."
	if c.OnAmbiguous.V {
		text += fmt.Sprintf(" Before that its OnAmbiguous may find out what happened, for up to %s (RULE-RECONCILE).", report.Duration(c.ReconcileTimeout.V))
	}
	return text
}

func body(op *spec.Operation) string {
	switch {
	case op.Body != nil && op.Body.Encoding == spec.Own:
		return "The caller makes the body: one that can be read once is not sent again after an attempt has opened it."
	case op.Contract.Replayability.V == spec.OneShot:
		return "The body can be read once: after an attempt has opened it there is no other."
	case op.Contract.Replayability.V == spec.Reopenable:
		return "The body is opened anew for each attempt."
	}
	return ""
}
