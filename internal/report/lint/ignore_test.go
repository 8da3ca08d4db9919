package lint

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
)

// TestIgnore: a wish covers its line, or the element and all below it, and the
// findings on the operation there. left are the findings on undeclared idempotency
// and on wishes.
func TestIgnore(t *testing.T) {
	for name, test := range map[string]struct {
		document string
		left     []string
		ignored  int
	}{
		"at the end of the line": {
			"paths:\n  /a:\n    get: {operationId: a} # retrygen:ignore undeclared-idempotency: why\n", nil, 1,
		},
		"above the line": {
			"paths:\n  /a:\n    # retrygen:ignore undeclared-idempotency: why\n    get: {operationId: a}\n", nil, 1,
		},
		"above the line, with others between": {
			"paths:\n  /a:\n    # retrygen:ignore undeclared-idempotency: why\n\n    # A list.\n    get: {operationId: a}\n", nil, 1,
		},
		"below the line": {
			"paths:\n  /a:\n    get: {operationId: a}\n    # retrygen:ignore undeclared-idempotency: why\n    post: {operationId: b, x-idempotent: false}\n",
			[]string{`5:5: operation "a": x-idempotent is not declared; GET /a is sent again only if it provably was not processed`, "6:5: nothing here breaks undeclared-idempotency"}, 0,
		},
		"at the end of the file": {
			"paths:\n  /a:\n    get: {operationId: a, x-idempotent: true}\n# retrygen:ignore undeclared-idempotency: why\n",
			[]string{"6:1: nothing here breaks undeclared-idempotency"}, 0,
		},
		"in a text that is no comment": {
			"paths:\n  /a:\n    get:\n      operationId: a\n      x-idempotent: true\n      description: |\n        # retrygen:ignore no-such-rule: why\n", nil, 0,
		},
		"for another rule": {
			"paths:\n  /a:\n    get: {operationId: a} # retrygen:ignore random-key: why\n",
			[]string{`5:5: operation "a": x-idempotent is not declared; GET /a is sent again only if it provably was not processed`, "5:27: nothing here breaks random-key"}, 0,
		},
		"a value of the root, for one operation": {
			"x-retry: {statuses: {404: deny}}\npaths:\n  /a:\n    get: {operationId: a, x-idempotent: true} # retrygen:ignore deny-without-effect: why\n    put: {operationId: b, x-idempotent: true}\n",
			[]string{`3:11: operation "b": statuses denies 404, which is never repeated`}, 1,
		},
		"on an operation": {
			"paths:\n  /a:\n    get: {operationId: a, x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why}]}\n    put: {operationId: b}\n",
			[]string{`6:5: operation "b": x-idempotent is not declared; PUT /a is sent again only if it provably was not processed`}, 1,
		},
		"on a path item": {
			"paths:\n  /a:\n    x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why}]\n    get: {operationId: a}\n    put: {operationId: b}\n", nil, 2,
		},
		"at the root": {
			"x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why}]\npaths:\n  /a: {get: {operationId: a}, put: {operationId: b}}\n  /b: {get: {operationId: c}}\n", nil, 3,
		},
		"twice": {
			"x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why}]\npaths:\n  /a:\n    get: {operationId: a} # retrygen:ignore undeclared-idempotency: why\n", nil, 1,
		},
		"without a reason": {
			"paths:\n  /a:\n    get: {operationId: a, x-idempotent: true} # retrygen:ignore undeclared-idempotency\n",
			[]string{"5:47: no reason is given to ignore undeclared-idempotency"}, 0,
		},
		"without a rule": {
			"x-retrygen-ignore: [{reason: why}]\n", []string{"3:21: no rule is named"}, 0,
		},
		"what cannot be ignored": {
			"x-retrygen-ignore: [{rule: not-generated, reason: why}]\n", []string{"3:21: not-generated cannot be ignored"}, 0,
		},
		"a misspelt directive": {
			"# retrygen:ignroe random-key: why\npaths: {}\n",
			[]string{"3:1: a comment begins with retrygen: and is not understood; expected retrygen:ignore RULE: REASON"}, 0,
		},
		"no list": {
			"x-retrygen-ignore: {rule: random-key, reason: why}\n", []string{"3:1: x-retrygen-ignore is a mapping; expected a list of {rule, reason}"}, 0,
		},
		"an unknown key": {
			"paths:\n  /a:\n    get: {operationId: a, x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why, until: 2027}]}\n",
			[]string{"5:91: unexpected until in x-retrygen-ignore; expected rule and reason, both texts"}, 1,
		},
		"a rule of --strict": {"x-retrygen-ignore: [{rule: invalid-example, reason: why}]\n", nil, 0},
		"a property of that name": {
			"components:\n  schemas:\n    A: {type: object, properties: {x-retrygen-ignore: {type: string}}}\n", nil, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := lintText(t, whole(test.document), Options{})
			var left []string
			for _, rule := range []string{"undeclared-idempotency", "deny-without-effect", badIgnore, unusedIgnore} {
				left = append(left, ofRule(report, rule)...)
			}
			require.Equal(t, test.left, left)
			require.Len(t, report.Ignored, test.ignored)
			for _, f := range report.Ignored {
				require.Equal(t, "why", f.Reason)
			}
		})
	}
}

func TestIgnoreWithStrict(t *testing.T) {
	const document = "x-retrygen-ignore: [{rule: invalid-example, reason: why}]\n"
	require.Equal(t, []string{"3:21: nothing here breaks invalid-example"}, ofRule(lintText(t, whole(document), Options{Strict: true}), unusedIgnore))
}

// A part of a document says nothing on what is ignored elsewhere.
func TestIgnoreInPart(t *testing.T) {
	const document = "x-retrygen-ignore: [{rule: random-key, reason: why}]\n"
	require.Empty(t, ofRule(lintText(t, whole(document), Options{Part: true}), unusedIgnore))
}

const overlayHead = "overlay: 1.0.0\ninfo: {title: o, version: \"1\"}\nactions:\n"

// An overlay brings the extension, or a comment on what it says itself.
func TestIgnoreByOverlay(t *testing.T) {
	const document = head + "paths: {/a: {get: {operationId: a}, post: {operationId: createA}}}\n"
	report := lintText(t, document, Options{},
		overlayHead+"  - target: $.paths['/a'].get\n    update: {x-retrygen-ignore: [{rule: undeclared-idempotency, reason: why}]}\n",
		overlayHead+"  - target: $.paths['/a'].post\n    update:\n      x-idempotent: true # retrygen:ignore idempotence-claim: why\n")
	require.Empty(t, ofRule(report, "undeclared-idempotency"))
	require.Empty(t, ofRule(report, "idempotence-claim"))
	require.Len(t, report.Ignored, 2)
	require.Equal(t, "overlay1.yaml:6:7", report.Ignored[1].Pos.String())
}

func TestIgnoreInJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	const document = `{"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a",
		"x-retrygen-ignore": [{"rule": "undeclared-idempotency", "reason": "why"}]}}}}`
	require.NoError(t, os.WriteFile("openapi.json", []byte(document), 0o644))
	in, err := spec.Inspect(spec.Options{Spec: "openapi.json", Package: "test"}, false)
	require.NoError(t, err)
	report := Run(in, Options{})
	require.Empty(t, report.Findings)
	require.Len(t, report.Ignored, 1)
}
