package lint

import (
	"cmp"
	"slices"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// safely reports whether repeating an operation is declared to be safe.
func safely(op *spec.Operation) bool {
	kind := op.Contract.Idempotency.V
	return kind == spec.Idempotent || kind == spec.IdempotentByKey
}

func undeclared(op *spec.Operation, say say) {
	if declared := op.Contract.Idempotency; declared.V == spec.Undeclared && declared.Pos == (source.Pos{}) {
		say(op.Pos, "x-idempotent is not declared; %s %s is sent again only if it provably was not processed", op.Method, op.Route)
	}
}

// claim looks twice at what is declared to be harmless.
func claim(op *spec.Operation, say say) {
	declared := op.Contract.Idempotency
	if declared.V != spec.Idempotent || op.Method == "GET" || op.Method == "HEAD" {
		return
	}
	verb := report.ActingVerb(op.ID())
	switch {
	case verb != "":
		say(declared.Pos, "x-idempotent: true without a key, and its name says %q", verb)
	case op.Method == "POST" || op.Method == "PATCH":
		say(declared.Pos, "x-idempotent: true without a key, and it is a %s", op.Method)
	}
}

func transientWithoutIdempotency(op *spec.Operation, say say) {
	c := op.Contract
	if safely(op) {
		return
	}
	if c.Transient500.V && c.Transient500.Origin == spec.FromOperation {
		say(c.Transient500.Pos, "x-transient-500 has no effect: a 500 is repeated for idempotent operations only")
	}
	if len(c.TransientStatuses.V) > 0 && c.TransientStatuses.Origin == spec.FromOperation {
		say(c.TransientStatuses.Pos, "transient has no effect: its statuses are repeated for idempotent operations only")
	}
}

func transientWithoutEffect(op *spec.Operation, say say) {
	c := op.Contract
	for _, status := range c.TransientStatuses.V {
		switch {
		case status >= 502 && status <= 504:
			say(c.TransientStatuses.Pos, "transient lists %d, which is repeated in any case", status)
		case slices.Contains(c.DeniedStatuses.V, status):
			say(spec.Nearer(c.TransientStatuses, c.DeniedStatuses), "%d is both transient and denied; deny wins", status)
		}
	}
	if c.Transient500.V && slices.Contains(c.DeniedStatuses.V, 500) {
		say(spec.Nearer(c.Transient500, c.DeniedStatuses), "500 is both transient and denied; deny wins")
	}
}

func denyWithoutEffect(op *spec.Operation, say say) {
	c := op.Contract
	for _, status := range c.DeniedStatuses.V {
		if !decidable(status, c) {
			say(c.DeniedStatuses.Pos, "statuses denies %d, which is never repeated", status)
		}
	}
}

// decidable are the statuses after which an attempt may follow, so that denying
// them means something (RULE-STATUS). A broken 2xx may be repeated, too.
func decidable(status int, c spec.Contract) bool {
	switch {
	case status >= 200 && status <= 299, status == 401, status == 408, status == 425, status == 429, status >= 502 && status <= 504:
		return true
	case status == 500 && c.Transient500.V:
		return true
	}
	return slices.Contains(c.TransientStatuses.V, status)
}

func oneShot(op *spec.Operation, say say) {
	c := op.Contract
	if c.Replayability.V != spec.OneShot || c.MaxAttempts.V == 1 {
		return
	}
	if c.MaxAttempts.Origin == spec.FromOperation || safely(op) {
		say(c.Replayability.Pos, "up to %d attempts, and a body that is read once: none follows an attempt that has begun to read it", c.MaxAttempts.V)
	}
}

// singleAttempt finds policies of operations that make one attempt.
func singleAttempt(op *spec.Operation, say say) {
	c := op.Contract
	if c.MaxAttempts.V != 1 {
		return
	}
	for name, origin := range map[string]written{
		"backoff":            cmp.Or(at(c.BackoffBase), at(c.BackoffMax), at(c.BackoffMultiplier), at(c.BackoffJitter)),
		"min-attempt-budget": at(c.MinAttemptBudget),
		"retry-after":        cmp.Or(at(c.RetryAfterMax), at(c.RetryAfterMalformed)),
		"statuses":           at(c.DeniedStatuses),
		"transient":          at(c.TransientStatuses),
		"x-transient-500":    at(c.Transient500),
	} {
		if origin != (written{}) {
			say(origin.pos, "max-attempts is 1, so %s has no effect", name)
		}
	}
}
