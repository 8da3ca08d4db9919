package annotation

import "time"

// retry decodes x-retry. Ranges: RULE-ANNOTATION-RANGE; those that depend on
// another value are checked where the contract is complete.
func (d *decoder) retry(into *Retry) decode {
	return d.mapping(fields{
		"max-attempts":       integer(d, &into.MaxAttempts, 1, 5),
		"deadline":           duration(d, &into.Deadline, span{least: 10 * time.Millisecond, most: time.Hour, none: true}),
		"attempt-timeout":    duration(d, &into.AttemptTimeout, span{least: 1, most: time.Hour}),
		"min-attempt-budget": duration(d, &into.MinAttemptBudget, span{least: 1, most: time.Hour}),
		"reconcile-timeout":  duration(d, &into.ReconcileTimeout, span{least: 10 * time.Millisecond, most: time.Hour}),
		"backoff": d.mapping(fields{
			"base":       duration(d, &into.Backoff.Base, span{least: time.Millisecond, most: 5 * time.Minute}),
			"max":        duration(d, &into.Backoff.Max, span{least: time.Millisecond, most: 5 * time.Minute}),
			"multiplier": number(d, &into.Backoff.Multiplier, 1, 10),
			"jitter":     word(d, &into.Backoff.Jitter, JitterFull, JitterDecorrelated),
		}),
		"retry-after": d.mapping(fields{
			"max":       duration(d, &into.RetryAfter.Max, positive),
			"malformed": word(d, &into.RetryAfter.Malformed, MalformedIgnore, MalformedDeny),
		}),
		"statuses":  denied(d, &into.Denied),
		"transient": transient(d, &into.Transient),
	})
}

// upstream decodes x-upstream.
func (d *decoder) upstream(into *Upstream) decode {
	return d.mapping(fields{
		"name": d.name(&into.Name),
		"budget": d.mapping(fields{
			"ratio":          number(d, &into.Budget.Ratio, 0, 0.5),
			"window":         duration(d, &into.Budget.Window, span{least: 10 * time.Second, most: 10 * time.Minute}),
			"deposit":        word(d, &into.Budget.Deposit, DepositRequest, DepositSuccess),
			"min-per-window": integer(d, &into.Budget.MinPerWindow, 0, 100),
		}),
		"pool": d.mapping(fields{
			"max-connections": integer(d, &into.Pool.MaxConnections, 1, unlimited),
			"acquire-timeout": duration(d, &into.Pool.AcquireTimeout, positive),
		}),
		"bulkhead": d.mapping(fields{
			"max-concurrent":  integer(d, &into.Bulkhead.MaxConcurrent, 1, unlimited),
			"acquire-timeout": duration(d, &into.Bulkhead.AcquireTimeout, positive),
		}),
	})
}
