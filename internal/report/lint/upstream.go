package lint

import (
	"slices"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// noRetryBudget: nothing is earned, and there is no floor (RULE-BUDGET).
func noRetryBudget(in *spec.Inspection, say say) {
	u := in.API.Upstream
	repeats := func(op *spec.Operation) bool { return op.Contract.MaxAttempts.V > 1 }
	if u.BudgetRatio.V == 0 && u.BudgetMinPerWindow.V == 0 && slices.ContainsFunc(in.API.Operations, repeats) {
		say(spec.Nearer(u.BudgetRatio, u.BudgetMinPerWindow), "a budget of ratio 0 and min-per-window 0 pays for no retry, and operations have several attempts")
	}
}

func floorOnly(in *spec.Inspection, say say) {
	u := in.API.Upstream
	if u.BudgetRatio.V == 0 && u.BudgetMinPerWindow.V > 0 {
		say(u.BudgetRatio.Pos, "a budget of ratio 0: %d retries in %s, however much traffic there is", u.BudgetMinPerWindow.V, report.Duration(u.BudgetWindow.V))
	}
}

func bulkheadAbovePool(in *spec.Inspection, say say) {
	u := in.API.Upstream
	if u.MaxConnections.V > 0 && u.MaxConcurrent.V > u.MaxConnections.V {
		say(u.MaxConcurrent.Pos, "the bulkhead admits %d attempts at once, and the pool has %d connections", u.MaxConcurrent.V, u.MaxConnections.V)
	}
}

// transientRoot: what the root says of statuses holds for no operation.
func transientRoot(in *spec.Inspection, say say) {
	if len(in.API.Operations) == 0 || slices.ContainsFunc(in.API.Operations, safely) {
		return
	}
	for _, op := range in.API.Operations {
		c := op.Contract
		if c.Transient500.V && c.Transient500.Origin == spec.FromDocument {
			say(c.Transient500.Pos, "x-transient-500 has no effect: no operation is idempotent")
		}
		if len(c.TransientStatuses.V) > 0 && c.TransientStatuses.Origin == spec.FromDocument {
			say(c.TransientStatuses.Pos, "transient has no effect: no operation is idempotent")
		}
	}
}

// acquireTimeouts finds waits that nothing begins, or that the call's own end cuts
// short.
func acquireTimeouts(in *spec.Inspection, say say) {
	u := in.API.Upstream
	check := func(what, limit string, wait spec.Value[time.Duration], limited bool) {
		longest, bounded := longestDeadline(in.API.Operations)
		switch {
		case wait.V == 0:
		case !limited:
			say(wait.Pos, "acquire-timeout of the %s has no effect without %s: nothing is waited for", what, limit)
		case bounded && wait.V >= longest:
			say(wait.Pos, "acquire-timeout of the %s is %s, and no call lasts longer than %s", what, report.Duration(wait.V), report.Duration(longest))
		}
	}
	check("pool", "max-connections", u.AcquireTimeout, u.MaxConnections.V > 0)
	check("bulkhead", "max-concurrent", u.BulkheadAcquireTimeout, u.MaxConcurrent.V > 0)
}

// longestDeadline is the longest of all operations, if each has one.
func longestDeadline(operations []*spec.Operation) (longest time.Duration, bounded bool) {
	for _, op := range operations {
		if op.Contract.Deadline.V == 0 {
			return 0, false
		}
		longest = max(longest, op.Contract.Deadline.V)
	}
	return longest, len(operations) > 0
}

// rootPos is where a document begins.
func rootPos(docs *source.Documents) source.Pos { return docs.Pos("", "") }
