package annotation

import "time"

// Ranges: RULE-ANNOTATION-RANGE. Those that depend on another value are checked
// where the contract is complete.
var (
	callTime    = span{least: 10 * time.Millisecond, most: time.Hour}
	callOrNone  = span{least: callTime.least, most: callTime.most, none: true}
	attemptTime = span{least: 1, most: time.Hour}
	delay       = span{least: time.Millisecond, most: 5 * time.Minute}
	windowTime  = span{least: 10 * time.Second, most: 10 * time.Minute}
)

// retry decodes x-retry.
func (d *decoder) retry(into *Retry) field {
	return d.mapping(fields{
		"max-attempts": integer(d, &into.MaxAttempts, 1, 5).
			is("How many attempts a call may have, the first included", "3"),
		"deadline": duration(d, &into.Deadline, callOrNone).
			is("How long the whole call may take, with its waits and the reading of the body", "10s"),
		"attempt-timeout": duration(d, &into.AttemptTimeout, attemptTime).
			is("How long one attempt may take", "none"),
		"min-attempt-budget": duration(d, &into.MinAttemptBudget, attemptTime).
			is("The time that must be left for a further attempt to be worth it", "100ms"),
		"reconcile-timeout": duration(d, &into.ReconcileTimeout, callTime).
			is("How long it may take to ask what became of an ambiguous call", "5s"),
		"backoff":     d.backoff(&into.Backoff).is("The delays between attempts", ""),
		"retry-after": d.retryAfter(&into.RetryAfter).is("What is made of the header Retry-After", ""),
		"statuses": denied(d, &into.Denied).
			is("Statuses that are not retried, though the rules would permit it", "none"),
		"transient": transient(d, &into.Transient).
			is("Further statuses that an idempotent call is repeated after", "none"),
	}).is("How often and how long a call is attempted", "")
}

func (d *decoder) backoff(into *Backoff) field {
	return d.mapping(fields{
		"base":       duration(d, &into.Base, delay).is("The delay before the second attempt", "100ms"),
		"max":        duration(d, &into.Max, delay).is("The longest delay", "3s"),
		"multiplier": number(d, &into.Multiplier, 1, 10).is("The factor from each delay to the next", "2"),
		"jitter":     word(d, &into.Jitter, JitterFull, JitterDecorrelated).is("How delays are drawn at random", "full"),
	})
}

func (d *decoder) retryAfter(into *RetryAfter) field {
	return d.mapping(fields{
		"max":       duration(d, &into.Max, positive).is("The longest wait that a response may ask for", "the deadline"),
		"malformed": word(d, &into.Malformed, MalformedIgnore, MalformedDeny).is("What follows from a header that cannot be read", "ignore"),
	})
}

// upstream decodes x-upstream.
func (d *decoder) upstream(into *Upstream) field {
	return d.mapping(fields{
		"name":     d.name(&into.Name).is("The name of the upstream", "made of the document's title"),
		"budget":   d.budget(&into.Budget).is("How many retries there may be for the traffic that there is", ""),
		"pool":     d.pool(&into.Pool).is("The connections of the upstream", ""),
		"bulkhead": d.bulkhead(&into.Bulkhead).is("How many attempts may be under way", ""),
	}).is("What all calls share: the failure domain", "")
}

func (d *decoder) budget(into *Budget) field {
	return d.mapping(fields{
		"ratio":          number(d, &into.Ratio, 0, 0.5).is("Retries as a part of the traffic", "0.1"),
		"window":         duration(d, &into.Window, windowTime).is("The time over which the ratio holds", "60s"),
		"deposit":        word(d, &into.Deposit, DepositRequest, DepositSuccess).is("What counts as traffic", "request"),
		"min-per-window": integer(d, &into.MinPerWindow, 0, 100).is("How many retries there may be in a window without much traffic", "10"),
	})
}

func (d *decoder) pool(into *Pool) field {
	return d.mapping(fields{
		"max-connections": integer(d, &into.MaxConnections, 1, unlimited).is("The most connections", "no limit"),
		"acquire-timeout": duration(d, &into.AcquireTimeout, positive).is("How long an attempt may wait for a connection", "the deadline"),
	})
}

func (d *decoder) bulkhead(into *Bulkhead) field {
	return d.mapping(fields{
		"max-concurrent":  integer(d, &into.MaxConcurrent, 1, unlimited).is("The most attempts at the same time", "no limit"),
		"acquire-timeout": duration(d, &into.AcquireTimeout, positive).is("How long an attempt may wait for its turn", "the deadline"),
	})
}
