// Package golden holds the tests of what the generator prints: each folder of
// testdata/golden has a document beside the files that it must become, or
// beside stderr.txt where it must be refused.
//
//	go test ./internal/golden -update
package golden

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/templates"
)

var update = flag.Bool("update", false, "write the files instead of comparing them")

const (
	root    = "../.."
	folder  = root + "/testdata/golden"
	refusal = "stderr.txt"
)

func TestGolden(t *testing.T) {
	cases, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			t.Chdir(filepath.Join(folder, c.Name())) // messages name files as a user would
			got := generate(t, c.Name())
			if *update {
				replace(t, got)
				return
			}
			compare(t, committed(t), got)
		})
	}
}

// generate is what a document becomes: files, or the text of its refusal.
func generate(t *testing.T, name string) map[string][]byte {
	api, printed, err := load(t, name)
	if err == nil {
		var files map[string][]byte
		if files, err = render(api, printed); err == nil {
			return files
		}
	}
	require.NotContains(t, err.Error(), "internal fault")
	return map[string][]byte{refusal: []byte(err.Error() + "\n")}
}

// load is what the document of the working folder means.
func load(t *testing.T, name string) (*spec.API, templates.Options, error) {
	options := spec.Options{Spec: "openapi.yaml", Package: strings.ReplaceAll(name, "-", "")}
	var printed templates.Options
	if _, err := os.Stat("retrygen.yaml"); err == nil {
		c, err := config.Load("retrygen.yaml")
		require.NoError(t, err)
		options, printed = c.Options(), templates.Options{TypesOnly: c.TypesOnly, ByTag: c.ByTag}
	}
	if _, err := os.Stat("overlay.yaml"); err == nil {
		options.Overlays = []string{"overlay.yaml"}
	}
	api, err := spec.Load(options)
	return api, printed, err
}

// render makes the files of a client, and those of its fake in their folder.
func render(api *spec.API, printed templates.Options) (map[string][]byte, error) {
	files, err := templates.Render(api, printed)
	if err != nil {
		return nil, err
	}
	fake, err := templates.RenderFake(api)
	for name, source := range fake {
		files[filepath.Join(api.Fake.Package, name)] = source
	}
	return files, err
}

// outputs are the names of what is generated in the working folder.
func outputs(t *testing.T) []string {
	names, err := filepath.Glob("*.gen.go")
	require.NoError(t, err)
	fakes, err := filepath.Glob("*/*.gen.go")
	require.NoError(t, err)
	names = append(names, fakes...)
	if _, err := os.Stat(refusal); err == nil {
		names = append(names, refusal)
	}
	return names
}

func committed(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	for _, name := range outputs(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		files[name] = data
	}
	return files
}

func replace(t *testing.T, files map[string][]byte) {
	for _, name := range outputs(t) {
		require.NoError(t, os.Remove(name))
	}
	for name, data := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, data, 0o644))
	}
}

func compare(t *testing.T, want, got map[string][]byte) {
	for name := range want {
		require.Contains(t, got, name, "is no longer generated")
	}
	for name := range got {
		if changed := diff.Diff(name, want[name], name+" (generated)", got[name]); changed != nil {
			t.Errorf("%s\nif that is right: go test ./internal/golden -update", shortened(changed))
		}
	}
}

func shortened(changed []byte) []byte {
	const most = 40
	lines := bytes.SplitAfter(changed, []byte("\n"))
	if len(lines) <= most {
		return changed
	}
	return append(bytes.Join(lines[:most], nil), "...\n"...)
}

// TestGoldenIsGoLikeOurs: what is generated is formatted, compiles, and passes
// vet, as if people had written it.
func TestGoldenIsGoLikeOurs(t *testing.T) {
	files, err := filepath.Glob(folder + "/*/*.gen.go")
	require.NoError(t, err)
	fakes, err := filepath.Glob(folder + "/*/*/*.gen.go")
	require.NoError(t, err)
	for _, name := range append(files, fakes...) {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		formatted, err := format.Source(source)
		require.NoError(t, err)
		require.Empty(t, string(diff.Diff(name, source, "gofmt", formatted)))
	}
	vet := exec.Command("go", "vet", "./testdata/golden/...")
	vet.Dir = root
	out, err := vet.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
