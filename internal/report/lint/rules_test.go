package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// findings are those of the bad examples of the page.
var findings = map[string][]string{
	"broken-reference": {
		`8:23: $ref "#/components/responses/Payment" leads nowhere`,
	},
	"invalid-document": {
		`6:7: unknown field "operationID"`,
	},
	"unknown-annotation": {
		`6:7: unknown annotation "x-idempotant"`,
	},
	"misplaced-annotation": {
		"5:5: x-idempotent has no effect on a path item; it belongs on an operation",
	},
	"invalid-value": {
		"3:25: x-retry.max-attempts is 10; expected a whole number from 1 to 5",
		"3:39: x-retry.deadline is 8; expected a duration such as 250ms or 1m30s, from 10ms to 1h, or none",
	},
	"permits-more": {
		`3:27: x-retry.statuses.404 is the string "retry"; expected deny: a document may forbid more retries than the rules, never permit more`,
	},
	"key-template": {
		`6:28: key template of operation "POST /payments": {order} needs the body field order, which is optional or may be null`,
	},
	"conflicting-limits": {
		`3:25: attempt-timeout of operation "getPayment" is 5s; it must be below the deadline, which is 2s`,
	},
	"not-generated": {
		`5:70: security scheme "token" is not defined`,
	},
	"undeclared-idempotency": {
		`5:5: operation "listPayments": x-idempotent is not declared; GET /payments is sent again only if it provably was not processed`,
	},
	"idempotence-claim": {
		`5:40: operation "createPayment": x-idempotent: true without a key, and its name says "create"`,
	},
	"transient-without-idempotency": {
		`5:61: operation "createPayment": x-transient-500 has no effect: a 500 is repeated for idempotent operations only`,
	},
	"transient-without-effect": {
		`3:11: operation "getPayment": 520 is both transient and denied; deny wins`,
		`3:11: operation "getPayment": transient lists 503, which is repeated in any case`,
	},
	"deny-without-effect": {
		`3:11: operation "getPayment": statuses denies 404, which is never repeated`,
	},
	"one-shot-attempts": {
		`8:7: operation "storeReceipt": up to 3 attempts, and a body that is read once: none follows an attempt that has begun to read it`,
	},
	"single-attempt-policy": {
		`8:44: operation "cancelPayment": max-attempts is 1, so backoff has no effect`,
	},
	"no-second-attempt": {
		`3:25: operation "getPayment": up to 3 attempts, of which the second never fits: a delay of at least 500ms and a min-attempt-budget of 600ms exceed the deadline of 1s`,
	},
	"deadline-too-near": {
		`3:25: operation "getPayment": an attempt that times out leaves 100ms of the deadline of 4s; a backoff of about 100ms and a min-attempt-budget of 100ms do not fit`,
	},
	"no-attempt-timeout": {
		`3:11: operation "getPayment": a deadline of 4s without an attempt-timeout: an attempt that hangs leaves no time for a second`,
	},
	"no-time-limit": {
		`8:17: operation "followPayments": deadline none without an attempt-timeout: a provider that never answers is waited for without end`,
	},
	"min-attempt-budget-above-timeout": {
		`3:46: operation "getPayment": min-attempt-budget is 2s, and an attempt takes 1s at most`,
	},
	"retry-after-beyond-deadline": {
		`3:60: operation "getPayment": retry-after max is 1m, and the call ends after 5s`,
	},
	"key-without-retention": {
		`5:40: operation "createPayment": the key has no retention, so nobody knows how long it protects`,
	},
	"short-retention": {
		`7:28: operation "createPayment": the provider forgets the key after 1m, and the call may go on for 2m`,
	},
	"random-key": {
		`7:7: operation "payOrder": the key has no template: each call draws another one, also the call that a restarted program makes again`,
	},
	"key-length": {
		`7:28: operation "payOrder": {order} has no maxLength, and a key has 255 bytes at most`,
	},
	"no-retry-budget": {
		"3:23: a budget of ratio 0 and min-per-window 0 pays for no retry, and operations have several attempts",
	},
	"floor-only-budget": {
		"3:23: a budget of ratio 0: 5 retries in 1m, however much traffic there is",
	},
	"bulkhead-above-pool": {
		"3:54: the bulkhead admits 50 attempts at once, and the pool has 20 connections",
	},
	"acquire-timeout-without-effect": {
		"4:10: acquire-timeout of the pool has no effect without max-connections: nothing is waited for",
		"5:34: acquire-timeout of the bulkhead is 30s, and no call lasts longer than 10s",
	},
	"secret-in-document": {
		"8:38: this looks like a private key (-----BEGIN...)",
	},
	"bad-ignore": {
		"5:38: there is no rule undeclared-idempotence; did you mean undeclared-idempotency?",
	},
	"unused-ignore": {
		"5:5: nothing here breaks undeclared-idempotency",
	},
	"invalid-example": {
		"5:29: invalid example: value must be an integer",
	},
	"invalid-default": {
		"5:29: invalid default: value must be an integer",
	},
	"invalid-pattern": {
		"5:26: invalid pattern: it is no regular expression of Go (RE2)",
	},
	"untidy-document": {
		"5:5: value of responses must be an object",
	},
}

// TestRules has what the page does not show.
func TestRules(t *testing.T) {
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			rule, _, _ := strings.Cut(name, " ")
			require.NotNil(t, ruleNamed(rule))
			report := lintText(t, whole(test.document), Options{Strict: true})
			require.Equal(t, test.want, ofRule(report, rule))
		})
	}
}

// post is a document of one operation, whose members begin on line 6.
func post(members ...string) string {
	return "paths:\n  /payments:\n    post:\n      " + strings.Join(members, "\n      ") + "\n"
}

// keyedBy is an operation whose key is of a required field.
func keyedBy(template, schema string) string {
	return post("x-idempotent: {key: {template: '"+template+"', retention: 24h}}",
		"requestBody: {required: true, content: {application/json: {schema: {type: object, required: [a, b], properties: {"+schema+"}}}}}")
}

// cases are named by their rule.
var cases = map[string]struct {
	document string
	want     []string
}{
	"broken-reference in a parameter, and on": {
		post("x-idempotent: true", "parameters: [{$ref: '#/components/parameters/no'}]", "x-retri: {}"),
		[]string{`7:27: $ref "#/components/parameters/no" leads nowhere`},
	},
	"unknown-annotation after a broken reference": {
		post("parameters: [{$ref: '#/components/parameters/no'}]", "x-retri: {}"),
		[]string{`7:7: unknown annotation "x-retri"`},
	},
	"unknown-annotation after an invalid document": {
		post("operationID: a", "x-retry: {max-atempts: 2}"),
		[]string{`7:17: unknown key "max-atempts" in x-retry; expected one of attempt-timeout, backoff, deadline, max-attempts, min-attempt-budget, reconcile-timeout, retry-after, statuses, transient`},
	},
	"unknown-annotation in what no client uses": {
		"components:\n  schemas:\n    A: {type: object, properties: {x-retri: {type: string, x-idempotant: true}}}\n",
		[]string{`5:60: unknown annotation "x-idempotant"`},
	},
	"unknown-annotation in examples": {
		"components:\n  schemas:\n    A: {type: object, example: {x-retri: 1}, x-vendor: {x-retri: 2}, enum: [{x-retri: 3}]}\n", nil,
	},
	"misplaced-annotation in a callback": {
		post("callbacks: {paid: {'{$url}': {post: {x-idempotent: true}}}}"),
		[]string{"6:44: x-idempotent has no effect on this element; it belongs on an operation"},
	},
	"misplaced-annotation in a schema": {
		"components:\n  schemas:\n    A: {type: string, x-retry: {deadline: 1s}}\n",
		[]string{"5:23: x-retry has no effect on this element; it belongs on the root or an operation"},
	},
	"misplaced-annotation on a body": {
		post("requestBody: {x-replayability: one-shot, content: {application/pdf: {x-replayability: one-shot}}}"), nil,
	},
	"not-generated of a circle of parameters, which is found as such": {
		"paths:\n  /a: {get: {parameters: [{$ref: '#/components/parameters/A'}]}}\ncomponents:\n  parameters:\n    A: {$ref: '#/components/parameters/B'}\n    B: {$ref: '#/components/parameters/A'}\n", nil,
	},
	"undeclared-idempotency of a value that is wrong": {post("x-idempotent: perhaps"), nil},
	"idempotence-claim of a PATCH": {
		"paths:\n  /payments:\n    patch: {operationId: changePayment, x-idempotent: true}\n",
		[]string{`5:41: operation "changePayment": x-idempotent: true without a key, and it is a PATCH`},
	},
	"idempotence-claim of a PUT that sends": {
		"paths:\n  /payments:\n    put: {operationId: messages.Send, x-idempotent: true}\n",
		[]string{`5:39: operation "messages.Send": x-idempotent: true without a key, and its name says "send"`},
	},
	"idempotence-claim of reads":  {"paths:\n  /payments:\n    get: {operationId: orderList, x-idempotent: true}\n    put: {operationId: paymentsPut, x-idempotent: true}\n", nil},
	"idempotence-claim of a path": {"paths:\n  /customers/order:\n    put: {x-idempotent: true}\n", nil},
	"idempotence-claim of a key":  {post("operationId: createPayment", "x-idempotent: {key: {}}"), nil},
	"idempotence-claim of a name": {post("operationId: sendable", "x-idempotent: false"), nil},
	"transient-without-idempotency at the root": {
		"x-transient-500: true\nx-retry: {transient: [520]}\n" + post("operationId: a", "x-idempotent: false"),
		[]string{"3:1: x-transient-500 has no effect: no operation is idempotent", "4:11: transient has no effect: no operation is idempotent"},
	},
	"transient-without-idempotency at the root, for some": {"x-transient-500: true\n" + lookup + "  /a: {post: {x-idempotent: false}}\n", nil},
	"transient-without-idempotency in x-retry": {
		post("operationId: a", "x-retry: {transient: [520]}"),
		[]string{`7:17: operation "a": transient has no effect: its statuses are repeated for idempotent operations only`},
	},
	"transient-without-effect of 500": {
		"x-retry: {statuses: {500: deny}}\nx-transient-500: true\n",
		[]string{`4:1: operation "getPayment": 500 is both transient and denied; deny wins`},
	},
	"deny-without-effect of statuses that count": {
		"x-transient-500: true\nx-retry: {transient: [520], statuses: {200: deny, 401: deny, 408: deny, 425: deny, 429: deny, 500: deny, 502: deny, 503: deny, 504: deny, 520: deny}}\n", nil,
	},
	"deny-without-effect of others": {
		"x-retry: {statuses: {500: deny}}\n" + lookup + "  /b: {get: {operationId: getB, x-idempotent: true}}\n",
		[]string{`3:11: operations "getB", "getPayment": statuses denies 500, which is never repeated`},
	},
	"one-shot-attempts of what is not repeated": {
		post("x-replayability: one-shot", "x-idempotent: false", "requestBody: {content: {application/pdf: {}}}"), nil,
	},
	"one-shot-attempts that are asked for": {
		post("operationId: a", "x-replayability: one-shot", "x-retry: {max-attempts: 2}", "requestBody: {content: {application/pdf: {}}}"),
		[]string{`7:7: operation "a": up to 2 attempts, and a body that is read once: none follows an attempt that has begun to read it`},
	},
	"single-attempt-policy of the root": {"x-retry: {max-attempts: 1, backoff: {base: 1s}}\n", nil},
	"single-attempt-policy of all": {
		post("operationId: a", "x-transient-500: true", "x-retry: {max-attempts: 1, min-attempt-budget: 1s, retry-after: {max: 1s}, statuses: {429: deny}, transient: [520]}"),
		[]string{
			`7:7: operation "a": max-attempts is 1, so x-transient-500 has no effect`,
			`8:34: operation "a": max-attempts is 1, so min-attempt-budget has no effect`,
			`8:72: operation "a": max-attempts is 1, so retry-after has no effect`,
			`8:82: operation "a": max-attempts is 1, so statuses has no effect`,
			`8:105: operation "a": max-attempts is 1, so transient has no effect`,
		},
	},
	"no-second-attempt of one": {"x-retry: {max-attempts: 1, deadline: 11ms, min-attempt-budget: 10ms}\n", nil},
	"no-second-attempt by the least": {
		"x-retry: {deadline: 11ms, min-attempt-budget: 10ms}\n",
		[]string{`3:27: operation "getPayment": up to 3 attempts, of which the second never fits: a delay of at least 1ms and a min-attempt-budget of 10ms exceed the deadline of 11ms`},
	},
	"no-second-attempt that just fits": {"x-retry: {deadline: 12ms, min-attempt-budget: 10ms}\n", nil},
	"deadline-too-near of what is not repeated": {
		"x-retry: {deadline: 4s, attempt-timeout: 3900ms}\n" + post("x-idempotent: false"), nil,
	},
	"deadline-too-near that just fits":  {"x-retry: {deadline: 4s, attempt-timeout: 3799ms}\n", nil},
	"deadline-too-near that does not":   {"x-retry: {deadline: 4s, attempt-timeout: 3800ms}\n", []string{`3:25: operation "getPayment": an attempt that times out leaves 200ms of the deadline of 4s; a backoff of about 100ms and a min-attempt-budget of 100ms do not fit`}},
	"no-attempt-timeout by default":     {lookup, []string{`1:1: operation "getPayment": a deadline of 10s without an attempt-timeout: an attempt that hangs leaves no time for a second`}},
	"no-attempt-timeout of one attempt": {"x-retry: {max-attempts: 1, deadline: 4s}\n", nil},
	"no-attempt-timeout of many": {
		"x-retry: {deadline: 4s}\npaths:\n" + lookups("a", "b", "c", "d", "e"),
		[]string{`3:11: operations "a", "b", "c" and 2 more: a deadline of 4s without an attempt-timeout: an attempt that hangs leaves no time for a second`},
	},
	"no-attempt-timeout of four": {
		"x-retry: {deadline: 4s}\npaths:\n" + lookups("a", "b", "c", "d"),
		[]string{`3:11: operations "a", "b", "c", "d": a deadline of 4s without an attempt-timeout: an attempt that hangs leaves no time for a second`},
	},
	"min-attempt-budget-above-timeout of one attempt": {"x-retry: {max-attempts: 1, attempt-timeout: 1s, min-attempt-budget: 2s}\n", nil},
	"retry-after-beyond-deadline by default":          {"x-retry: {deadline: 1s}\n", nil},
	"key-length of what is bounded": {
		keyedBy("{a}-{b}", "a: {type: string, enum: [xx, yyy]}, b: {type: integer}"), nil,
	},
	"key-length of what is too long": {
		keyedBy("{a}-{b}", "a: {type: string, maxLength: 234}, b: {type: integer}"), nil,
	},
	"key-length of what is a byte too long": {
		keyedBy("{a}--{b}", "a: {type: string, maxLength: 234}, b: {type: integer}"),
		[]string{`6:28: operation "POST /payments": the key can have 256 bytes; 255 are permitted`},
	},
	"key-length of a nested field": {
		keyedBy("{a.id}", "a: {type: object, required: [id], properties: {id: {type: string}}}"),
		[]string{`6:28: operation "POST /payments": {a.id} has no maxLength, and a key has 255 bytes at most`},
	},
	"short-retention of one attempt": {post("x-idempotent: {key: {retention: 1s}}", "x-retry: {max-attempts: 1}"), nil},
	"no-retry-budget of one attempt": {"x-upstream: {budget: {ratio: 0, min-per-window: 0}}\nx-retry: {max-attempts: 1}\n", nil},
	"floor-only-budget with none":    {"x-upstream: {budget: {ratio: 0, min-per-window: 0}}\n", nil},
	"bulkhead-above-pool without":    {"x-upstream: {bulkhead: {max-concurrent: 50}}\n", nil},
	"acquire-timeout-without-effect of streams": {
		"x-upstream: {pool: {max-connections: 5, acquire-timeout: 30s}}\nx-retry: {deadline: none}\n" +
			"paths: {/a: {get: {x-idempotent: true, responses: {'200': {description: a, content: {text/event-stream: {}}}}}}}\n", nil,
	},
	"invalid-example of a media type": {
		post("x-idempotent: false", "requestBody: {content: {application/json: {schema: {type: integer}, example: a}}}"),
		[]string{"7:75: invalid example: value must be an integer"},
	},
}

// lookups are operations on paths of their names.
func lookups(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "  /%s: {get: {operationId: %s, x-idempotent: true}}\n", name, name)
	}
	return b.String()
}
