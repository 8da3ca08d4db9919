package annotation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// element is the YAML of an element, and a function that tells positions in it.
func element(t testing.TB, text string) (*yaml.Node, func(*yaml.Node) source.Pos) {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0], func(n *yaml.Node) source.Pos {
		return source.Pos{File: "api.yaml", Line: n.Line, Col: n.Column}
	}
}

func at(line, col int) source.Pos { return source.Pos{File: "api.yaml", Line: line, Col: col} }

// The root sets defaults for all (RULE-ANNOTATION-TRANSIENT-500,
// RULE-ANNOTATION-ON-AMBIGUOUS, RULE-ANNOTATION-RETRY, RULE-ANNOTATION-UPSTREAM).
func TestDecodeRoot(t *testing.T) {
	root, found := DecodeRoot(element(t, `
openapi: 3.0.3
x-transient-500: true
x-on-ambiguous: required
x-retry:
  max-attempts: 5
  deadline: 1m30s
  attempt-timeout: 2s
  min-attempt-budget: 50ms
  backoff: {base: 10ms, max: 5m, multiplier: 1.5, jitter: decorrelated}
  retry-after: {max: 2h, malformed: deny}
  statuses: {429: deny, "408": deny}
  transient: [520, 500, 520]
  reconcile-timeout: 3s
x-upstream:
  name: pets-v2
  budget: {ratio: 0, window: 10s, deposit: success, min-per-window: 0}
  pool: {max-connections: 50, acquire-timeout: 1s}
  bulkhead: {max-concurrent: 7, acquire-timeout: 250ms}
`))
	require.Empty(t, found)
	require.Equal(t, Root{
		Transient500: Field[bool]{true, true, at(3, 1)},
		OnAmbiguous:  Field[string]{OnAmbiguousRequired, true, at(4, 1)},
		Retry: Retry{
			MaxAttempts:      Field[int]{5, true, at(6, 3)},
			Deadline:         Field[time.Duration]{90 * time.Second, true, at(7, 3)},
			AttemptTimeout:   Field[time.Duration]{2 * time.Second, true, at(8, 3)},
			MinAttemptBudget: Field[time.Duration]{50 * time.Millisecond, true, at(9, 3)},
			Backoff: Backoff{
				Base:       Field[time.Duration]{10 * time.Millisecond, true, at(10, 13)},
				Max:        Field[time.Duration]{5 * time.Minute, true, at(10, 25)},
				Multiplier: Field[float64]{1.5, true, at(10, 34)},
				Jitter:     Field[string]{JitterDecorrelated, true, at(10, 51)},
			},
			RetryAfter: RetryAfter{
				Max:       Field[time.Duration]{2 * time.Hour, true, at(11, 17)},
				Malformed: Field[string]{MalformedDeny, true, at(11, 26)},
			},
			Denied:           Field[[]int]{[]int{408, 429}, true, at(12, 3)},
			Transient:        Field[[]int]{[]int{500, 520}, true, at(13, 3)},
			ReconcileTimeout: Field[time.Duration]{3 * time.Second, true, at(14, 3)},
		},
		Upstream: Upstream{
			Name: Field[string]{"pets-v2", true, at(16, 3)},
			Budget: Budget{
				Ratio:        Field[float64]{0, true, at(17, 12)},
				Window:       Field[time.Duration]{10 * time.Second, true, at(17, 22)},
				Deposit:      Field[string]{DepositSuccess, true, at(17, 35)},
				MinPerWindow: Field[int]{0, true, at(17, 53)},
			},
			Pool:     Pool{Field[int]{50, true, at(18, 10)}, Field[time.Duration]{time.Second, true, at(18, 31)}},
			Bulkhead: Bulkhead{Field[int]{7, true, at(19, 14)}, Field[time.Duration]{250 * time.Millisecond, true, at(19, 33)}},
		},
	}, root)
}

func TestDecodeNothing(t *testing.T) {
	root, found := DecodeRoot(element(t, "openapi: 3.0.3\nx-go-name: A\n"))
	require.Empty(t, found)
	require.Zero(t, root)
	op, found := DecodeOperation(element(t, "operationId: a\n"))
	require.Empty(t, found)
	require.Zero(t, op)
	hint, found := DecodeReplayability(nil, nil)
	require.Empty(t, found)
	require.Zero(t, hint)
}

func TestDecodeOperation(t *testing.T) {
	op, found := DecodeOperation(element(t, `
x-idempotent: {key: {header: X-Key, template: "SMS-{user}-{session}", retention: 24h}}
x-replayability: one-shot
x-transient-500: false
x-on-ambiguous: error
x-retry: {deadline: none}
`))
	require.Empty(t, found)
	require.Equal(t, Operation{
		Idempotent: Idempotent{Set: true, Pos: at(2, 1), Value: true, Key: &Key{
			Header:    Field[string]{"X-Key", true, at(2, 22)},
			Template:  Field[[]Part]{[]Part{{Literal: "SMS-"}, {Name: "user"}, {Literal: "-"}, {Name: "session"}}, true, at(2, 37)},
			Retention: Field[time.Duration]{24 * time.Hour, true, at(2, 71)},
		}},
		Replayability: Field[string]{OneShot, true, at(3, 1)},
		Transient500:  Field[bool]{false, true, at(4, 1)},
		OnAmbiguous:   Field[string]{OnAmbiguousError, true, at(5, 1)},
		Retry:         Retry{Deadline: Field[time.Duration]{0, true, at(6, 11)}},
	}, op)
}

// RULE-ANNOTATION-IDEMPOTENT.
func TestDecodeIdempotent(t *testing.T) {
	for text, want := range map[string]Idempotent{
		"x-idempotent: true":      {Set: true, Pos: at(1, 1), Value: true},
		"x-idempotent: false":     {Set: true, Pos: at(1, 1)},
		"x-idempotent: {key: {}}": {Set: true, Pos: at(1, 1), Value: true, Key: &Key{Header: Field[string]{Value: "Idempotency-Key"}}},
	} {
		op, found := DecodeOperation(element(t, text))
		require.Empty(t, found)
		require.Equal(t, want, op.Idempotent)
	}
}

// Every mistake is one message at its place (RULE-ANNOTATION-STRICT).
func TestDecodeRefuses(t *testing.T) {
	type refused struct{ text, want string }
	retry := func(text, want string) refused { return refused{"x-retry: {" + text + "}", want} }
	upstream := func(text, want string) refused { return refused{"x-upstream: {" + text + "}", want} }
	root := []refused{
		{"x-transient-500: 1", "1:18: x-transient-500 is 1; expected true or false"},
		{"x-transient-500: yes", `1:18: x-transient-500 is the string "yes"; expected true or false`},
		{"x-transient-500:", "1:17: x-transient-500 is empty; expected true or false"},
		{"x-on-ambiguous: ignore", `1:17: x-on-ambiguous is the string "ignore"; expected error or required`},
		{"x-retry: 3", "1:10: x-retry is 3; expected a mapping of attempt-timeout, backoff, deadline, max-attempts, min-attempt-budget, reconcile-timeout, retry-after, statuses, transient"},
		{"x-retry: {max-atempts: 2}", "1:11: unknown key \"max-atempts\" in x-retry; expected one of attempt-timeout, backoff, deadline, max-attempts, min-attempt-budget, reconcile-timeout, retry-after, statuses, transient\n\tdid you mean max-attempts?"},
		retry("max-attempts: 0", "1:25: x-retry.max-attempts is 0; expected a whole number from 1 to 5"),
		retry("max-attempts: 6", "1:25: x-retry.max-attempts is 6; expected a whole number from 1 to 5"),
		retry("max-attempts: 2.0", "1:25: x-retry.max-attempts is 2.0; expected a whole number from 1 to 5"),
		retry("max-attempts: '2'", `1:25: x-retry.max-attempts is the string "2"; expected a whole number from 1 to 5`),
		retry("max-attempts: 99999999999999999999", "1:25: x-retry.max-attempts is 99999999999999999999; expected a whole number from 1 to 5"),
		retry("deadline: 9ms", `1:21: x-retry.deadline is the string "9ms"; expected a duration such as 250ms or 1m30s, from 10ms to 1h, or none`),
		retry("deadline: 61m", `1:21: x-retry.deadline is the string "61m"; expected a duration such as 250ms or 1m30s, from 10ms to 1h, or none`),
		retry("deadline: 10", "1:21: x-retry.deadline is 10; expected a duration such as 250ms or 1m30s, from 10ms to 1h, or none"),
		retry("attempt-timeout: none", `1:28: x-retry.attempt-timeout is the string "none"; expected a duration such as 250ms or 1m30s, above 0 and at most 1h`),
		retry("attempt-timeout: 0s", `1:28: x-retry.attempt-timeout is the string "0s"; expected a duration such as 250ms or 1m30s, above 0 and at most 1h`),
		retry("reconcile-timeout: 5", `1:30: x-retry.reconcile-timeout is 5; expected a duration such as 250ms or 1m30s, from 10ms to 1h`),
		retry("reconcile-timeout: 9ms", `1:30: x-retry.reconcile-timeout is the string "9ms"; expected a duration such as 250ms or 1m30s, from 10ms to 1h`),
		retry("reconcile-timeout: none", `1:30: x-retry.reconcile-timeout is the string "none"; expected a duration such as 250ms or 1m30s, from 10ms to 1h`),
		retry("min-attempt-budget: -1s", `1:31: x-retry.min-attempt-budget is the string "-1s"; expected a duration such as 250ms or 1m30s, above 0 and at most 1h`),
		retry("backoff: {base: 0.5ms}", `1:27: x-retry.backoff.base is the string "0.5ms"; expected a duration such as 250ms or 1m30s, from 1ms to 5m`),
		retry("backoff: {max: 6m}", `1:26: x-retry.backoff.max is the string "6m"; expected a duration such as 250ms or 1m30s, from 1ms to 5m`),
		retry("backoff: {multiplier: 0.9}", "1:33: x-retry.backoff.multiplier is 0.9; expected a number from 1 to 10"),
		retry("backoff: {multiplier: .nan}", "1:33: x-retry.backoff.multiplier is .nan; expected a number from 1 to 10"),
		retry("backoff: {jitter: none}", `1:29: x-retry.backoff.jitter is the string "none"; expected full or decorrelated`),
		retry("retry-after: {max: 0s}", `1:30: x-retry.retry-after.max is the string "0s"; expected a duration such as 250ms or 1m30s, above 0`),
		retry("retry-after: {malformed: retry}", `1:36: x-retry.retry-after.malformed is the string "retry"; expected ignore or deny`),
		retry("statuses: [429]", "1:21: x-retry.statuses is a list; expected a mapping such as {429: deny}"),
		retry("statuses: {404: retry}", "1:27: x-retry.statuses.404 is the string \"retry\"; expected deny: a document may forbid more retries than the rules, never permit more\n\tremove it, or deny"),
		retry("statuses: {600: deny}", "1:22: x-retry.statuses is 600; expected a status from 100 to 599"),
		retry("statuses: {4XX: deny}", `1:22: x-retry.statuses is the string "4XX"; expected a status from 100 to 599`),
		retry("transient: 503", "1:22: x-retry.transient is 503; expected a list of 5xx statuses"),
		retry("transient: [501]", "1:23: x-retry.transient is 501; expected a status from 500 to 599, but neither 501 nor 505"),
		retry("transient: [404]", "1:23: x-retry.transient is 404; expected a status from 500 to 599, but neither 501 nor 505"),
		upstream("name: ''", `1:20: x-upstream.name is the string ""; expected a name of letters, digits, dots, dashes and underscores`),
		upstream("name: a b", `1:20: x-upstream.name is the string "a b"; expected a name of letters, digits, dots, dashes and underscores`),
		upstream("budget: {ratio: 0.6}", "1:30: x-upstream.budget.ratio is 0.6; expected a number from 0 to 0.5"),
		upstream("budget: {ratio: '0.1'}", `1:30: x-upstream.budget.ratio is the string "0.1"; expected a number from 0 to 0.5`),
		upstream("budget: {ratio: [1]}", "1:30: x-upstream.budget.ratio is a list; expected a number from 0 to 0.5"),
		upstream("budget: {window: 9s}", `1:31: x-upstream.budget.window is the string "9s"; expected a duration such as 250ms or 1m30s, from 10s to 10m`),
		upstream("budget: {deposit: all}", `1:32: x-upstream.budget.deposit is the string "all"; expected request or success`),
		upstream("budget: {min-per-window: 101}", "1:39: x-upstream.budget.min-per-window is 101; expected a whole number from 0 to 100"),
		upstream("pool: {max-connections: 0}", "1:38: x-upstream.pool.max-connections is 0; expected a whole number of at least 1"),
		upstream("bulkhead: {max-concurrent: -1}", "1:41: x-upstream.bulkhead.max-concurrent is -1; expected a whole number of at least 1"),
		{"x-idempotent: true", "1:1: x-idempotent has no effect on the root; it belongs on an operation"},
		{"x-retries: {}", "1:1: unknown annotation \"x-retries\"\n\tdid you mean x-retry?"},
	}
	for _, test := range root {
		t.Run(test.text, func(t *testing.T) {
			_, found := DecodeRoot(element(t, test.text))
			require.EqualError(t, found.Err(), "api.yaml:"+test.want)
		})
	}
	operation := []refused{
		{"x-idempotent: maybe", `1:15: x-idempotent is the string "maybe"; expected true, false, or a mapping with key`},
		{"x-idempotent: {}", "1:15: x-idempotent is a mapping without key\n\twrite {key: {header: Idempotency-Key}}"},
		{"x-idempotent: {key: true}", "1:21: x-idempotent.key is true; expected a mapping of header, retention, template"},
		{"x-idempotent: {key: {headr: A}}", "1:22: unknown key \"headr\" in x-idempotent.key; expected one of header, retention, template\n\tdid you mean header?"},
		{"x-idempotent: {key: {header: 'a b'}}", `1:30: x-idempotent.key.header is the string "a b"; expected the name of a header, such as Idempotency-Key`},
		{"x-idempotent: {key: {header: Host}}", `1:30: x-idempotent.key.header is the string "Host"; expected a header that has no other purpose, such as Idempotency-Key`},
		{"x-idempotent: {key: {template: 7}}", "1:32: x-idempotent.key.template is 7; expected a template such as order-{order_id}"},
		{"x-idempotent: {key: {template: '{a}{b}'}}", "1:32: x-idempotent.key.template: {a}{b} have no literal between them, so different values could make the same key"},
		{"x-idempotent: {key: {retention: forever}}", `1:33: x-idempotent.key.retention is the string "forever"; expected a duration such as 250ms or 1m30s, above 0`},
		{"x-replayability: twice", `1:18: x-replayability is the string "twice"; expected replayable or reopenable or one-shot`},
		{"x-upstream: {}", "1:1: x-upstream has no effect on an operation; it belongs on the root"},
		{"x-idempotnt: true", "1:1: unknown annotation \"x-idempotnt\"\n\tdid you mean x-idempotent?"},
		{"x-idempotency: true", "1:1: unknown annotation \"x-idempotency\"\n\tdid you mean x-idempotent?"},
		{"X-Idempotent: true", "1:1: unknown annotation \"X-Idempotent\"\n\tdid you mean x-idempotent?"},
		{"xidempotent: true", "1:1: unknown annotation \"xidempotent\"\n\tdid you mean x-idempotent?"},
		{"x-transient500: true", "1:1: unknown annotation \"x-transient500\"\n\tdid you mean x-transient-500?"},
		{"x-transient_500: true", "1:1: unknown annotation \"x-transient_500\"\n\tdid you mean x-transient-500?"},
		{"x-replayabilty: one-shot", "1:1: unknown annotation \"x-replayabilty\"\n\tdid you mean x-replayability?"},
		{"x-on-ambigous: error", "1:1: unknown annotation \"x-on-ambigous\"\n\tdid you mean x-on-ambiguous?"},
		{"x-retry: {max-attempts: " + strings.Repeat("9", 60) + "}", "1:25: x-retry.max-attempts is \"" + strings.Repeat("9", 40) + "\"...; expected a whole number from 1 to 5"},
	}
	for _, test := range operation {
		t.Run(test.text, func(t *testing.T) {
			_, found := DecodeOperation(element(t, test.text))
			require.EqualError(t, found.Err(), "api.yaml:"+test.want)
		})
	}
}

func TestDecodeFindsAllMistakes(t *testing.T) {
	_, found := DecodeOperation(element(t, "x-idempotent: 1\nx-retry: {max-attempts: 9, deadline: x, backoff: {bas: 1}, transient: [1, 503, 2]}\n"))
	var places []string
	for _, one := range found.Sorted() {
		places = append(places, one.Pos.String())
	}
	require.Equal(t, []string{"api.yaml:1:15", "api.yaml:2:25", "api.yaml:2:38", "api.yaml:2:51", "api.yaml:2:72", "api.yaml:2:80"}, places)
}

// What looks a little like ours and is not must pass.
func TestDecodeLeavesOtherExtensionsAlone(t *testing.T) {
	_, found := DecodeOperation(element(t, "x-entry: 1\nx-ready: 1\nx-internal: 1\nx-twilio: 1\nx-stream: 1\nx-order: 1\nretry: 1\nsummary: x\nx-codegen: 1\n"))
	require.NoError(t, found.Err())
}

// RULE-ANNOTATION-REPLAYABILITY.
func TestDecodeReplayability(t *testing.T) {
	hint, found := DecodeReplayability(element(t, "content: {}\nx-replayability: reopenable\n"))
	require.Empty(t, found)
	require.Equal(t, Field[string]{Reopenable, true, at(2, 1)}, hint)
	_, found = DecodeReplayability(element(t, "x-replayability: 1\nx-retry: {}\n"))
	require.EqualError(t, found.Err(), "api.yaml:1:18: x-replayability is 1; expected replayable or reopenable or one-shot\n"+
		"api.yaml:2:1: x-retry has no effect on a request body, a media type or a property; it belongs on the root or an operation")
}

func TestRefuse(t *testing.T) {
	node, at := element(t, "get: {}\nx-idempotent: true\n")
	found := Refuse("a path item", node, at)
	require.EqualError(t, found.Err(), "api.yaml:2:1: x-idempotent has no effect on a path item; it belongs on an operation")
}
