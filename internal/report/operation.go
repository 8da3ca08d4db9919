// Package report tells people what a client will do: from the IR that the client
// is generated from, and with the answers of the engine that it links. What is
// said of a decision is what [runtime.Decide] has answered.
package report

import (
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/runtime"
)

// Operation is the contract that the generated code has of an operation. The
// constants of spec and runtime are in one order.
func Operation(op *spec.Operation) *runtime.Operation {
	c := &op.Contract
	contract := &runtime.Operation{
		Name:                op.Name.Wire,
		Route:               op.Method + " " + op.Route,
		Idempotency:         runtime.Idempotency(c.Idempotency.V),
		KeyHeader:           c.Key.Header.V,
		KeyTemplate:         c.Key.Template.V,
		KeyRetention:        c.Key.Retention.V,
		Replayability:       runtime.Replayability(c.Replayability.V),
		Transient500:        c.Transient500.V,
		TransientStatuses:   c.TransientStatuses.V,
		DeniedStatuses:      c.DeniedStatuses.V,
		MaxAttempts:         c.MaxAttempts.V,
		Deadline:            c.Deadline.V,
		AttemptTimeout:      c.AttemptTimeout.V,
		MinAttemptBudget:    c.MinAttemptBudget.V,
		BackoffBase:         c.BackoffBase.V,
		BackoffMax:          c.BackoffMax.V,
		BackoffMultiplier:   c.BackoffMultiplier.V,
		BackoffJitter:       runtime.Jitter(c.BackoffJitter.V),
		RetryAfterMax:       c.RetryAfterMax.V,
		RetryAfterMalformed: runtime.Malformed(c.RetryAfterMalformed.V),
	}
	if c.OnAmbiguous.V {
		contract.ReconcileTimeout = c.ReconcileTimeout.V
	}
	return contract
}

// Upstream is the contract that the generated code has of the API as a whole.
func Upstream(u *spec.Upstream) runtime.UpstreamContract {
	return runtime.UpstreamContract{
		Name:                   u.Name.V,
		BudgetRatio:            u.BudgetRatio.V,
		BudgetWindow:           u.BudgetWindow.V,
		BudgetDeposit:          runtime.Deposit(u.BudgetDeposit.V),
		BudgetMinPerWindow:     u.BudgetMinPerWindow.V,
		MaxConnections:         u.MaxConnections.V,
		AcquireTimeout:         u.AcquireTimeout.V,
		MaxConcurrent:          u.MaxConcurrent.V,
		BulkheadAcquireTimeout: u.BulkheadAcquireTimeout.V,
	}
}
