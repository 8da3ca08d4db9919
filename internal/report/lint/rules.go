package lint

import (
	"slices"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Rule is one thing to look for.
type Rule struct {
	Name     string // stable: documents and pipelines cite it
	Severity Severity
	Title    string // what is found
	Why      string // why it matters
	Fix      string // how to mend it
	Strict   bool   // applied with --strict only
	Fixed    bool   // it cannot be ignored

	root      bool // what nobody has written is reported at the root of the document
	operation func(*spec.Operation, say)
	document  func(*spec.Inspection, say)
}

// say reports a finding. The zero position is that of the operation.
type say func(pos source.Pos, format string, args ...any)

// Rules without a check of their own.
const (
	notGenerated = "not-generated"
	badIgnore    = "bad-ignore"
	unusedIgnore = "unused-ignore"
)

// Rules are all rules, in the order of docs/lint.md.
func Rules() []Rule { return rules }

// RuleNames are the names of all rules.
func RuleNames() []string {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].Name
	}
	return names
}

// ruleNamed is a rule, or nil.
func ruleNamed(name string) *Rule {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &rules[i]
}

var rules = []Rule{
	// What generate refuses.
	{
		Name: source.RuleBrokenReference, Severity: Error, Fixed: true,
		Title: "A $ref leads nowhere, or to something of another kind",
		Why:   "Nobody knows what is meant in its place, so what uses it cannot be generated.",
		Fix:   "Correct the reference, or write what is missing.",
	},
	{
		Name: source.RuleInvalidDocument, Severity: Error, Fixed: true,
		Title: "The document breaks the OpenAPI specification",
		Why:   "What is misspelt or missing has no effect, or another effect than is meant.",
		Fix:   "Write it as the OpenAPI specification asks for.",
	},
	{
		Name: annotation.RuleUnknownAnnotation, Severity: Error,
		Title: "An annotation, or a key in one, is unknown",
		Why:   "It is probably misspelt. Without effect, it would leave an operation unprotected that looks protected.",
		Fix:   "Correct it; docs/annotations.md has all keys.",
	},
	{
		Name: annotation.RuleMisplacedAnnotation, Severity: Error,
		Title: "An annotation stands where it has no effect",
		Why:   "It is mostly indented wrongly, and the operation that it is meant for goes without it.",
		Fix:   "Move it to where it belongs, or remove it.",
	},
	{
		Name: annotation.RuleInvalidValue, Severity: Error, Fixed: true,
		Title: "A value of an annotation is of the wrong type or out of range",
		Why:   "There is no safe way to guess a limit that cannot be read.",
		Fix:   "Write a value of the type and range that the message names.",
	},
	{
		Name: annotation.RulePermitsMore, Severity: Error, Fixed: true,
		Title: "A status is to be repeated that the rules never repeat",
		Why:   "A document can forbid more retries than the rules, never permit more: after such a status a second attempt fails again, or acts twice.",
		Fix:   "Remove it. A 5xx that is known to pass goes into x-retry.transient.",
	},
	{
		Name: annotation.RuleKeyTemplate, Severity: Error, Fixed: true,
		Title: "A key template could give one key to different requests, or names what is not there",
		Why:   "Two requests that share a key are one to the provider: the second payment silently does not happen.",
		Fix:   "Name required parameters and required fields of the body, with a literal between two.",
	},
	{
		Name: spec.RuleConflictingLimits, Severity: Error, Fixed: true,
		Title: "Limits of an operation exclude each other",
		Why:   "An attempt that may take longer than its call, or a delay above its own maximum, is not what anyone means.",
		Fix:   "Change the lower one of the two, or the higher.",
	},
	{
		Name: notGenerated, Severity: Error, Fixed: true,
		Title: "Something cannot be generated",
		Why:   "generate refuses the document as long as this is in it.",
		Fix:   "Change it, exclude the operations that use it, or generate with --partial.",
	},

	// Idempotency.
	{
		Name: "undeclared-idempotency", Severity: Warning, operation: undeclared,
		Title: "An operation does not say whether it is idempotent",
		Why:   "Undeclared is treated like false: a lost answer to a harmless read ends its call, and no error says whether anybody has looked.",
		Fix:   "Declare x-idempotent: true, false, or with a key.",
	},
	{
		Name: "idempotence-claim", Severity: Warning, operation: claim,
		Title: "An operation that seems to act is declared idempotent without a key",
		Why:   "If doing it twice is not the same as doing it once, every lost answer acts twice: two payments, two messages.",
		Fix:   "Declare a key if the provider takes one, else false. If it is true, ignore this with the reason.",
	},
	{
		Name: "transient-without-idempotency", Severity: Warning, operation: transientWithoutIdempotency, document: transientRoot,
		Title: "Transient statuses are registered for what is not idempotent",
		Why:   "A transient status is repeated for idempotent operations only: whoever wrote it expects retries that never happen.",
		Fix:   "Remove it, or declare the operation idempotent if it is.",
	},

	// Statuses and attempts.
	{
		Name: "transient-without-effect", Severity: Warning, operation: transientWithoutEffect,
		Title: "A transient status is repeated in any case, or denied",
		Why:   "502, 503 and 504 need no registration, and a denied status stays denied: one of the two is a mistake.",
		Fix:   "Remove it from transient, or from statuses.",
	},
	{
		Name: "deny-without-effect", Severity: Warning, operation: denyWithoutEffect,
		Title: "A status is denied that is never repeated",
		Why:   "It suggests that other statuses of its kind are repeated, and it may be a slip for another status.",
		Fix:   "Remove it, or deny the status that is meant.",
	},
	{
		Name: "one-shot-attempts", Severity: Warning, operation: oneShot,
		Title: "A body that is read once has several attempts",
		Why:   "Only an attempt that failed before it opened the body is repeated, so the retries that are asked for mostly do not happen.",
		Fix:   "Declare x-replayability: reopenable, or max-attempts: 1.",
	},
	{
		Name: "single-attempt-policy", Severity: Warning, operation: singleAttempt,
		Title: "An operation with one attempt has a policy for further ones",
		Why:   "The policy has no effect; either it or max-attempts is not what is meant.",
		Fix:   "Remove the policy, or raise max-attempts.",
	},

	// Time.
	{
		Name: "no-second-attempt", Severity: Error, operation: noSecondAttempt,
		Title: "The deadline is too short for any second attempt",
		Why:   "Every retry is denied for lack of time, however fast the first attempt failed.",
		Fix:   "Raise the deadline, lower min-attempt-budget or the backoff, or declare max-attempts: 1.",
	},
	{
		Name: "deadline-too-near", Severity: Warning, operation: deadlineTooNear,
		Title: "After an attempt that timed out no second one fits",
		Why:   "The hung attempt, which retries are for, is the one that is not repeated.",
		Fix:   "Lower attempt-timeout, or raise the deadline.",
	},
	{
		Name: "no-attempt-timeout", Severity: Warning, operation: noAttemptTimeout, root: true,
		Title: "A deadline stands without an attempt-timeout",
		Why:   "An attempt that hangs takes the whole deadline, and nothing is left for a second.",
		Fix:   "Declare x-retry.attempt-timeout, at most half of the deadline.",
	},
	{
		Name: "no-time-limit", Severity: Warning, operation: noTimeLimit,
		Title: "A stream has neither deadline nor attempt-timeout",
		Why:   "Until the head of the response nothing but the caller's context ends the call; a provider that accepts and never answers holds it for good.",
		Fix:   "Declare x-retry.attempt-timeout: it ends when the head has come, and leaves the stream alone.",
	},
	{
		Name: "min-attempt-budget-above-timeout", Severity: Warning, operation: budgetAboveTimeout,
		Title: "min-attempt-budget is above attempt-timeout",
		Why:   "Retries are given up although the time that is left is all that an attempt may take.",
		Fix:   "Lower min-attempt-budget to what an attempt takes mostly.",
	},
	{
		Name: "retry-after-beyond-deadline", Severity: Warning, operation: retryAfterBeyondDeadline,
		Title: "The limit of Retry-After is above the deadline",
		Why:   "A wait that ends after the call is denied at once, so the limit is never reached.",
		Fix:   "Lower retry-after.max, or raise the deadline.",
	},

	// Keys.
	{
		Name: "key-without-retention", Severity: Warning, operation: keyWithoutRetention,
		Title: "A key has no retention",
		Why:   "runtime.Replay refuses a key after the deadline of its call unless the caller takes the risk by name, although most providers remember keys for hours.",
		Fix:   "Declare retention, as the provider's documentation states it.",
	},
	{
		Name: "short-retention", Severity: Error, operation: shortRetention,
		Title: "The provider forgets a key while the call may go on",
		Why:   "An attempt after that is new to the provider: it acts twice.",
		Fix:   "Lower the deadline below the retention, or correct the retention.",
	},
	{
		Name: "random-key", Severity: Info, operation: randomKey,
		Title: "A key is drawn at random for each call",
		Why:   "It protects the attempts of one call. A program that restarts, or a user who presses the button again, makes a new call with a new key.",
		Fix:   "Declare a template of what makes the request the same one, such as an order's number.",
	},
	{
		Name: "key-length", Severity: Warning, operation: keyLength,
		Title: "A key can be longer than 255 bytes",
		Why:   "A call whose key is too long is refused before its first attempt: with such values it never succeeds.",
		Fix:   "Declare maxLength for the strings that the template names.",
	},

	// What calls share.
	{
		Name: "no-retry-budget", Severity: Warning, document: noRetryBudget,
		Title: "The budget pays for no retry",
		Why:   "Every retry is denied, although operations declare several attempts.",
		Fix:   "Raise ratio or min-per-window, or declare max-attempts: 1 at the root.",
	},
	{
		Name: "floor-only-budget", Severity: Info, document: floorOnly,
		Title: "The budget does not grow with the traffic",
		Why:   "With ratio 0 only min-per-window is left: little for a client with much traffic, and without a bound to its share for one with little.",
		Fix:   "Declare a ratio, such as 0.1.",
	},
	{
		Name: "bulkhead-above-pool", Severity: Warning, document: bulkheadAbovePool,
		Title: "The bulkhead admits more than the pool has connections",
		Why:   "Over HTTP/1.1 what the bulkhead admits then waits for a connection, which is the queue that it is to prevent.",
		Fix:   "Lower max-concurrent, or raise max-connections.",
	},
	{
		Name: "acquire-timeout-without-effect", Severity: Warning, document: acquireTimeouts,
		Title: "An acquire-timeout is never reached",
		Why:   "Without a limit nothing is waited for, and no wait lasts longer than its call.",
		Fix:   "Declare the limit, lower the timeout, or remove it.",
	},

	// The document as such.
	{
		Name: "secret-in-document", Severity: Warning, document: secrets,
		Title: "A text looks like a credential",
		Why:   "Documents are published, and descriptions become comments in code. Whoever reads one can use what is in it.",
		Fix:   "Revoke it, and write a placeholder in its place.",
	},
	{
		Name: badIgnore, Severity: Error, Fixed: true,
		Title: "A wish to ignore a finding is not understood",
		Why:   "It has no effect. A rule must exist, and the reason is for whoever reads the document next.",
		Fix:   "Write # retrygen:ignore RULE: REASON, or x-retrygen-ignore: [{rule: RULE, reason: REASON}].",
	},
	{
		Name: unusedIgnore, Severity: Warning, Fixed: true,
		Title: "A finding is ignored that is not there",
		Why:   "What it excused is mended or has moved, and it would hide the next mistake.",
		Fix:   "Remove it.",
	},

	// What no client depends on.
	{
		Name: source.RuleInvalidExample, Severity: Warning, Strict: true,
		Title: "An example is not what its schema describes",
		Why:   "Readers copy examples, and mocks serve them.",
		Fix:   "Correct the example, or the schema.",
	},
	{
		Name: source.RuleInvalidDefault, Severity: Warning, Strict: true,
		Title: "A default is not what its schema describes",
		Why:   "Readers take it for what the provider does when the value is absent.",
		Fix:   "Correct the default, or the schema.",
	},
	{
		Name: source.RuleInvalidPattern, Severity: Warning, Strict: true,
		Title: "A pattern cannot be checked",
		Why:   "It is no regular expression of Go (RE2), so clients send what the provider refuses.",
		Fix:   "Rewrite it without look-around and back references.",
	},
	{
		Name: source.RuleUntidyDocument, Severity: Warning, Strict: true,
		Title: "The document breaks the OpenAPI specification where it does no harm here",
		Why:   "Other tools may be stricter, or take it otherwise.",
		Fix:   "Write it as the OpenAPI specification asks for.",
	},
}
