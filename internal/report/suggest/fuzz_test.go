package suggest

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec"
)

// hostile are texts that would be more than a word, to YAML, to a JSONPath or to a
// terminal, if they could.
var hostile = []string{
	"\n  - {target: $, remove: true}\n#", "\r\n- a", "\u2028- a", "\u0085- a", "x # retrygen:ignore rule: no", "# x", `"}, update: {x-idempotent: true}}`,
	"']..*", `\'`, `\\`, "it's", "\x1b[2J", "\u202etxt", "\ufffe", "\ufeff", "\x7f", "a\tb", "%!s(X)", "- b", "{{.}}", "", " ", "$", "*", "ä€😀",
	strings.Repeat("long", 600),
}

// inEveryPlace is a document that has a text in all places that are printed.
func inEveryPlace(text string) []byte {
	quoted := strconv.Quote(text)
	return []byte(strings.NewReplacer("TEXT", quoted, "INNER", quoted[1:len(quoted)-1]).Replace(`openapi: 3.0.3
info: {title: TEXT, version: "1"}
x-fern-idempotency-headers: [{header: TEXT}]
paths:
  "/INNER":
    post:
      operationId: TEXT
      x-fern-idempotent: true
      "x-INNER-idempotent": true
      parameters: [{name: TEXT, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {"INNER-idempotent": {type: string}}}}}}
      responses: {"204": {description: Done.}}
    get: {responses: {"204": {description: Done.}}}
`))
}

// TestHostile: what a document holds stays in its comment and in its scalar.
func TestHostile(t *testing.T) {
	for _, text := range hostile {
		t.Run(strconv.Quote(text[:min(len(text), 20)]), func(t *testing.T) {
			write(t, map[string]string{"openapi.yaml": string(inEveryPlace(text))})
			s := suggested(t)
			require.Len(t, s.Operations, 2)
			requireContained(t, s)
			requireApplies(t, s)
		})
	}
}

// requireContained checks that the overlay has the actions that are meant, and lines
// for nothing else.
func requireContained(t testing.TB, s Suggestion) {
	t.Helper()
	text := string(s.Overlay())
	want := 1
	for _, op := range s.Operations {
		if op.Target != "" && (op.Class == Evident || op.Class == Doubtful) {
			want++
		}
	}
	var overlay struct {
		Overlay string
		Info    struct{ Title, Version string }
		Actions []struct {
			Target string
			Update map[string]any
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&overlay), text)
	require.Len(t, overlay.Actions, want, text)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		known := line == "" || line[0] == '#'
		for _, start := range []string{"overlay: ", "info:", "title: ", "version: ", "actions:", "- {target: \""} {
			known = known || strings.HasPrefix(line, start)
		}
		require.True(t, known, line)
	}
}

// FuzzOverlay: whatever a document holds, its suggestion is an overlay that applies to
// it, declares what it says, and is the same the next time.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(operation("post", "/a", "    x-fern-idempotent: true\n", fernRoot)))
	f.Add([]byte("swagger: \"2.0\"\ninfo: {title: a, version: \"1\"}\npaths:\n  /a:\n    post:\n      parameters: [{name: Idempotency-Key, in: header, type: string}]\n      responses: {\"204\": {description: Done.}}\n"))
	for _, text := range hostile {
		f.Add(inEveryPlace(text))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		write(t, map[string]string{"openapi.yaml": string(document)})
		in, err := spec.Inspect(spec.Options{Spec: "openapi.yaml", Package: "test"}, false)
		if err != nil {
			return
		}
		s := New("openapi.yaml", in)
		requireContained(t, s)
		requireApplies(t, s)
		require.NoError(t, os.Remove("retries.yaml"))
		require.Equal(t, string(s.Overlay()), string(suggested(t).Overlay()))
	})
}
