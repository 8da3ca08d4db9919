package analyze

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// missed are the wrong call sites that no check finds, and why.
var missed = map[string]string{
	"recursive": "a function that calls itself is no loop",
}

// TestCallSites counts what the checks say of call sites as public code has
// them: nothing of the fine ones, and something of all wrong ones but those that
// are known to be missed.
func TestCallSites(t *testing.T) {
	dir := workspace(t)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  dir,
		Env:  append(os.Environ(), "GOPATH="+dir, "GO111MODULE=off", "GOWORK=off"),
	}, "sites")
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))
	graph, err := checker.Analyze(checks, loaded, nil)
	require.NoError(t, err)

	said := map[string][]string{} // by function
	for _, action := range graph.Roots {
		require.NoError(t, action.Err)
		for _, diagnostic := range action.Diagnostics {
			name := functionAt(loaded[0], diagnostic.Pos)
			said[name] = append(said[name], action.Analyzer.Name+": "+diagnostic.Message)
		}
	}
	fine, wrong := kinds(loaded[0], "fine.go"), kinds(loaded[0], "wrong.go")
	require.GreaterOrEqual(t, len(fine), 30)
	require.GreaterOrEqual(t, len(wrong), 20)
	found := 0
	for _, name := range fine {
		require.Empty(t, said[name], "%s is fine", name)
	}
	for _, name := range wrong {
		if missed[name] == "" {
			require.NotEmpty(t, said[name], "%s is wrong", name)
			found++
		} else {
			require.Empty(t, said[name], "%s is found: no longer missed", name)
		}
	}
	t.Logf("%d fine call sites without a finding; %d of %d wrong ones found", len(fine), found, len(wrong))
}

// functionAt is the name of the function declaration around pos.
func functionAt(pkg *packages.Package, pos token.Pos) (name string) {
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
				name = fn.Name.Name
			}
		}
	}
	return name
}

// kinds are the functions of a file that name a kind of call site.
func kinds(pkg *packages.Package, base string) (names []string) {
	for _, file := range pkg.Syntax {
		if filepath.Base(pkg.Fset.File(file.Pos()).Name()) != base {
			continue
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Doc.Text(), "Kind:") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
