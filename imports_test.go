package retrygen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/retrygen/retrygen"

const (
	cobra    = "github.com/spf13/cobra"
	goleak   = "go.uber.org/goleak"
	jennifer = "github.com/dave/jennifer"
	kin      = "github.com/getkin/kin-openapi"
	pflag    = "github.com/spf13/pflag"
	rapid    = "pgregory.net/rapid"
	testify  = "github.com/stretchr/testify"
	tools    = "golang.org/x/tools"
	yaml     = "go.yaml.in/yaml/v4"
)

// rooms say what the packages below a folder may import besides the standard
// library and themselves. Imports point one way: cmd -> internal, and generated
// code -> runtime. The deepest folder that matches decides.
var rooms = map[string][]string{
	"cmd":                {module + "/internal", cobra, pflag, tools, yaml},
	"cmd/retryvet":       {module + "/retryvet", tools},
	"internal":           {module + "/internal", testify, tools, yaml},
	"internal/report":    {module + "/internal/simulate", module + "/internal/spec", module + "/runtime", yaml},
	"internal/simulate":  {module + "/runtime"},
	"internal/spec":      {kin, yaml},
	"internal/templates": {module + "/internal/spec", jennifer},
	"internal/analyze":   {tools},
	"retryvet":           {module + "/internal/analyze", tools},
	"runtime":            {},
	"examples":           {module + "/runtime"},
	".":                  {},
}

// runtimeTests is what the tests of runtime may import as well.
var runtimeTests = []string{testify, goleak, rapid}

// TestImports parses the files instead of asking the go command, so that files
// behind build constraints count, too.
func TestImports(t *testing.T) {
	files := goFiles(t)
	require.NotEmpty(t, files)
	for _, file := range files {
		room := roomOf(path.Dir(file))
		allowed := append([]string{module + "/" + room}, rooms[room]...)
		switch {
		case !strings.HasSuffix(file, "_test.go"):
		case room == "runtime":
			allowed = append(allowed, runtimeTests...)
		default:
			continue
		}
		for _, imported := range importsOf(t, file) {
			if !standard(imported) && !within(imported, allowed) {
				t.Errorf("%s imports %s; below %s that is not permitted", file, imported, room)
			}
		}
	}
}

// Generated code may import what types.go maps to, but of this module the
// runtime alone; a fake, what it is a fake of. What clients link has no part of the
// test kit.
func TestGeneratedCodeImportsRuntimeOnly(t *testing.T) {
	const kit = module + "/runtime/retrytest"
	for _, file := range generatedFiles(t) {
		client, isFake := fakeOf(file)
		for _, imported := range importsOf(t, file) {
			switch {
			case !within(imported, []string{module}), isFake && imported == module+"/"+client:
			case isFake:
				require.True(t, within(imported, []string{module + "/runtime"}), "%s imports %s", file, imported)
			default:
				require.True(t, within(imported, []string{module + "/runtime"}) && !within(imported, []string{kit}), "%s imports %s", file, imported)
			}
		}
	}
}

// fakeOf is the folder of the client that a file is a part of the fake of.
func fakeOf(file string) (client string, ok bool) {
	dir := path.Dir(file)
	_, err := os.Stat(path.Join(dir, "fake.gen.go"))
	return path.Dir(dir), err == nil
}

// goFiles are the Go files of this module, without those of nested modules and
// those that the go command ignores.
func goFiles(t *testing.T) []string {
	return walk(t, func(dir string) bool {
		name := path.Base(dir)
		return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
	}, ".go")
}

// generatedFiles include the golden ones.
func generatedFiles(t *testing.T) []string {
	return walk(t, func(dir string) bool { return path.Base(dir) == ".git" }, ".gen.go")
}

func walk(t *testing.T, skip func(dir string) bool, suffix string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && name != "." && (skip(name) || nestedModule(name)) {
			return filepath.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(name, suffix) {
			files = append(files, name)
		}
		return nil
	}))
	return files
}

func nestedModule(dir string) bool {
	_, err := os.Stat(path.Join(dir, "go.mod"))
	return err == nil
}

func importsOf(t *testing.T, file string) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, imported)
	}
	return paths
}

func roomOf(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := rooms[dir]; ok {
			return dir
		}
	}
	return "."
}

// standard follows the go command: the first element of any other path has a
// dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func within(imported string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return imported == root || strings.HasPrefix(imported, root+"/")
	})
}
