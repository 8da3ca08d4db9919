package suggest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
)

var update = flag.Bool("update", false, "write testdata/overlay.yaml instead of comparing with it")

// write writes the files of a test into a folder of its own.
func write(t testing.TB, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

// suggested is what is suggested for openapi.yaml.
func suggested(t testing.TB, overlays ...string) Suggestion {
	t.Helper()
	in, err := spec.Inspect(spec.Options{Spec: "openapi.yaml", Overlays: overlays, Package: "test"}, false)
	require.NoError(t, err)
	return New("openapi.yaml", in)
}

// whole is a document around the members of paths, and more at its root.
func whole(paths string, root ...string) string {
	text := "openapi: 3.0.3\ninfo: {title: Payments, version: \"1\"}\npaths:\n"
	for line := range strings.Lines(paths) {
		text += "  " + line
	}
	return text + "\n" + strings.Join(root, "\n") + "\n"
}

// operation is a document of one operation with members of its own.
func operation(method, path, members string, root ...string) string {
	params := ""
	if strings.Contains(path, "{id}") {
		params = "  parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n"
	}
	return whole(fmt.Sprintf("%s:\n%s  %s:\n    responses: {\"204\": {description: Done.}}\n%s", path, params, method, members), root...)
}

const (
	keyHeader = "    parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]\n"
	fernRoot  = "x-fern-idempotency-headers: [{header: Idempotency-Key, name: key}]"
)

// TestPropose: what is proposed for an operation, and what for; the overlay says that.
func TestPropose(t *testing.T) {
	tests := map[string]struct{ document, want string }{
		"a read":               {operation("get", "/a", ""), "by method true: a GET changes nothing"},
		"a head":               {operation("head", "/a", ""), "by method true: a HEAD changes nothing"},
		"a read with a key":    {operation("get", "/a", keyHeader), "by method true: a GET changes nothing"},
		"a read that acts":     {operation("get", "/a", "    operationId: sendCode\n"), "doubtful false: its id says send, which"},
		"a read of an order":   {operation("get", "/a/order", ""), "by method true: a GET changes nothing"},
		"a PUT by id":          {operation("put", "/a/{id}", ""), "by method true: a PUT by id replaces the whole"},
		"a PUT without id":     {operation("put", "/a", ""), "doubtful false: a PUT whose path does not end with an id"},
		"a DELETE by id":       {operation("delete", "/a/{id}", ""), "by method true: a DELETE by id finds nothing"},
		"a DELETE below an id": {operation("delete", "/a/{id}/b", ""), "doubtful false: a DELETE whose path does not end with an id"},
		"a PUT that acts":      {operation("put", "/a/{id}", "    operationId: refund\n"), "doubtful false: its id says refund, which"},
		"a POST":               {operation("post", "/a", "    operationId: addPet\n"), "doubtful false: nothing says that a POST may be sent twice"},
		"a PATCH":              {operation("patch", "/a/{id}", ""), "doubtful false: nothing says that a PATCH may be sent twice"},

		"a key header": {operation("post", "/a", keyHeader), "evident {key: {header: Idempotency-Key}}: the header Idempotency-Key (openapi.yaml:7:20) is documented"},
		"a key with rules": {operation("post", "/a", strings.Replace(keyHeader, "type: string", "type: string, format: uuid, maxLength: 36", 1)),
			"is documented; also a drawn key is 26 letters and digits: where that breaks its format (openapi.yaml:7:79), maxLength (openapi.yaml:7:93), write a template"},
		"a key with rules, of all": {whole("/a:\n  parameters: [{$ref: \"#/components/parameters/Key\"}]\n  post: {responses: {\"204\": {description: Done.}}}\n",
			"components: {parameters: {Key: {name: Idempotency-Key, in: header, schema: {type: string, pattern: a}}}}"), "where that breaks its pattern (openapi.yaml:8:"},
		"another spelling":  {operation("post", "/a", strings.Replace(keyHeader, "Idem", "X-Idem", 1)), "evident {key: {header: X-Idempotency-Key}}: the header X-"},
		"a key of a DELETE": {operation("delete", "/a", keyHeader), "evident {key: {header: Idempotency-Key}}: "},
		"a key in a query":  {operation("post", "/a", strings.Replace(keyHeader, "in: header", "in: query", 1)), "doubtful false: nothing says"},
		"a strange header":  {operation("post", "/a", strings.Replace(keyHeader, "Idempotency-Key", `"!idempotency-key"`, 1)), "doubtful false: !idempotency-key (openapi.yaml:7:20) may bear its key"},
		"more of a key":     {operation("post", "/a", strings.Replace(keyHeader, "Idempotency-Key", "Idempotency-Expiry", 1)), "doubtful false: Idempotency-Expiry (openapi.yaml:7:20) may bear its key"},
		"an own spelling":   {operation("post", "/a", strings.Replace(keyHeader, "Idempotency-Key", "Acme.idempotence", 1)), "evident {key: {header: Acme.idempotence}}: "},
		"a key and more": {operation("post", "/a", strings.Replace(keyHeader, "[", "[{name: Idempotency-Expiry, in: header, schema: {type: string}}, ", 1)),
			"evident {key: {header: Idempotency-Key}}: "},
		"two key headers": {operation("post", "/a", strings.Replace(keyHeader, "[", "[{name: Idempotency, in: header, schema: {type: string}}, ", 1)),
			"doubtful false: several headers may bear its key: Idempotency (openapi.yaml:7:20), Idempotency-Key (openapi.yaml:7:77)"},
		"a request id": {operation("post", "/a", strings.Replace(keyHeader, "Idempotency-Key", "X-Request-Id", 1)), "doubtful false: X-Request-Id (openapi.yaml:7:20) may bear its key, or be for tracing"},
		"a key in the body": {operation("post", "/a", "    requestBody: {content: {application/json: {schema: {type: object, properties: {idempotency_key: {type: string}}}}}}\n"),
			"doubtful false: idempotency_key (openapi.yaml:7:86) of the body may be its key"},

		"linkerd":              {operation("post", "/a", "    x-linkerd-retryable: true\n"), "evident true: x-linkerd-retryable (openapi.yaml:7:7) says that repeating it does no harm"},
		"linkerd, as a text":   {operation("post", "/a", "    x-linkerd-retryable: \"true\"\n"), "evident true: x-linkerd-retryable"},
		"linkerd, and it acts": {operation("post", "/a", "    operationId: createA\n    x-linkerd-retryable: true\n"), "doubtful false: its id says create, which"},
		"linkerd says no":      {operation("get", "/a", "    x-linkerd-retryable: false\n"), "doubtful false: x-linkerd-retryable (openapi.yaml:7:7) asks for no retries"},
		"fern":                 {operation("post", "/a", "    x-fern-idempotent: true\n", fernRoot), "evident {key: {header: Idempotency-Key}}: x-fern-idempotent (openapi.yaml:7:7) says that it takes the header Idempotency-Key (openapi.yaml:9:31)"},
		"fern without headers": {operation("post", "/a", "    x-fern-idempotent: true\n"), "doubtful false: x-fern-idempotent (openapi.yaml:7:7) says that it takes a key, and not clearly in which header"},
		"fern, two headers":    {operation("post", "/a", "    x-fern-idempotent: true\n", strings.Replace(fernRoot, "[", "[{header: Idempotency-Token}, ", 1)), "doubtful false: x-fern-idempotent"},
		"fern, no key's name":  {operation("post", "/a", "    x-fern-idempotent: true\n", "x-fern-idempotency-headers: [{header: \"a}}}, remove: true\"}]"), "doubtful false: x-fern-idempotent"},
		"fern says no":         {operation("post", "/a", "    x-fern-idempotent: false\n", fernRoot), "doubtful false: nothing says"},
		"fern retries nothing": {operation("get", "/a", "    x-fern-retries: {disabled: true}\n"), "doubtful false: x-fern-retries (openapi.yaml:7:7) asks for no retries"},
		"fern retries":         {operation("post", "/a", "    x-fern-retries: {disabled: false}\n"), "doubtful false: nothing says that a POST may be sent twice; also x-fern-retries (openapi.yaml:7:7) says when another client"},
		"speakeasy":            {operation("get", "/a", "    x-speakeasy-retries: {strategy: backoff, statusCodes: [5XX]}\n"), "by method true: a GET changes nothing, where the provider keeps to RFC 9110; also x-speakeasy-retries (openapi.yaml:7:7) says when"},
		"speakeasy says no":    {operation("get", "/a", "    x-speakeasy-retries: {strategy: none}\n"), "doubtful false: x-speakeasy-retries (openapi.yaml:7:7) asks for no retries"},
		"another tool":         {operation("post", "/a", "    x-acme-idempotent: {natural: true}\n"), "doubtful false: nothing says that a POST may be sent twice; also x-acme-idempotent (openapi.yaml:7:7) has to do with it"},
		"declared":             {operation("post", "/a", "    x-idempotent: false\n"+keyHeader), "declared false: x-idempotent (openapi.yaml:7:7) is there already"},
		"Retry-After": {whole("/a:\n  post:\n    responses:\n      \"429\": {description: Slow down., headers: {retry-after: {schema: {type: integer}}}}\n"),
			"; also Retry-After is documented on 429 (openapi.yaml:7:52), and heeded without an annotation"},
		"Retry-After of a component": {whole("/a:\n  get:\n    responses:\n      \"503\": {$ref: \"#/components/responses/Busy\"}\n",
			"components:\n  responses:\n    Busy: {description: Busy., headers: {Retry-After: {schema: {type: integer}}}}"), "; also Retry-After is documented on 503 (openapi.yaml:11:42), and"},

		"Swagger 2.0": {"swagger: \"2.0\"\ninfo: {title: a, version: \"1\"}\npaths:\n  /a:\n    post:\n      parameters: [{$ref: \"#/parameters/Key\"}]\n" +
			"      responses: {\"204\": {description: Done.}, \"429\": {description: Wait., headers: {Retry-After: {type: integer}}}}\n" +
			"parameters:\n  Key: {name: Idempotency-Key, in: header, type: string}\n",
			"evident {key: {header: Idempotency-Key}}: the header Idempotency-Key (openapi.yaml:9:8) is documented; also Retry-After is documented on 429 (openapi.yaml:7:86)"},
		"OpenAPI 3.2": {strings.Replace(operation("post", "/a", keyHeader), "3.0.3", "3.2.0", 1), "evident {key: {header: Idempotency-Key}}: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"openapi.yaml": test.document})
			s := suggested(t)
			require.Len(t, s.Operations, 1)
			require.Contains(t, inWords(s.Operations[0]), test.want)
			requireApplies(t, s)
		})
	}
}

// inWords is a proposal on one line.
func inWords(op Operation) string {
	value := op.value()
	if op.Class == Declared {
		value = "false"
	}
	return strings.Join(append([]string{words[op.Class] + " " + value + ": " + op.Because}, op.Also...), "; also ")
}

// Every way in which a document can hold an operation, in one that declares nothing.
const everything = `openapi: 3.0.3
info: {title: Payments, version: "1"}
x-speakeasy-retries: {strategy: backoff}
paths:
  /payments:
    post:
      operationId: createPayment
      parameters: [{$ref: "#/components/parameters/Key"}]
      responses:
        "204": {description: Paid.}
        "429": {description: Slow down., headers: {Retry-After: {schema: {type: integer}}}}
    get:
      operationId: listPayments
      responses: {"204": {description: All.}}
  /accounts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    put: {responses: {"204": {description: Stored.}}}
    patch:
      operationId: changeAccount
      x-idempotent: true
      responses: {"204": {description: Changed.}}
  /shared: {$ref: "parts.yaml#/item", post: {responses: {"204": {description: Not read.}}}}
  /moved:
    get: {$ref: "parts.yaml#/item/post"}
  "/it's":
    delete: {responses: {"204": {description: Gone.}}}
components:
  parameters:
    Key: {name: Idempotency-Key, in: header, schema: {type: string}}
`

const parts = `item:
  post: {responses: {"204": {description: Done.}}}
  head: {responses: {"204": {description: Done.}}}
`

// TestOverlay: the whole text, in the order of the document.
func TestOverlay(t *testing.T) {
	golden, err := filepath.Abs("testdata/overlay.yaml")
	require.NoError(t, err)
	write(t, map[string]string{"openapi.yaml": everything, "parts.yaml": parts})
	got := string(suggested(t).Overlay())
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestDocumented: docs/reports.md shows operations of this overlay.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reports.md")
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/overlay.yaml")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(page), "```text\n  # POST")
	require.True(t, found)
	shown, _, _ = strings.Cut("  # POST"+shown, "\n```")
	for _, operation := range strings.Split(shown, "\n\n") {
		require.Contains(t, string(golden), "\n\n"+operation+"\n")
	}
}

// TestOverlayLoads: the suggestion is an overlay of its document, which declares what
// it says and no more.
func TestOverlayLoads(t *testing.T) {
	write(t, map[string]string{"openapi.yaml": everything, "parts.yaml": parts})
	requireApplies(t, suggested(t))
	again := suggested(t, "retries.yaml")
	for _, op := range again.Operations {
		require.Contains(t, []Class{Declared, ByMethod, Doubtful}, op.Class, op.name())
	}
}

// TestUncommented: a # less, and what a method speaks for is declared.
func TestUncommented(t *testing.T) {
	write(t, map[string]string{"openapi.yaml": everything, "parts.yaml": parts})
	text := strings.ReplaceAll(string(suggested(t).Overlay()), "  #- ", "  - ")
	require.NoError(t, os.WriteFile("retries.yaml", []byte(text), 0o644))
	api, err := spec.Load(spec.Options{Spec: "openapi.yaml", Overlays: []string{"retries.yaml"}, Package: "test"})
	require.NoError(t, err)
	require.Equal(t, spec.Idempotent, idempotency(t, api, "GET /payments"))
	require.Equal(t, spec.Idempotent, idempotency(t, api, "PUT /accounts/{id}"))
	require.Equal(t, spec.Undeclared, idempotency(t, api, "GET /moved"))
}

// requireApplies writes the overlay into retries.yaml, and checks that it loads and
// declares what it says.
func requireApplies(t testing.TB, s Suggestion) {
	t.Helper()
	require.NoError(t, os.WriteFile("retries.yaml", s.Overlay(), 0o644))
	in, err := spec.Inspect(spec.Options{Spec: "openapi.yaml", Overlays: []string{"retries.yaml"}, Package: "test"}, false)
	require.NoError(t, err, "%s", s.Overlay())
	for _, op := range s.Operations {
		if op.Class == Declared {
			continue
		}
		want := spec.Undeclared
		switch {
		case op.Target == "" || op.Class == ByMethod:
		case op.Key != "":
			want = spec.IdempotentByKey
		case op.Class == Evident:
			want = spec.Idempotent
		default:
			want = spec.NotIdempotent
		}
		for _, have := range in.API.Operations {
			if have.Method == op.Method && have.Route == op.Route && have.Further == nil {
				require.Equal(t, want, have.Contract.Idempotency.V, "%s\n%s", op.name(), s.Overlay())
			}
		}
	}
}

func idempotency(t *testing.T, api *spec.API, name string) spec.Idempotency {
	t.Helper()
	for _, op := range api.Operations {
		if op.Method+" "+op.Route == name {
			return op.Contract.Idempotency.V
		}
	}
	require.Fail(t, "there is no "+name)
	return 0
}
