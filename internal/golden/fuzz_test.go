package golden

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzGenerate: whatever a document holds, it is refused, or becomes Go that is
// formatted, passes the type checker, and holds no directive to a compiler.
func FuzzGenerate(f *testing.F) {
	documents, err := filepath.Glob(folder + "/*/openapi.yaml")
	require.NoError(f, err)
	for _, name := range documents {
		document, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(document)
	}
	for _, text := range hostile {
		f.Add(inEveryPlace(text))
	}
	check := newChecker(f)
	f.Fuzz(func(t *testing.T, document []byte) {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("openapi.yaml", document, 0o644))
		files := generate(t, "fuzz")
		if _, refused := files[refusal]; !refused {
			check.files(t, files)
		}
	})
}

// hostile are texts that mean something to Go, to a compiler or to a terminal.
var hostile = []string{
	"*/ func init() { panic(1) } /*", "`+panic(1)+`", `"+panic(1)+"`, "\n//go:embed /etc/passwd\n", "//line /etc/passwd:1",
	"\r\nfunc init() {}", "\u2028func init() {}", "// +build ignore", "#cgo LDFLAGS: -lx", "\x1b[2J", "%!s(PANIC=)", "{{.}}", "../../x", "a\tb\\", "ä€😀",
	"//export f", "[*os.File]", "Deprecated: no", "${IFS}", "type", "init", "main", "_", "",
}

// inEveryPlace is a document that has a text wherever a text can be.
func inEveryPlace(text string) []byte {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x1b", `\e`, "\u2028", `\L`).Replace(text) + `"`
	return []byte(strings.ReplaceAll(`openapi: 3.0.3
info: {title: TEXT, version: TEXT, description: TEXT}
servers: [{url: "https://{host}.example.com", description: TEXT, variables: {host: {default: TEXT, enum: [TEXT, b], description: TEXT}}}]
security: [{TEXT: []}]
tags: [{name: TEXT, description: TEXT}]
paths:
  /a/{p}:
    get:
      operationId: TEXT
      tags: [TEXT]
      summary: TEXT
      description: TEXT
      x-idempotent: {key: {}}
      parameters:
        - {name: p, in: path, required: true, description: TEXT, schema: {type: string, pattern: TEXT, default: TEXT, example: TEXT}}
        - {name: TEXT, in: query, description: TEXT, schema: {type: string, enum: [TEXT, other], x-enum-varnames: [A, B]}}
      requestBody: {description: TEXT, content: {application/json: {schema: {$ref: "#/components/schemas/S"}}}}
      responses:
        "200": {description: TEXT, content: {application/json: {schema: {$ref: "#/components/schemas/S"}}}}
        default: {description: TEXT, content: {application/json: {schema: {type: object, description: TEXT, properties: {TEXT: {type: string, description: TEXT}}}}}}
components:
  securitySchemes:
    TEXT: {type: apiKey, in: query, name: TEXT, description: TEXT}
  schemas:
    S:
      type: object
      title: TEXT
      description: TEXT
      required: [q]
      properties:
        q: {type: string, pattern: TEXT, enum: [TEXT], description: TEXT, deprecated: true, x-deprecated-reason: TEXT}
        kind: {enum: [TEXT, other], x-enum-descriptions: [TEXT, TEXT], x-oapi-codegen-extra-tags: {TEXT: TEXT, db: TEXT}}
        tuple: {prefixItems: [{type: string, title: TEXT, description: TEXT, pattern: TEXT}, {enum: [TEXT]}]}
        TEXT: {type: object, additionalProperties: {type: string, enum: [TEXT]}}
`, "TEXT", quoted))
}

// TestHostileStrings: each text, in every place of a document at once.
func TestHostileStrings(t *testing.T) {
	check := newChecker(t)
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("openapi.yaml", inEveryPlace(text), 0o644))
			files := generate(t, "hostile")
			if refused, ok := files[refusal]; ok {
				for line := range strings.Lines(string(refused)) {
					require.Regexp(t, `^(openapi\.yaml:\d+:\d+: |\t)`, line)
				}
				return
			}
			check.files(t, files)
		})
	}
}

// checker type-checks generated packages.
type checker struct {
	fset     *token.FileSet
	importer types.Importer
	imported map[string]*types.Package
}

// newChecker imports the packages of this module at once: they are not found
// where the working folder lies outside of it.
func newChecker(t testing.TB) *checker {
	fset := token.NewFileSet()
	c := &checker{fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}}
	for _, name := range []string{"runtime", "runtime/wire", "runtime/validate"} {
		_, err := c.Import("github.com/retrygen/retrygen/" + name)
		require.NoError(t, err)
	}
	return c
}

// Import implements [types.Importer].
func (c *checker) Import(name string) (*types.Package, error) {
	if known := c.imported[name]; known != nil {
		return known, nil
	}
	imported, err := c.importer.Import(name)
	if err == nil {
		c.imported[name] = imported
	}
	return imported, err
}

func (c *checker) files(t *testing.T, files map[string][]byte) {
	t.Helper()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		formatted, err := format.Source(files[name])
		require.NoError(t, err, "%s", files[name])
		require.Equal(t, string(formatted), string(files[name]), name)
		file, err := parser.ParseFile(c.fset, name, files[name], parser.ParseComments)
		require.NoError(t, err)
		for _, group := range file.Comments {
			for _, comment := range group.List {
				require.NotRegexp(t, `^//(go:|line |export |extern | ?\+build)|^/\*|^#cgo`, comment.Text)
			}
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			require.False(t, ok && function.Recv == nil && function.Name.Name == "init", "%s", files[name])
		}
		parsed = append(parsed, file)
	}
	_, err := (&types.Config{Importer: c}).Check("generated", c.fset, parsed, nil)
	require.NoError(t, err)
}
