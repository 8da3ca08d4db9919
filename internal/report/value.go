package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Keys of the values of a contract, as a document writes them.
const (
	Idempotent    = "x-idempotent"
	KeyHeader     = "x-idempotent.key.header"
	KeyTemplate   = "x-idempotent.key.template"
	KeyRetention  = "x-idempotent.key.retention"
	Replayability = "x-replayability"
	Transient500  = "x-transient-500"
	Transient     = "x-retry.transient"
	Statuses      = "x-retry.statuses"
	MaxAttempts   = "x-retry.max-attempts"
	Deadline      = "x-retry.deadline"
	AttemptTime   = "x-retry.attempt-timeout"
	MinBudget     = "x-retry.min-attempt-budget"
	BackoffBase   = "x-retry.backoff.base"
	BackoffMax    = "x-retry.backoff.max"
	Multiplier    = "x-retry.backoff.multiplier"
	Jitter        = "x-retry.backoff.jitter"
	RetryAfterMax = "x-retry.retry-after.max"
	Malformed     = "x-retry.retry-after.malformed"
	OnAmbiguous   = "x-on-ambiguous"
	AskTime       = "x-retry.reconcile-timeout"
)

// Keys of the values of an upstream.
const (
	UpstreamName = "x-upstream.name"
	Ratio        = "x-upstream.budget.ratio"
	Window       = "x-upstream.budget.window"
	Deposit      = "x-upstream.budget.deposit"
	MinPerWindow = "x-upstream.budget.min-per-window"
	Connections  = "x-upstream.pool.max-connections"
	PoolWait     = "x-upstream.pool.acquire-timeout"
	Concurrent   = "x-upstream.bulkhead.max-concurrent"
	BulkheadWait = "x-upstream.bulkhead.acquire-timeout"
)

// Value is one value of a contract in words, and who said it.
type Value struct {
	Key    string
	Text   string
	Origin spec.Origin
	At     source.Pos // zero for a default
}

// Words of values, in the order of the constants of spec.
var (
	idempotencies = []string{"not declared", "false", "true", "by key"}
	replayability = []string{"no body", "replayable", "reopenable", "one-shot"}
	jitters       = []string{"full", "decorrelated"}
	malformed     = []string{"ignore", "deny"}
	deposits      = []string{"request", "success"}
)

// Values are those of an operation's contract, always all of them and in one
// order.
func Values(c *spec.Contract) []Value {
	return []Value{
		value(Idempotent, c.Idempotency, func(v spec.Idempotency) string { return idempotencies[v] }),
		value(KeyHeader, c.Key.Header, orNothing),
		value(KeyTemplate, c.Key.Template, func(template string) string {
			if template == "" && c.Idempotency.V == spec.IdempotentByKey {
				return "a random key for each call"
			}
			return orNothing(template)
		}),
		value(KeyRetention, c.Key.Retention, orNone),
		value(Replayability, c.Replayability, func(v spec.Replayability) string { return replayability[v] }),
		value(Transient500, c.Transient500, func(on bool) string { return fmt.Sprint(on) }),
		value(Transient, c.TransientStatuses, joined),
		value(Statuses, c.DeniedStatuses, denied),
		value(MaxAttempts, c.MaxAttempts, func(n int) string { return fmt.Sprint(n) }),
		value(Deadline, c.Deadline, orNone),
		value(AttemptTime, c.AttemptTimeout, orNone),
		value(MinBudget, c.MinAttemptBudget, Duration),
		value(BackoffBase, c.BackoffBase, Duration),
		value(BackoffMax, c.BackoffMax, Duration),
		value(Multiplier, c.BackoffMultiplier, number),
		value(Jitter, c.BackoffJitter, func(v spec.Jitter) string { return jitters[v] }),
		value(RetryAfterMax, c.RetryAfterMax, Duration),
		value(Malformed, c.RetryAfterMalformed, func(v spec.Malformed) string { return malformed[v] }),
		value(OnAmbiguous, c.OnAmbiguous, func(required bool) string {
			if required {
				return "required"
			}
			return "error"
		}),
		value(AskTime, c.ReconcileTimeout, Duration),
	}
}

// UpstreamValues are those of the API as a whole.
func UpstreamValues(u *spec.Upstream) []Value {
	limit := func(n int) string {
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}
	patience := func(d time.Duration) string {
		if d == 0 {
			return "the deadline of the call"
		}
		return Duration(d)
	}
	return []Value{
		value(UpstreamName, u.Name, func(name string) string { return name }),
		value(Ratio, u.BudgetRatio, number),
		value(Window, u.BudgetWindow, Duration),
		value(Deposit, u.BudgetDeposit, func(v spec.Deposit) string { return deposits[v] }),
		value(MinPerWindow, u.BudgetMinPerWindow, func(n int) string { return fmt.Sprint(n) }),
		value(Connections, u.MaxConnections, limit),
		value(PoolWait, u.AcquireTimeout, patience),
		value(Concurrent, u.MaxConcurrent, limit),
		value(BulkheadWait, u.BulkheadAcquireTimeout, patience),
	}
}

func value[T any](key string, v spec.Value[T], text func(T) string) Value {
	return Value{Key: key, Text: text(v.V), Origin: v.Origin, At: v.Pos}
}

// orNothing is a text, or what no header and no template can be.
func orNothing(text string) string {
	if text == "" {
		return "no key"
	}
	return text
}

func denied(statuses []int) string {
	if len(statuses) == 0 {
		return "none"
	}
	return "deny " + joined(statuses)
}

// Said is who said a value: "default", or a place.
func (v Value) Said() string {
	if v.Origin == spec.FromDefault || v.At == (source.Pos{}) {
		return "default"
	}
	return v.At.String()
}

// Budget tells what an upstream's retry budget admits.
func Budget(u *spec.Upstream) string {
	var b strings.Builder
	earned := "the calls that begin"
	if u.BudgetDeposit.V == spec.DepositSuccess {
		earned = "the calls that succeed"
	}
	fmt.Fprintf(&b, "retries are at most %s%% of %s, in each %s and in each second; ", number(100*u.BudgetRatio.V), earned, Duration(u.BudgetWindow.V))
	fmt.Fprintf(&b, "with little traffic %d in each %s, and 1 in each second", u.BudgetMinPerWindow.V, Duration(u.BudgetWindow.V))
	if u.BudgetRatio.V == 0 && u.BudgetMinPerWindow.V == 0 {
		return "no retry is ever paid for"
	}
	return b.String()
}
