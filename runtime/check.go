package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// checkContract repeats, when an upstream is built, the range checks that the
// generator makes: contracts may also be written by hand (RULE-ANNOTATION).
func checkContract(c *UpstreamContract, operations []*Operation) error {
	errs := []error{
		within("BudgetRatio", c.BudgetRatio, 0, 0.5),
		within("BudgetWindow", c.BudgetWindow, 10*time.Second, 10*time.Minute),
		within("BudgetMinPerWindow", c.BudgetMinPerWindow, 0, 100),
		notNegative("MaxConnections", c.MaxConnections),
		notNegative("AcquireTimeout", c.AcquireTimeout),
		notNegative("MaxConcurrent", c.MaxConcurrent),
		notNegative("BulkheadAcquireTimeout", c.BulkheadAcquireTimeout),
	}
	for _, op := range operations {
		if err := op.check(); err != nil {
			errs = append(errs, fmt.Errorf("operation %s: %w", op.Name, err))
		}
	}
	return errors.Join(errs...)
}

// check reports every value of the contract that is out of range. A contract of
// a single attempt needs no backoff.
func (op *Operation) check() error {
	errs := []error{
		within("MaxAttempts", op.MaxAttempts, 0, maxAttemptsLimit),
		notNegative("KeyRetention", op.KeyRetention),
		notNegative("RetryAfterMax", op.RetryAfterMax),
	}
	if op.Deadline != NoDeadline {
		errs = append(errs,
			within("Deadline", op.Deadline, 10*time.Millisecond, time.Hour),
			within("AttemptTimeout", op.AttemptTimeout, 0, op.Deadline-1),
			within("MinAttemptBudget", op.MinAttemptBudget, 0, op.Deadline-1))
	}
	if op.ReconcileTimeout != 0 {
		errs = append(errs, within("ReconcileTimeout", op.ReconcileTimeout, 10*time.Millisecond, time.Hour))
	}
	if op.MaxAttempts > 1 {
		errs = append(errs,
			within("BackoffMax", op.BackoffMax, time.Millisecond, 5*time.Minute),
			within("BackoffBase", op.BackoffBase, time.Millisecond, op.BackoffMax),
			within("BackoffMultiplier", op.BackoffMultiplier, 1, 10))
	}
	for _, status := range op.TransientStatuses {
		if status == 501 || status == 505 {
			errs = append(errs, fmt.Errorf("TransientStatuses: %d can never be transient", status))
		}
		errs = append(errs, within("TransientStatuses", status, 500, 599))
	}
	if op.Idempotency == IdempotentByKey && !pool.IsToken(op.KeyHeader) {
		errs = append(errs, fmt.Errorf("KeyHeader: %q is not a header name", op.KeyHeader))
	}
	return errors.Join(errs...)
}

type number interface{ ~int | ~int64 | ~float64 }

func within[N number](name string, value, least, most N) error {
	if value >= least && value <= most { // false for NaN
		return nil
	}
	return fmt.Errorf("%s is %v; permitted are %v to %v", name, value, least, most)
}

func notNegative[N number](name string, value N) error {
	if value >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %v; it may not be negative", name, value)
}
