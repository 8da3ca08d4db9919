package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	head30 = "openapi: 3.0.3\ninfo: {title: T, version: \"1\"}\n"
	head31 = "openapi: 3.1.0\ninfo: {title: T, version: \"1\"}\n"
	noBody = "responses: {\"204\": {description: ok}}"
)

// post is a document of one operation, whose members begin on line 6.
func post(members ...string) string {
	return head30 + "paths:\n  /a:\n    post:\n      " + strings.Join(append(members, noBody), "\n      ") + "\n"
}

func parameter(text string) string { return post("parameters: [" + text + "]") }

func body(text string) string { return post("requestBody: {required: true, " + text + "}") }

// keyed is an operation whose key is of a.
func keyed(member string) string { return post("x-idempotent: {key: {template: 'k-{a}'}}", member) }

// schema is a document with the schema of a response on line 6, and components.
func schema(text string, components ...string) string {
	document := head30 + "paths:\n  /a:\n    get:\n      responses: {\"200\": {description: ok, content: {application/json: {schema: " + text + "}}}}\n"
	if len(components) > 0 {
		document += "components:\n  schemas:\n    " + strings.Join(components, "\n    ") + "\n"
	}
	return document
}

// scheme is a document that needs a security scheme.
func scheme(text string) string {
	return head30 + "security: [{s: []}]\npaths:\n  /a:\n    get:\n      " + noBody + "\ncomponents: {securitySchemes: {s: " + text + "}}\n"
}

// TestLoadRefuses: what cannot be generated gets one message, at its place, that
// names it and says how to go on.
func TestLoadRefuses(t *testing.T) {
	const exclude = "\n\texclude the operations that use it"
	const typeless = exclude + ", or give the schema a Go type (types)"
	for name, test := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("api.yaml", []byte(test.document), 0o644))
			_, err := Load(Options{Spec: "api.yaml", Package: "test"})
			want := strings.NewReplacer("<exclude>", exclude, "<typeless>", typeless).Replace(test.want)
			require.EqualError(t, err, want)
		})
	}
}

var refusals = map[string]struct{ document, want string }{
	// Versions and kinds of documents.
	"Swagger 1.2": {"swagger: '1.2'\n", "api.yaml:1:10: this is a Swagger 1.2 document; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported\n\tconvert it to OpenAPI 3 first"},
	"OpenAPI 4.0": {"openapi: 4.0.0\n", `api.yaml:1:10: openapi is "4.0.0"; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported`},

	// Parameters.
	"parameter of no kind": {strings.Replace(parameter("{name: b, in: path, schema: {type: string}}, {name: a, schema: {type: string}}"), "/a:", "/{b}:", 1), "api.yaml:6:65: unknown kind of parameter \"\"\n\tuse path, query, header or cookie"},
	"cookie with a space":  {parameter("{name: a b, in: cookie, schema: {type: string}}"), "api.yaml:6:20: \"a b\" cannot be the name of a cookie\n\tcorrect the name"},
	"header with a space":  {parameter("{name: a b, in: header, schema: {type: string}}"), "api.yaml:6:20: \"a b\" cannot be the name of a header\n\tcorrect the name"},

	// Paths.
	"paths in a circle":                     {head30 + "paths:\n  /a: {$ref: '#/paths/~1b'}\n  /b: {$ref: '#/paths/~1a'}\n", "api.yaml:4:8: $ref \"#/paths/~1b\" leads to nothing but other references\n\twrite what is meant in place of one of them\napi.yaml:5:8: $ref \"#/paths/~1a\" leads to nothing but other references\n\twrite what is meant in place of one of them"},
	"path with a query that has parameters": {head30 + "paths:\n  /a?b={c}:\n    get:\n      " + noBody + "\n", "api.yaml:4:3: the path \"/a?b={c}\" has a query with parameters\n\tdeclare its parameters with in: query"},
	"operation that is not there":           {head30 + "paths:\n  /a:\n    get: {$ref: 'b.yaml'}\n", "api.yaml:5:17: $ref \"b.yaml\" does not exist"},

	"security scheme that is not defined": {head30 + "security: [{t: []}]\npaths:\n  /a:\n    get:\n      " + noBody + "\n", "api.yaml:3:13: security scheme \"t\" is not defined\n\tdefine it under components.securitySchemes"},

	// Bodies and responses.
	"form that is a list": {body("content: {application/x-www-form-urlencoded: {schema: {type: array, items: {}}}}"), "api.yaml:6:47: a request body of type application/x-www-form-urlencoded must be an object<exclude>"},
	"status twice":        {head30 + "paths:\n  /a:\n    get:\n      responses: {2XX: {description: a}, 2xx: {description: b}}\n", "api.yaml:6:42: the responses have 2XX twice\n\tremove one of the two"},
	"no status":           {head30 + "paths:\n  /a:\n    get:\n      responses: {'2000': {description: ok}}\n", "api.yaml:6:19: \"2000\" is no status\n\tuse a status such as \"200\", a range such as 4XX, or default"},

	// Security.
	"API key in a bad header": {scheme("{type: apiKey, in: header, name: 'a b'}"), "api.yaml:3:13: security scheme \"s\" is an API key in header \"a b\"\n\tuse the name of a header, a query parameter or a cookie"},

	// Servers.
	"server variables": {head30 + "servers:\n  - url: 'https://{env}.{zone}.{area}'\n    variables: {env: {default: prod, enum: [dev]}}\npaths: {}\n", "api.yaml:4:5: the URL of the server has {area}, which is no declared variable\n\tdeclare it under variables\napi.yaml:4:5: the URL of the server has {zone}, which is no declared variable\n\tdeclare it under variables\napi.yaml:5:17: the default \"prod\" is not among the values of server variable \"env\"\n\tchoose one of them"},

	// Schemas.
	"allOf of itself":                 {schema("{$ref: '#/components/schemas/A'}", "A: {allOf: [{$ref: '#/components/schemas/B'}]}", "B: {allOf: [{$ref: '#/components/schemas/A'}, {type: object}]}"), "api.yaml:10:5: the schema contains itself: #/components/schemas/B -> #/components/schemas/B/allOf/0 -> #/components/schemas/A -> #/components/schemas/A/allOf/0 -> #/components/schemas/B\n\tbreak the circle"},
	"references in a circle":          {schema("{$ref: '#/components/schemas/A'}", "A: {$ref: '#/components/schemas/B'}", "B: {$ref: '#/components/schemas/A'}"), "api.yaml:6:54: $ref \"#/components/schemas/A\" leads to nothing but other references: #/components/schemas/A -> #/components/schemas/B -> #/components/schemas/A\n\twrite what they stand for in place of one of them\napi.yaml:9:5: $ref \"#/components/schemas/B\" leads to nothing but other references: #/components/schemas/B -> #/components/schemas/A -> #/components/schemas/B\n\twrite what they stand for in place of one of them\napi.yaml:10:5: $ref \"#/components/schemas/A\" leads to nothing but other references: #/components/schemas/A -> #/components/schemas/B -> #/components/schemas/A\n\twrite what they stand for in place of one of them"},
	"required property without a tag": {schema("{required: ['a,b'], properties: {'a,b': {type: string}}}"), `api.yaml:6:114: a struct tag of Go cannot hold the name of property "a,b"<typeless>`},

	"allOf of string and integer": {schema("{allOf: [{type: string}, {type: integer}]}"), "api.yaml:6:73: the parts of allOf contradict each other: string and integer<typeless>"},
	"property of two types":       {schema("{allOf: [{properties: {a: {type: string}}}, {properties: {a: {type: boolean}}}]}"), "api.yaml:6:104: the parts of allOf contradict each other: string and boolean<typeless>"},
	"name that is none":           {schema("{$ref: '#/components/schemas/A'}", "A: {x-go-name: a b, properties: {b: {type: string}}}"), "api.yaml:9:9: \"a b\" is no exported Go name\n\tuse letters, digits and underscores, and begin with a capital"},

	"Go type that is code": {schema("{type: object, properties: {a: {x-go-type: 'struct{}; func init() {}'}}}"), "api.yaml:6:113: x-go-type: \"struct{}; func init() {}\" is no Go type\n\twrite it like int64, or like github.com/shopspring/decimal.Decimal"},
	"import that is code":  {schema("{type: object, properties: {a: {x-go-type: x.Y, x-go-type-import: {path: \"os\\\"\"}}}}"), "api.yaml:6:113: x-go-type: \"x.Y\" is no Go type\n\twrite it like int64, or like github.com/shopspring/decimal.Decimal"},

	// Annotations.
	"x-on-ambiguous of what is clear":            {post("x-on-ambiguous: required", "x-idempotent: true"), "api.yaml:6:7: x-on-ambiguous: required has no effect: operation \"POST /a\" is idempotent, and never ends ambiguous\n\tremove it"},
	"time of a question that nobody is asked":    {post("x-retry: {reconcile-timeout: 1s}"), "api.yaml:6:17: x-retry.reconcile-timeout has no effect: nobody is asked what happened to operation \"POST /a\"\n\tremove it, or write x-on-ambiguous: required"},
	"annotation that is misspelt":                {post("x-idempotant: true"), "api.yaml:6:7: unknown annotation \"x-idempotant\"\n\tdid you mean x-idempotent?"},
	"annotation of the wrong type":               {post("x-idempotent: maybe"), `api.yaml:6:21: x-idempotent is the string "maybe"; expected true, false, or a mapping with key`},
	"annotation on a path item":                  {head30 + "paths:\n  /a:\n    x-idempotent: true\n    get:\n      " + noBody + "\n", "api.yaml:5:5: x-idempotent has no effect on a path item; it belongs on an operation"},
	"annotation on paths":                        {head30 + "paths:\n  x-retry: {}\n", "api.yaml:4:3: x-retry has no effect on paths; it belongs on the root or an operation"},
	"annotation on info":                         {"openapi: 3.0.3\ninfo: {title: T, version: '1', x-upstream: {}}\npaths: {}\n", "api.yaml:2:32: x-upstream has no effect on info; it belongs on the root"},
	"annotation on a parameter":                  {parameter("{name: a, in: query, x-idempotent: true, schema: {type: string}}"), "api.yaml:6:41: x-idempotent has no effect on a parameter; it belongs on an operation"},
	"annotation on responses":                    {head30 + "paths:\n  /a:\n    get:\n      responses:\n        x-idempotent: true\n        '204': {description: ok}\n", "api.yaml:7:9: x-idempotent has no effect on responses; it belongs on an operation"},
	"annotation on a response":                   {head30 + "paths:\n  /a:\n    get:\n      responses:\n        '200': {description: ok, x-transient-500: true}\n", "api.yaml:7:34: x-transient-500 has no effect on a response; it belongs on the root or an operation"},
	"annotation on the media type of a response": {schema("{type: string}, x-replayability: one-shot"), "api.yaml:6:97: x-replayability has no effect on a media type of a response; it belongs on an operation, a request body, a media type or a property"},
	"annotation on a body":                       {body("x-idempotent: true, content: {application/json: {}}"), "api.yaml:6:37: x-idempotent has no effect on a request body, a media type or a property; it belongs on an operation"},
	"replayability without a body":               {post("x-replayability: one-shot"), "api.yaml:6:7: x-replayability has no effect: operation \"POST /a\" has no request body\n\tremove it"},
	"attempt timeout above the deadline":         {post("x-retry: {deadline: 1s, attempt-timeout: 2s}"), "api.yaml:6:31: attempt-timeout of operation \"POST /a\" is 2s; it must be below the deadline, which is 1s\n\tlower it, or raise the deadline"},
	"deadline below the default attempt budget":  {post("x-retry: {deadline: 50ms}"), "api.yaml:6:17: min-attempt-budget of operation \"POST /a\" is 100ms; it must be below the deadline, which is 50ms\n\tlower it, or raise the deadline"},
	"backoff base above the default max":         {post("x-retry: {backoff: {base: 4s}}"), "api.yaml:6:27: backoff base of operation \"POST /a\" is 4s; it must not be above max, which is 3s\n\tlower it, or raise max"},
	"deadline none":                              {post("x-retry: {deadline: none}"), "api.yaml:6:17: operation \"POST /a\" has deadline none, which only streams may have\n\twrite a deadline, up to 1h"},

	// Keys.
	"key of nothing":                 {post("x-idempotent: {key: {template: 'a-{b}'}}"), "api.yaml:6:28: key template of operation \"POST /a\": {b} is neither a parameter nor a field of the body; there are none\n\tname a required parameter or body field"},
	"key of an optional parameter":   {keyed("parameters: [{name: a, in: query, schema: {type: string}}]"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is optional; without a value different calls would share a key\n\tname a required parameter or body field"},
	"key of a number":                {keyed("parameters: [{name: a, in: query, required: true, schema: {type: number}}]"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is neither a string nor an integer\n\tname a required parameter or body field"},
	"key of two parameters":          {keyed("parameters: [{name: a, in: query, required: true, schema: {type: string}}, {name: a, in: header, required: true, schema: {type: string}}]"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is a parameter in query and in header\n\tname a required parameter or body field"},
	"key of an optional field":       {keyed("requestBody: {required: true, content: {application/json: {schema: {properties: {a: {type: string}}}}}}"), "api.yaml:6:28: key template of operation \"POST /a\": {a} needs the body field a, which is optional or may be null\n\tname a required parameter or body field"},
	"key of a nullable body":         {keyed("requestBody: {required: true, content: {application/json: {schema: {nullable: true, required: [a], properties: {a: {type: string}}}}}}"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is a field of the body, which is optional or may be null\n\tname a required parameter or body field"},
	"key of an optional body":        {keyed("requestBody: {content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is a field of the body, which is optional or may be null\n\tname a required parameter or body field"},
	"key of a stream":                {keyed("requestBody: {x-replayability: one-shot, required: true, content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is neither a parameter nor a field of the body; there are none\n\tname a required parameter or body field"},
	"key of a parameter and a field": {post("x-idempotent: {key: {template: 'k-{a}'}}", "parameters: [{name: a, in: query, required: true, schema: {type: string}}]", "requestBody: {required: true, content: {application/json: {schema: {required: [a], properties: {a: {type: string}}}}}}"), "api.yaml:6:28: key template of operation \"POST /a\": {a} is a parameter and a field of the body\n\tname a required parameter or body field"},
	"key without a literal between":  {post("x-idempotent: {key: {template: '{a}{b}'}}"), "api.yaml:6:38: x-idempotent.key.template: {a}{b} have no literal between them, so different values could make the same key"},
}
