package retrygen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/templates"
)

// What the documents show must be true: a block that is a program compiles, a
// block that is a document generates, a configuration decodes, and anything else
// is an excerpt of a file. Output of the demo is checked beside the demo.

// payments is the client that the documents use.
const payments = "testdata/golden/payments"

// block is a fenced block of a document.
type block struct {
	document string
	language string
	text     string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// documents are the pages that users read.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	readmes, err := filepath.Glob("examples/*/README.md")
	require.NoError(t, err)
	return slices.Concat([]string{"README.md"}, pages, readmes)
}

func blocks(t *testing.T, language string) (found []block) {
	t.Helper()
	for _, document := range documents(t) {
		for _, match := range fence.FindAllStringSubmatch(read(t, document), -1) {
			if match[1] == language {
				found = append(found, block{document, match[1], match[2]})
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// TestProgramsInDocumentsCompile builds each program in a module of its own, as
// a user has one, and runs those that are tests.
func TestProgramsInDocumentsCompile(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26\n\n"+
		"require github.com/retrygen/retrygen v0.0.0\n\nreplace github.com/retrygen/retrygen => "+root+"\n")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "payments"), os.DirFS(payments)))
	writeFake(t, filepath.Join(dir, "payments"), "example.com/shop/payments")
	for i, b := range blocks(t, "go") {
		name := "main.go"
		if strings.Contains(b.text, "(t *testing.T)") {
			name = "main_test.go"
		}
		if strings.HasPrefix(b.text, "package ") {
			write(t, filepath.Join(dir, fmt.Sprint("program", i), name), b.text)
		}
	}
	for _, command := range []string{"vet", "test"} {
		run := exec.Command("go", command, "./...")
		run.Dir = dir
		run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// writeFake writes the fake of payments, as one of a client with this import path.
func writeFake(t *testing.T, client, importPath string) {
	t.Helper()
	api, err := spec.Load(spec.Options{Spec: payments + "/openapi.yaml", Package: "payments", FakeOf: importPath})
	require.NoError(t, err)
	files, err := templates.RenderFake(api)
	require.NoError(t, err)
	for name, source := range files {
		write(t, filepath.Join(client, api.Fake.Package, name), string(source))
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// want is what a test of a check expects in a line.
var want = regexp.MustCompile(" *// want .*")

// TestFragmentsInDocumentsAreExcerpts: what is shown of generated code is what
// is generated, and what is shown of callers is what the checks are tested with.
func TestFragmentsInDocumentsAreExcerpts(t *testing.T) {
	callers, err := filepath.Glob("internal/analyze/testdata/src/*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, callers)
	for _, b := range blocks(t, "go") {
		if strings.HasPrefix(b.text, "package ") {
			continue
		}
		sources := slices.Concat(generatedFiles(t), goFiles(t), callers)
		require.True(t, slices.ContainsFunc(sources, func(file string) bool {
			return file != "documents_test.go" && strings.Contains(want.ReplaceAllString(read(t, file), ""), b.text)
		}), "%s shows what no file has:\n%s", b.document, b.text)
	}
}

func TestYAMLInDocumentsIsTrue(t *testing.T) {
	for _, b := range blocks(t, "yaml") {
		if b.document == "docs/lint.md" {
			continue // the tests of lint say of each what is wrong with it
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "shown.yaml")
		write(t, name, b.text)
		switch first, _, _ := strings.Cut(b.text, ":"); first {
		case "openapi":
			_, err := spec.Load(spec.Options{Spec: name, Package: "shown"})
			require.NoError(t, err, b.document)
		case "overlay":
			_, err := spec.Load(spec.Options{Spec: payments + "/openapi.yaml", Overlays: []string{name}, Package: "payments"})
			require.NoError(t, err, b.document)
		case "spec":
			write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n")
			_, err := config.Load(name)
			require.NoError(t, err, b.document)
		default:
			require.Contains(t, read(t, payments+"/openapi.yaml"), b.text, b.document)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)

// TestLinksInDocumentsLeadSomewhere: to a file, and to a heading of it.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	for _, document := range append(documents(t), "ARCHITECTURE.md", "CONTRIBUTING.md") {
		for _, match := range link.FindAllStringSubmatch(fence.ReplaceAllString(read(t, document), ""), -1) {
			target := document
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(document), match[1])
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s: %s", document, match[0])
			if match[2] != "" {
				require.Contains(t, anchors(read(t, target)), match[2], "%s: %s", document, match[0])
			}
		}
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// anchors are the fragments that code hosts give to the headings of a page.
func anchors(page string) (found []string) {
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		kept := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(match[1]))
		found = append(found, kept)
	}
	return found
}
