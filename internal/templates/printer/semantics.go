package printer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/spec"
)

// semantics tells in words what a caller must know of the operation's retries:
// when it is repeated, how often, and how it can end.
func semantics(op *spec.Operation) string {
	var sentences []string
	switch c := &op.Contract; c.Idempotency.V {
	case spec.Undeclared:
		sentences = []string{"Declares no idempotency (x-idempotent): " + repeatedIfUnprocessed(c), ambiguous(op, findOut)}
	case spec.NotIdempotent:
		sentences = []string{"Not idempotent: " + repeatedIfUnprocessed(c), ambiguous(op, findOut)}
	case spec.Idempotent:
		sentences = []string{"Idempotent: " + repeated(c)}
	case spec.IdempotentByKey:
		sentences = []string{"Idempotent by key: " + keyed(c), capitalized(repeated(c)), ambiguous(op, callAgain(c))}
	}
	if once := bodyEffect(op); once != "" {
		sentences = append(sentences, once)
	}
	return strings.Join(sentences, " ")
}

// ambiguous tells how a call ends of which nobody can know whether it was done, and
// what the caller does then.
func ambiguous(op *spec.Operation, then string) string {
	const doubt, ends = "When nobody can know whether it was done, ", "the error is a [*runtime.AmbiguousError]: "
	if op.OnAmbiguous == "" {
		return doubt + ends + then
	}
	text := doubt + op.OnAmbiguous + " may ask the upstream, for up to " + words(op.Contract.ReconcileTimeout.V) +
		"; without an answer " + ends + then
	if op.Stream != nil {
		text += " If it was done, the error says so: there is no stream to read."
	}
	return text
}

const findOut = "find out before you call again."

func keyed(c *spec.Contract) string {
	if c.Key.Template.V == "" {
		return fmt.Sprintf("every attempt of a call bears the same random %s.", c.Key.Header.V)
	}
	return fmt.Sprintf("every attempt bears %s %s.", c.Key.Header.V, c.Key.Template.V)
}

func callAgain(c *spec.Contract) string {
	return "ask the upstream, or call again with [runtime.Replay]" + within(" within ", c.Key.Retention.V) + "."
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// repeated is for calls that are safe to repeat.
func repeated(c *spec.Contract) string {
	if c.MaxAttempts.V == 1 {
		return once(c)
	}
	statuses := []int{408, 425, 429, 502, 503, 504}
	if c.Transient500.V {
		statuses = append(statuses, 500)
	}
	return "repeated after transport failures" + after(" and ", permitted(c, append(statuses, c.TransientStatuses.V...))) +
		", " + limits(c)
}

// repeatedIfUnprocessed is for calls that are not.
func repeatedIfUnprocessed(c *spec.Contract) string {
	if c.MaxAttempts.V == 1 {
		return once(c)
	}
	return "repeated only if the upstream provably did not process it" +
		after(" or answers ", permitted(c, []int{408, 425, 429})) + ", " + limits(c)
}

func limits(c *spec.Contract) string {
	return fmt.Sprintf("up to %d attempts%s.", c.MaxAttempts.V, within(" in ", c.Deadline.V))
}

func once(c *spec.Contract) string { return "sent once" + within(", within ", c.Deadline.V) + "." }

// within is d after a preposition; nothing for no d.
func within(preposition string, d time.Duration) string {
	if d == 0 {
		return ""
	}
	return preposition + words(d)
}

// permitted are the statuses that the contract does not deny, sorted.
func permitted(c *spec.Contract, statuses []int) []string {
	slices.Sort(statuses)
	var list []string
	for _, status := range slices.Compact(statuses) {
		if !slices.Contains(c.DeniedStatuses.V, status) {
			list = append(list, strconv.Itoa(status))
		}
	}
	return list
}

func after(conjunction string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return conjunction + strings.Join(list, ", ")
}

func bodyEffect(op *spec.Operation) string {
	if op.Contract.MaxAttempts.V == 1 {
		return ""
	}
	switch op.Contract.Replayability.V {
	case spec.OneShot:
		return "The body can be read once: after an attempt has opened it there is no other."
	case spec.Reopenable:
		return "The body is opened anew for each attempt."
	}
	return ""
}
