package spec

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// fields are the Go names of a schema's properties.
func fields(t *testing.T, properties ...string) map[string]string {
	t.Helper()
	document := schema("{$ref: '#/components/schemas/A'}", "A:\n      properties:\n        '"+strings.Join(properties, "': {type: string}\n        '")+"': {type: string}")
	outline := load(t, &txtar.Archive{Files: []txtar.File{{Name: "openapi.yaml", Data: []byte(document)}}})
	names := map[string]string{}
	for line := range strings.Lines(outline[strings.Index(outline, "type A"):]) {
		if words := strings.Split(line, `"`); strings.HasPrefix(line, "\t") {
			names[words[1]] = strings.TrimSpace(words[0])
		}
	}
	require.Len(t, names, len(properties))
	return names
}

// A name that an addition contests is given to nobody or to the addition by its
// own right: it never changes hands in silence between two that only resemble it.
func TestNamesNeverChangeHands(t *testing.T) {
	resembling := []string{"foo-bar", "foo_bar", "foo bar", "foo.bar", "foo/bar", "+1", "-1", "1"}
	for _, before := range resembling {
		alone := fields(t, before)[before]
		for _, added := range resembling {
			if added != before {
				require.NotEqual(t, alone, fields(t, before, added)[added], "%q takes the name of %q", added, before)
			}
		}
	}
	require.Equal(t, map[string]string{"foo_bar": "FooUnderscoreBar", "FooBar": "FooBar"}, fields(t, "foo_bar", "FooBar"))
}

// Whatever is named ends: of things that cannot be told apart each has a name.
func TestNamesEnd(t *testing.T) {
	names := map[string]bool{}
	same := want{key: "k", wire: "w", choices: []string{"W"}, set: func(name string) { names[name] = true }}
	require.Empty(t, newScope().name([]want{same, same, same}))
	require.Len(t, names, 3)
}

// The order of a document decides nothing about names.
func TestNamesDoNotDependOnOrder(t *testing.T) {
	wire := []string{"foo-bar", "foo_bar", "FooBar", "fooBar", "foo bar", "validate", "Validate", "id", "_id", "ID"}
	want := fields(t, wire...)
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(want))), len(wire), "names are not unique: %v", want)
	for range wire {
		wire = append(wire[1:], wire[0])
		require.Equal(t, want, fields(t, wire...))
	}
}

// An addition to a document renames no method for a further content type, nor is
// an operation renamed for one: operations, schemas and content types that want
// other names take none of theirs.
func TestMethodsForContentTypesKeepTheirNames(t *testing.T) {
	document := func(content, paths, schemas string) string {
		return `openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /a:
    put:
      operationId: put
      requestBody: {content: {application/json: {}, text/csv: {}, application/merge-patch+json: {schema: {type: object, properties: {a: {type: string}}}}` + content + `}}
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}, text/plain: {}}}}
` + paths + "components:\n  schemas:\n    Z: {type: string}\n" + schemas
	}
	methods := func(document string) (names []string) {
		outline := load(t, &txtar.Archive{Files: []txtar.File{{Name: "openapi.yaml", Data: []byte(document)}}})
		for line := range strings.Lines(outline) {
			if rest, ok := strings.CutPrefix(line, "PUT /a: "); ok {
				name, _, _ := strings.Cut(rest, " ")
				names = append(names, name)
			}
		}
		return names
	}
	before := methods(document("", "", ""))
	require.Equal(t, []string{"Put", "PutAsText", "PutCSV", "PutCSVAsText", "PutMergePatch", "PutMergePatchAsText"}, before)
	require.Equal(t, before, methods(document("", "", "    PutCSV: {type: object, properties: {a: {type: string}}}\n    PutMergePatchRequest: {type: object}\n")))
	require.Equal(t, before, methods(document("", "  /b:\n    put: {operationId: putcsvs, responses: {'204': {description: ok}}}\n", "")))
	require.Subset(t, methods(document(", application/xml: {}, application/pdf: {}, text/html: {}", "", "")), before)
	taken := methods(document("", "  /b:\n    put: {operationId: putCSV, responses: {'204': {description: ok}}}\n", ""))
	require.NotContains(t, taken, "PutCSV", "an operation has its name by its own right")
	require.Contains(t, taken, "PutTextCSV")
}

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{
		"PetID": "petID", "URL": "url", "APIKey": "apiKey", "IDs": "ids", "IDsList": "idsList", "X": "x", "HTTPServer": "httpServer",
		"X名前": "x名前", "N5qi": "n5qi",
	} {
		require.Equal(t, want, unexported(name))
	}
}

// A name is at most so long, and still tells two apart that begin alike.
func TestNamesAreShort(t *testing.T) {
	long := strings.Repeat("Long", 60)
	names := fields(t, long+"A", long+"B")
	require.NotEqual(t, names[long+"A"], names[long+"B"])
	for _, name := range names {
		require.LessOrEqual(t, len(name), maxName)
	}
}
