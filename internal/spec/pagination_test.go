package spec

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// paged is a document of one operation with x-pagination on line 6 and what it
// asks with and answers after it.
func paged(pagination, asks, answers string) string {
	return head30 + "paths:\n  /a:\n    post:\n      x-pagination: {" + pagination + "}\n      " + asks +
		"\n      responses: {" + answers + "}\n"
}

// jsonOf is a response with a body.
func jsonOf(schema string) string {
	return "\"200\": {description: ok, content: {application/json: {schema: " + schema + "}}}"
}

// TestPaginationRefuses: what x-pagination names must be there, and be fit for it
// (RULE-ANNOTATION-PAGINATION).
func TestPaginationRefuses(t *testing.T) {
	const (
		query  = "parameters: [{name: at, in: query, schema: {type: integer}}, {name: after, in: query, schema: {type: string}}, {name: s, in: query, schema: {type: array, items: {type: string}}}]"
		object = "{properties: {data: {type: array, items: {type: string}}, next: {type: string}, n: {type: integer}, some: {properties: {next: {type: string}}}, open: {type: object}, more: {type: boolean}}}"
		of     = ` of operation "POST /a"`
	)
	inBody := func(rest, schema string) string {
		return "requestBody: {" + rest + "content: {application/json: {schema: " + schema + "}}}"
	}
	for name, test := range map[string]struct{ document, want string }{
		"no such parameter":           {paged("cursor: aftr, next: next", query, jsonOf(object)), "6:22: x-pagination.cursor" + of + `: "aftr" is neither a parameter nor a field of the body; there are after, at, s` + "\n\tdid you mean after?"},
		"no parameter at all":         {paged("page: p, items: data", "summary: s", jsonOf(object)), "6:22: x-pagination.page" + of + `: "p" is neither a parameter nor a field of the body; there are none` + "\n\tname a parameter, or a field of the body"},
		"parameter of the path":       {head30 + "paths:\n  /a/{p}:\n    get:\n      x-pagination: {cursor: p, next: next}\n      parameters: [{name: p, in: path, required: true, schema: {type: string}}]\n      responses: {" + jsonOf(object) + "}\n", `6:22: x-pagination.cursor of operation "GET /a/{p}": "p" is a parameter of the path` + "\n\tname a parameter, or a field of the body"},
		"parameter of the wrong type": {paged("page: after, items: data", query, jsonOf(object)), "6:22: x-pagination.page" + of + `: "after" is no integer` + "\n\tname another"},
		"cursor of the wrong type":    {paged("cursor: s, next: next", query, jsonOf(object)), "6:22: x-pagination.cursor" + of + `: "s" is neither a string nor an integer` + "\n\tname another\napi.yaml:6:33: x-pagination.next" + of + `: "next" is not of the type of "s", which asks for the page` + "\n\tgive both the same type"},
		"cursors of two types":        {paged("cursor: after, next: n", query, jsonOf(object)), "6:37: x-pagination.next" + of + `: "n" is not of the type of "after", which asks for the page` + "\n\tgive both the same type"},
		"no such field":               {paged("cursor: after, next: nxt", query, jsonOf(object)), "6:37: x-pagination.next" + of + `: the response has no field "nxt"; there are data, more, n, next, open, some` + "\n\tdid you mean next?"},
		"no such field in a field":    {paged("cursor: after, next: some.nxt", query, jsonOf(object)), "6:37: x-pagination.next" + of + `: the response has no field "some.nxt"; there are some.next` + "\n\tdid you mean some.next?"},
		"a field of what has none":    {paged("cursor: after, next: open.next", query, jsonOf(object)), "6:37: x-pagination.next" + of + `: the response has no field "open.next"; there are none` + "\n\tname a field of the response"},
		"items that are no list":      {paged("page: at, items: next", query, jsonOf(object)), "6:32: x-pagination.items" + of + `: "next" is no list` + "\n\tname a list"},
		"more that is no flag":        {paged("page: at, more: n", query, jsonOf(object)), "6:32: x-pagination.more" + of + `: "n" is no boolean` + "\n\tname a flag"},
		"items of a list":             {paged("page: at, items: data", query, jsonOf("{type: array, items: {type: string}}")), "6:32: x-pagination.items" + of + " has no effect: the response is the list itself\n\tremove it"},
		"an offset without items":     {paged("offset: at, more: more", query, jsonOf(object)), "6:7: x-pagination" + of + " needs items: a page without any is the last\n\twrite items: and the path to the list in the response"},
		"a number without items":      {paged("page: at", query, jsonOf(object)), "6:7: x-pagination" + of + " needs items: a page without any is the last\n\twrite items: and the path to the list in the response"},
		"no body":                     {paged("link: true", query, `"204": {description: ok}`), "6:7: operation \"POST /a\" cannot have x-pagination: its success has no body\n\tremove it"},
		"several types":               {paged("link: true", query, jsonOf(object)+", \"201\": {description: ok, content: {application/json: {schema: {type: string}}}}"), "6:7: operation \"POST /a\" cannot have x-pagination: its success has several types\n\tremove it"},
		"a stream":                    {paged("link: true", query, `"200": {description: ok, content: {text/event-stream: {}}}`), "6:7: operation \"POST /a\" cannot have x-pagination: its success is a stream\n\tremove it"},
		"a body that is read once":    {paged("link: true", "requestBody: {required: true, x-replayability: one-shot, content: {text/csv: {}}}", jsonOf(object)), "6:7: operation \"POST /a\" cannot have x-pagination: its request body can perhaps be read once only, and each page sends it\n\tremove it"},
		"a body of the caller's":      {paged("link: true", "requestBody: {required: true, content: {image/*: {}}}", jsonOf(object)), "6:7: operation \"POST /a\" cannot have x-pagination: its request body can perhaps be read once only, and each page sends it\n\tremove it"},
		"a key for all pages":         {paged("link: true", "x-idempotent: {key: {template: 'k-{q}'}}\n      parameters: [{name: q, in: query, required: true, schema: {type: string}}]", jsonOf(object)), "6:7: operation \"POST /a\" cannot have x-pagination: each page would bear the same idempotency key; without a template each has one of its own\n\tremove it"},
		"what must be told apart":     {paged("link: true", "x-on-ambiguous: required", jsonOf(object)), "6:7: operation \"POST /a\" cannot have x-pagination: no answer of its OnAmbiguous could tell which page is asked for\n\tremove it, or write x-idempotent: true, which most lists are"},
		"an optional body":            {paged("cursor: after, next: next", inBody("", "{properties: {after: {type: string}}}"), jsonOf(object)), "6:22: x-pagination.cursor" + of + `: "after" is a field of the body, which is optional or may be null` + "\n\tname a parameter, or a field of the body"},
		"in an optional field":        {paged("cursor: page.after, next: next", inBody("required: true, ", "{properties: {page: {properties: {after: {type: string}}}}}"), jsonOf(object)), "6:22: x-pagination.cursor" + of + `: "page.after" is a field of "page", which is optional or may be null` + "\n\tname a parameter, or a field of the body"},
		"a parameter and a field":     {paged("cursor: after, next: next", query+"\n      "+inBody("required: true, ", "{properties: {after: {type: string}}}"), jsonOf(object)), "6:22: x-pagination.cursor" + of + `: "after" is a parameter and a field of the body` + "\n\tname a parameter, or a field of the body"},
		"two parameters":              {paged("cursor: a, next: next", "parameters: [{name: a, in: query, schema: {type: string}}, {name: a, in: header, schema: {type: string}}]", jsonOf(object)), "6:22: x-pagination.cursor" + of + ": {a} is a parameter in query and in header\n\tname a parameter, or a field of the body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("api.yaml", []byte(test.document), 0o644))
			_, err := Load(Options{Spec: "api.yaml", Package: "test"})
			require.EqualError(t, err, "api.yaml:"+test.want)
		})
	}
}

// TestFirst: counting begins at the default, where that is a number of the type.
func TestFirst(t *testing.T) {
	for _, test := range []struct{ goType, fallback, want string }{
		{"int64", "", "1"}, {"int64", "0", "0"}, {"int64", "-1", "-1"}, {"int64", "007", "7"}, {"int64", "x", "1"}, {"int64", "1.5", "1"},
		{"int32", "2147483648", "1"}, {"int64", "9223372036854775807", "9223372036854775807"},
		{"uint64", "18446744073709551615", "18446744073709551615"}, {"uint32", "-1", "1"}, {"int", "3", "3"},
	} {
		require.Equal(t, test.want, first(&Type{Kind: Primitive, Go: test.goType}, test.fallback, "1"), test.fallback)
	}
}
