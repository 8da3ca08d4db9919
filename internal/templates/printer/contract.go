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
// changed line. The last is that of operations whose OnAmbiguous is required.
func contract(g *Group, op *spec.Operation) {
	c := &op.Contract
	pairs := []pair{
		{"Name", Lit(op.Name.Wire)},
		{"Route", Lit(op.Method + " " + op.Route)},
		{"Idempotency", rt(idempotencies[c.Idempotency.V])},
		{"KeyHeader", Lit(c.Key.Header.V)},
		{"KeyTemplate", Lit(c.Key.Template.V)},
		{"KeyRetention", duration(c.Key.Retention.V, "NoRetention")},
		{"Replayability", rt(replayability[c.Replayability.V])},
		{"Transient500", Lit(c.Transient500.V)},
		{"TransientStatuses", ints(c.TransientStatuses.V)},
		{"DeniedStatuses", ints(c.DeniedStatuses.V)},
		{"MaxAttempts", Lit(c.MaxAttempts.V)},
		{"Deadline", duration(c.Deadline.V, "NoDeadline")},
		{"AttemptTimeout", duration(c.AttemptTimeout.V, "NoTimeout")},
		{"MinAttemptBudget", duration(c.MinAttemptBudget.V, "")},
		{"BackoffBase", duration(c.BackoffBase.V, "")},
		{"BackoffMax", duration(c.BackoffMax.V, "")},
		{"BackoffMultiplier", float(c.BackoffMultiplier.V)},
		{"BackoffJitter", rt(jitters[c.BackoffJitter.V])},
		{"RetryAfterMax", duration(c.RetryAfterMax.V, "")},
		{"RetryAfterMalformed", rt(malformed[c.RetryAfterMalformed.V])},
	}
	if c.OnAmbiguous.V {
		pairs = append(pairs, pair{"ReconcileTimeout", duration(c.ReconcileTimeout.V, "")})
	}
	g.Var().Add(id(op.Var)).Op("=").Add(rt("Operation"), fields(pairs...))
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
