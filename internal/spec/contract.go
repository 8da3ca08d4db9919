package spec

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/spec/annotation"
)

// Defaults of what a document may leave out (RULE-ANNOTATION).
const (
	defaultMaxAttempts      = 3
	defaultDeadline         = 10 * time.Second
	defaultMinAttemptBudget = 100 * time.Millisecond
	defaultBackoffBase      = 100 * time.Millisecond
	defaultBackoffMax       = 3 * time.Second
	defaultMultiplier       = 2
	defaultReconcileTimeout = 5 * time.Second
	defaultBudgetRatio      = 0.1
	defaultBudgetWindow     = 60 * time.Second
	defaultBudgetMin        = 10
)

// layered is a value that the operation says, else the document, else nobody.
func layered[T any](fallback T, document, operation annotation.Field[T]) Value[T] {
	switch {
	case operation.Set:
		return Value[T]{V: operation.Value, Origin: FromOperation, Pos: operation.Pos}
	case document.Set:
		return Value[T]{V: document.Value, Origin: FromDocument, Pos: document.Pos}
	}
	return Value[T]{V: fallback}
}

// translated is a value in the words of the IR.
func translated[S, T any](v Value[S], translate func(S) T) Value[T] {
	return Value[T]{V: translate(v.V), Origin: v.Origin, Pos: v.Pos}
}

// upstream is the failure domain that all operations share.
func (l *loader) upstream() Upstream {
	u := l.defined.Upstream
	name := documentValue("", u.Name)
	if !u.Name.Set {
		name.V = upstreamName(l.root.get("info").get("title").text())
	}
	return Upstream{
		Name:                   name,
		BudgetRatio:            documentValue(defaultBudgetRatio, u.Budget.Ratio),
		BudgetWindow:           documentValue(defaultBudgetWindow, u.Budget.Window),
		BudgetDeposit:          translated(documentValue("", u.Budget.Deposit), depositOf),
		BudgetMinPerWindow:     documentValue(defaultBudgetMin, u.Budget.MinPerWindow),
		MaxConnections:         documentValue(0, u.Pool.MaxConnections),
		AcquireTimeout:         documentValue(0, u.Pool.AcquireTimeout),
		MaxConcurrent:          documentValue(0, u.Bulkhead.MaxConcurrent),
		BulkheadAcquireTimeout: documentValue(0, u.Bulkhead.AcquireTimeout),
	}
}

func documentValue[T any](fallback T, document annotation.Field[T]) Value[T] {
	return layered(fallback, document, annotation.Field[T]{})
}

func depositOf(word string) Deposit {
	if word == annotation.DepositSuccess {
		return DepositSuccess
	}
	return DepositRequest
}

var unusual = regexp.MustCompile(`[^a-z0-9]+`)

// upstreamName is a document's title as a label: "Pet Store" is pet-store.
func upstreamName(title string) string {
	name := strings.Trim(unusual.ReplaceAllString(strings.ToLower(title), "-"), "-")
	if len(name) > 100 {
		name = strings.TrimRight(name[:100], "-")
	}
	return cmp.Or(name, "upstream")
}

// contract is the retry meaning of an operation. Its key is bound later, when
// the types of all values are known.
func (l *loader) contract(op *Operation, e endpoint, declared annotation.Operation) Contract {
	root, own := l.defined.Retry, declared.Retry
	c := Contract{
		Idempotency:         idempotency(declared.Idempotent),
		Transient500:        layered(false, l.defined.Transient500, declared.Transient500),
		TransientStatuses:   layered([]int{}, root.Transient, own.Transient),
		DeniedStatuses:      layered([]int{}, root.Denied, own.Denied),
		MaxAttempts:         layered(defaultMaxAttempts, root.MaxAttempts, own.MaxAttempts),
		Deadline:            layered(defaultDeadline, root.Deadline, own.Deadline),
		AttemptTimeout:      layered(0, root.AttemptTimeout, own.AttemptTimeout),
		MinAttemptBudget:    layered(defaultMinAttemptBudget, root.MinAttemptBudget, own.MinAttemptBudget),
		BackoffBase:         layered(defaultBackoffBase, root.Backoff.Base, own.Backoff.Base),
		BackoffMax:          layered(defaultBackoffMax, root.Backoff.Max, own.Backoff.Max),
		BackoffMultiplier:   layered(defaultMultiplier, root.Backoff.Multiplier, own.Backoff.Multiplier),
		BackoffJitter:       translated(layered("", root.Backoff.Jitter, own.Backoff.Jitter), jitterOf),
		RetryAfterMalformed: translated(layered("", root.RetryAfter.Malformed, own.RetryAfter.Malformed), malformedOf),
		ReconcileTimeout:    layered(defaultReconcileTimeout, root.ReconcileTimeout, own.ReconcileTimeout),
	}
	c.RetryAfterMax = layered(c.Deadline.V, root.RetryAfter.Max, own.RetryAfter.Max)
	c.Key = keyOf(declared.Idempotent)
	c.OnAmbiguous = l.onAmbiguous(op, c, declared)
	l.checkContract(op, e, c)
	return c
}

// onAmbiguous is whether the method must be told what becomes of an ambiguous call.
// An operation that never ends ambiguous has nothing to tell, so what only it says
// about that is a mistake.
func (l *loader) onAmbiguous(op *Operation, c Contract, declared annotation.Operation) Value[bool] {
	v := translated(layered("", l.defined.OnAmbiguous, declared.OnAmbiguous), isRequired)
	if l.options.OnAmbiguous {
		v = Value[bool]{V: true, Origin: FromConfiguration, Pos: l.options.Places["on-ambiguous"]}
	}
	fix := "remove it, or write x-on-ambiguous: required"
	if c.Idempotency.V == Idempotent {
		v, fix = Value[bool]{}, "remove it"
		if own := declared.OnAmbiguous; isRequired(own.Value) {
			l.refuseAt(own.Pos, annotation.RuleMisplacedAnnotation, "remove it", "x-on-ambiguous: required has no effect: operation %q is idempotent, and never ends ambiguous", op.Name.Wire)
		}
	}
	if own := declared.Retry.ReconcileTimeout; own.Set && !v.V {
		l.refuseAt(own.Pos, annotation.RuleMisplacedAnnotation, fix, "x-retry.reconcile-timeout has no effect: nobody is asked what happened to operation %q", op.Name.Wire)
	}
	return v
}

func isRequired(word string) bool { return word == annotation.OnAmbiguousRequired }

func idempotency(declared annotation.Idempotent) Value[Idempotency] {
	v := Value[Idempotency]{Origin: FromOperation, Pos: declared.Pos}
	switch {
	case !declared.Set:
		return Value[Idempotency]{V: Undeclared, Pos: declared.Pos}
	case declared.Key != nil:
		v.V = IdempotentByKey
	case declared.Value:
		v.V = Idempotent
	default:
		v.V = NotIdempotent
	}
	return v
}

func jitterOf(word string) Jitter {
	if word == annotation.JitterDecorrelated {
		return DecorrelatedJitter
	}
	return FullJitter
}

func malformedOf(word string) Malformed {
	if word == annotation.MalformedDeny {
		return DenyMalformed
	}
	return IgnoreMalformed
}

// RuleConflictingLimits is the kind of mistake where values exclude each other.
const RuleConflictingLimits = "conflicting-limits"

// checkContract checks the values that limit each other. Either may be written
// elsewhere than the other, so the later of the two is blamed.
func (l *loader) checkContract(op *Operation, e endpoint, c Contract) {
	below := func(name string, v Value[time.Duration]) {
		if c.Deadline.V > 0 && v.V >= c.Deadline.V {
			l.refuseAt(blamed(e, v, c.Deadline), RuleConflictingLimits, "lower it, or raise the deadline", "%s of operation %q is %s; it must be below the deadline, which is %s", name, op.Name.Wire, v.V, c.Deadline.V)
		}
	}
	below("attempt-timeout", c.AttemptTimeout)
	below("min-attempt-budget", c.MinAttemptBudget)
	if c.BackoffBase.V > c.BackoffMax.V {
		l.refuseAt(blamed(e, c.BackoffBase, c.BackoffMax), RuleConflictingLimits, "lower it, or raise max", "backoff base of operation %q is %s; it must not be above max, which is %s", op.Name.Wire, c.BackoffBase.V, c.BackoffMax.V)
	}
	if c.Deadline.V == 0 && (op.Body == nil || op.Body.Form == Replayable) && op.Stream == nil {
		l.refuseAt(c.Deadline.Pos, RuleConflictingLimits, "write a deadline, up to 1h", "operation %q has deadline none, which only streams may have", op.Name.Wire)
	}
}
