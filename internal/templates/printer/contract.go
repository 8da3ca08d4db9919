package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// The words of a contract, in the order of the constants of spec.
var (
	idempotencies = []string{"Undeclared", "NotIdempotent", "Idempotent", "IdempotentByKey"}
	replayability = []string{"NoBody", "Replayable", "Reopenable", "OneShot"}
	jitters       = []string{"FullJitter", "DecorrelatedJitter"}
	malformed     = []string{"IgnoreMalformed", "DenyMalformed"}
	deposits      = []string{"DepositRequest", "DepositSuccess"}
)

// contract prints the contract of an operation: every key, always in the same
// order, so that a review of the generated code shows a changed decision as one
// changed line.
func contract(g *Group, op *spec.Operation) {
	c := &op.Contract
	g.Var().Add(id(op.Var)).Op("=").Add(rt("Operation"), fields(
		pair{"Name", Lit(op.Name.Wire)},
		pair{"Route", Lit(op.Method + " " + op.Route)},
		pair{"Idempotency", rt(idempotencies[c.Idempotency.V])},
		pair{"KeyHeader", Lit(c.Key.Header.V)},
		pair{"KeyTemplate", Lit(c.Key.Template.V)},
		pair{"KeyRetention", duration(c.Key.Retention.V, "NoRetention")},
		pair{"Replayability", rt(replayability[c.Replayability.V])},
		pair{"Transient500", Lit(c.Transient500.V)},
		pair{"TransientStatuses", ints(c.TransientStatuses.V)},
		pair{"DeniedStatuses", ints(c.DeniedStatuses.V)},
		pair{"MaxAttempts", Lit(c.MaxAttempts.V)},
		pair{"Deadline", duration(c.Deadline.V, "NoDeadline")},
		pair{"AttemptTimeout", duration(c.AttemptTimeout.V, "NoTimeout")},
		pair{"MinAttemptBudget", duration(c.MinAttemptBudget.V, "")},
		pair{"BackoffBase", duration(c.BackoffBase.V, "")},
		pair{"BackoffMax", duration(c.BackoffMax.V, "")},
		pair{"BackoffMultiplier", float(c.BackoffMultiplier.V)},
		pair{"BackoffJitter", rt(jitters[c.BackoffJitter.V])},
		pair{"RetryAfterMax", duration(c.RetryAfterMax.V, "")},
		pair{"RetryAfterMalformed", rt(malformed[c.RetryAfterMalformed.V])},
	))
}

// upstreamContract prints what the document declares of the API as a whole.
func upstreamContract(g *Group, u *spec.Upstream) {
	g.Var().Id("upstream").Op("=").Add(rt("UpstreamContract"), fields(
		pair{"Name", Lit(u.Name.V)},
		pair{"BudgetRatio", float(u.BudgetRatio.V)},
		pair{"BudgetWindow", duration(u.BudgetWindow.V, "")},
		pair{"BudgetDeposit", rt(deposits[u.BudgetDeposit.V])},
		pair{"BudgetMinPerWindow", Lit(u.BudgetMinPerWindow.V)},
		pair{"MaxConnections", limit(u.MaxConnections.V)},
		pair{"AcquireTimeout", duration(u.AcquireTimeout.V, "NoTimeout")},
		pair{"MaxConcurrent", limit(u.MaxConcurrent.V)},
		pair{"BulkheadAcquireTimeout", duration(u.BulkheadAcquireTimeout.V, "NoTimeout")},
	))
}
