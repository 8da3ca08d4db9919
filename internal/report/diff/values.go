package diff

import (
	"fmt"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// contractChanges are the values of two contracts that differ, and what follows.
func contractChanges(oldSide, newSide *Side, before, after *member) []Change {
	was, is := report.Values(&before.Contract), report.Values(&after.Contract)
	var keys []string
	for i := range was {
		if was[i].Text != is[i].Text {
			keys = append(keys, is[i].Key)
		}
	}
	c := comparison{old: report.Operation(before.Operation), new: report.Operation(after.Operation), bulkhead: bulkheadOf(newSide), oldBulkhead: bulkheadOf(oldSide)}
	c.flips = flips(c.old, c.new, keys)
	changes := []Change{}
	for i := range was {
		if was[i].Text != is[i].Text {
			changes = append(changes, change(is[i].Key, was[i].Text, is[i].Text, oldSide.at(was[i]), newSide.at(is[i]), c.effects(is[i].Key)))
		}
	}
	return changes
}

// comparison is of the contracts of one operation.
type comparison struct {
	old, new              *runtime.Operation
	oldBulkhead, bulkhead time.Duration // the longest wait for a place
	flips                 []flip
}

func bulkheadOf(side *Side) time.Duration {
	u := &side.API.Upstream
	switch {
	case u.MaxConcurrent.V == 0:
		return 0
	case u.BulkheadAcquireTimeout.V == 0:
		return runtime.Unlimited
	}
	return u.BulkheadAcquireTimeout.V
}

// effects are what follows of the change of one value.
func (c *comparison) effects(key string) []Effect {
	effects := flipEffects(c.flips, key)
	old, new := c.old, c.new
	switch key {
	case report.KeyHeader, report.KeyTemplate:
		effects = append(effects, Effect{Loosened, "A retry across the deployment bears another key, so what was done under the old one may be done again."})
	case report.KeyRetention:
		effects = append(effects, Effect{Loosened, "A key is used for another time: runtime.Replay after the upstream has forgotten it does it again."})
	case report.MaxAttempts:
		effects = ordered(effects[:0], old.MaxAttempts, new.MaxAttempts, true, "A call makes up to %d attempts, and %d before.")
	case report.Deadline:
		effects = append(effects, c.deadline())
	case report.AttemptTime:
		effects = append(effects, c.attemptTimeout())
	case report.MinBudget:
		effects = c.repeating(effects, old.MinAttemptBudget, new.MinAttemptBudget, "A further attempt begins with more than %s left, and with more than %s before.")
	case report.BackoffBase:
		effects = c.repeating(effects, old.BackoffBase, new.BackoffBase, "Delays grow from %s, and from %s before.")
	case report.BackoffMax:
		effects = c.repeating(effects, old.BackoffMax, new.BackoffMax, "Delays are drawn up to %s, and up to %s before.")
	case report.Multiplier:
		effects = append(effects, c.multiplier())
	case report.Jitter:
		effects = append(effects, c.jitter())
	case report.RetryAfterMax:
		effects = c.patience(effects)
	case report.OnAmbiguous:
		effects = append(effects, c.onAmbiguous())
	case report.AskTime:
		effects = append(effects, Effect{Neutral, "It bounds how long OnAmbiguous may take to find out what happened."})
	}
	if len(effects) == 0 {
		return []Effect{{Neutral, "No situation is decided otherwise."}}
	}
	return effects
}

// ordered adds an effect of a number that grows or shrinks.
func ordered[N int | float64](effects []Effect, old, new N, moreIsLooser bool, words string) []Effect {
	class := Tightened
	if (new > old) == moreIsLooser {
		class = Loosened
	}
	return append(effects, Effect{class, fmt.Sprintf(words, new, old)})
}

// repeating adds the effect of a delay that shrinks or grows: none where there is
// one attempt only.
func (c *comparison) repeating(effects []Effect, old, new time.Duration, words string) []Effect {
	return append(effects, Effect{c.whereRepeated(new < old), fmt.Sprintf(words, report.Duration(new), report.Duration(old))})
}

// whereRepeated is the class of what makes further attempts sooner or more
// likely, or the opposite.
func (c *comparison) whereRepeated(looser bool) Class {
	switch {
	case looser && c.new.MaxAttempts > 1:
		return Loosened
	case !looser && c.old.MaxAttempts > 1:
		return Tightened
	}
	return Neutral
}

// onAmbiguous: who answers that nothing happened lets the call send again.
func (c *comparison) onAmbiguous() Effect {
	const asked = "an ambiguous call is repeated where its OnAmbiguous answers that nothing happened"
	if c.new.ReconcileTimeout > 0 {
		return Effect{c.whereRepeated(true), "From now on " + asked + "."}
	}
	return Effect{c.whereRepeated(false), "No longer is it that " + asked + "."}
}

func (c *comparison) multiplier() Effect {
	words := fmt.Sprintf("Delays grow by %v, and by %v before.", c.new.BackoffMultiplier, c.old.BackoffMultiplier)
	if c.old.BackoffJitter == runtime.DecorrelatedJitter && c.new.BackoffJitter == runtime.DecorrelatedJitter {
		return Effect{Neutral, "Decorrelated jitter does not use it."}
	}
	return Effect{c.whereRepeated(c.new.BackoffMultiplier < c.old.BackoffMultiplier), words}
}

func (c *comparison) jitter() Effect {
	if c.new.BackoffJitter == runtime.FullJitter {
		return Effect{c.whereRepeated(true), "Delays are drawn from 1ms, and from the base before."}
	}
	return Effect{c.whereRepeated(false), "Delays are drawn from the base, and from 1ms before."}
}

// patience is with an upstream that asks for a delay.
func (c *comparison) patience(effects []Effect) []Effect {
	words := fmt.Sprintf("A Retry-After of up to %s is waited for, and of up to %s before.", report.Duration(c.new.RetryAfterMax), report.Duration(c.old.RetryAfterMax))
	return append(effects[:0], Effect{c.whereRepeated(c.new.RetryAfterMax > c.old.RetryAfterMax), words})
}

func (c *comparison) attemptTimeout() Effect {
	old, new := report.OrUnlimited(c.old.AttemptTimeout), report.OrUnlimited(c.new.AttemptTimeout)
	if new < old {
		return Effect{c.whereRepeated(true), "An attempt is given up sooner, and leaves more time for another: the upstream may still be at work on the first."}
	}
	return Effect{c.whereRepeated(false), "An attempt is given up later, and leaves less time for another."}
}

// deadline: a longer one sends more if there are calls for which the old one was
// too short, and the other way round.
func (c *comparison) deadline() Effect {
	old, new := report.OrUnlimited(c.old.Deadline), report.OrUnlimited(c.new.Deadline)
	switch {
	case new > old && cuts(c.new, old, c.bulkhead):
		return Effect{Loosened, "Slow calls have time for attempts that did not fit before."}
	case new > old:
		return Effect{Neutral, "All attempts did fit before: a call may take longer, and sends no more."}
	case cuts(c.old, new, c.oldBulkhead):
		return Effect{Tightened, "Slow calls have no time any more for attempts that did fit before."}
	}
	return Effect{Neutral, "All attempts still fit."}
}

// cuts reports whether a deadline ends calls of a contract that have attempts
// left: where each attempt takes its time, and each delay is the longest.
func cuts(op *runtime.Operation, deadline, bulkhead time.Duration) bool {
	if op.MaxAttempts < 2 {
		return false
	}
	unbounded := *op
	unbounded.Deadline = runtime.NoDeadline
	waits := report.Waits(&unbounded, true)
	latest := bulkhead // when the last attempt begins
	for _, wait := range waits[1:] {
		for _, d := range []time.Duration{report.OrUnlimited(op.AttemptTimeout), wait, bulkhead} {
			latest = report.Plus(latest, d)
		}
	}
	return latest >= deadline-op.MinAttemptBudget
}

// upstreamChanges are the values of two upstreams that differ.
func upstreamChanges(oldSide, newSide *Side) []Change {
	was, is := report.UpstreamValues(&oldSide.API.Upstream), report.UpstreamValues(&newSide.API.Upstream)
	old, new := report.Upstream(&oldSide.API.Upstream), report.Upstream(&newSide.API.Upstream)
	changes := []Change{}
	for i := range was {
		if was[i].Text != is[i].Text {
			changes = append(changes, change(is[i].Key, was[i].Text, is[i].Text, oldSide.at(was[i]), newSide.at(is[i]), upstreamEffects(is[i].Key, &old, &new)))
		}
	}
	return changes
}

func upstreamEffects(key string, old, new *runtime.UpstreamContract) []Effect {
	switch key {
	case report.Ratio:
		return ordered(nil, 100*old.BudgetRatio, 100*new.BudgetRatio, true, "The budget pays for retries up to %v%% of the traffic, and up to %v%% before.")
	case report.MinPerWindow:
		return ordered(nil, old.BudgetMinPerWindow, new.BudgetMinPerWindow, true, "With little traffic the budget pays for %d retries in its window, and for %d before.")
	case report.Deposit:
		if new.BudgetDeposit == runtime.DepositRequest {
			return []Effect{{Loosened, "Calls that fail earn retries, too: in an outage the budget pays for more."}}
		}
		return []Effect{{Tightened, "Only calls that succeed earn retries: in an outage the budget pays for less."}}
	case report.Window:
		return windowEffects(old, new)
	case report.UpstreamName:
		return []Effect{{Neutral, "Errors, events and metrics bear another name."}}
	}
	return []Effect{{Neutral, "It bounds what is sent at the same time, not how often a request is sent."}}
}

// windowEffects: in a longer window more traffic earns retries that may come at
// once, but the floor counts less often.
func windowEffects(old, new *runtime.UpstreamContract) (effects []Effect) {
	longer := new.BudgetWindow > old.BudgetWindow
	class := map[bool]Class{true: Loosened, false: Tightened}
	if old.BudgetRatio > 0 || new.BudgetRatio > 0 {
		word := map[bool]string{true: "longer", false: "shorter"}[longer]
		effects = append(effects, Effect{class[longer], fmt.Sprintf("Retries that a %s time of traffic has earned may come at once.", word)})
	}
	if old.BudgetMinPerWindow > 0 || new.BudgetMinPerWindow > 0 {
		word := map[bool]string{true: "less", false: "more"}[longer]
		effects = append(effects, Effect{class[!longer], fmt.Sprintf("The floor pays %s often.", word)})
	}
	if effects == nil {
		return []Effect{{Neutral, "There is no budget in either."}}
	}
	return effects
}
