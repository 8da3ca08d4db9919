package analyze

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

const root = "../.."

// clients are golden clients, which callers in testdata import as
// example.com/NAME: a change of generated code that hides its contracts from
// the checks fails here.
var clients = []string{"bodies-by-replayability", "idempotency-kinds", "interface-and-tags", "keys", "multipart", "on-ambiguous", "payments", "streams"}

// workspace is a GOPATH with the runtime, the golden clients and the callers of
// testdata.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	copySources(t, filepath.Join(root, "runtime"), filepath.Join(src, Runtime))
	for _, client := range clients {
		copySources(t, filepath.Join(root, "testdata/golden", client), filepath.Join(src, "example.com", client))
	}
	require.NoError(t, os.CopyFS(src, os.DirFS("testdata/src")))
	return dir
}

// copySources copies Go files, but for tests.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		relative, err := filepath.Rel(from, name)
		require.NoError(t, err)
		target := filepath.Join(to, relative)
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		return os.WriteFile(target, data, 0o644)
	}))
}

// checks are the analyzers by name.
var checks = []*analysis.Analyzer{Ambiguous, FreshKey, NestedRetry, OneShot, RetryLoop}

// byPackage runs the check that a package is named after, so that the standard
// library is loaded once for all of them.
var byPackage = &analysis.Analyzer{
	Name:     "bypackage",
	Doc:      "run the check that the package is named after",
	Requires: []*analysis.Analyzer{Contracts},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, check := range checks {
			if pass.Pkg.Name() == check.Name {
				return check.Run(pass)
			}
		}
		return nil, nil
	},
}

func TestChecks(t *testing.T) {
	var packages []string
	for _, check := range checks {
		packages = append(packages, check.Name)
	}
	analysistest.RunWithSuggestedFixes(t, workspace(t), byPackage, packages...)
}
