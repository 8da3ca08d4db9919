package spec

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"github.com/retrygen/retrygen/internal/spec/source"
)

var update = flag.Bool("update", false, "write what is loaded into testdata instead of comparing it")

// TestLoadGolden loads the document of each file of testdata, and compares the API
// that it becomes, or why it is refused. The comment of a file says which rule
// it shows.
func TestLoadGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		path, err := filepath.Abs(name)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say which rule this file shows")
			wanted, want := withoutOutline(archive)
			got := load(t, archive)
			if *update {
				archive.Files = append(archive.Files, txtar.File{Name: "outline", Data: []byte(got)})
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			require.True(t, wanted, "run go test ./internal/spec -update")
			require.Equal(t, want, got)
		})
	}
}

// withoutOutline takes the outline out of an archive.
func withoutOutline(archive *txtar.Archive) (found bool, outline string) {
	last := len(archive.Files) - 1
	if archive.Files[last].Name != "outline" {
		return false, ""
	}
	outline = string(archive.Files[last].Data)
	archive.Files = archive.Files[:last]
	return true, outline
}

// load writes the files of an archive into a folder of their own and loads
// openapi.yaml, with overlay.yaml and options.yaml if there are any.
func load(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	t.Chdir(t.TempDir())
	options := Options{Spec: "openapi.yaml", Package: "test"}
	for _, file := range archive.Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(file.Name), 0o755))
		require.NoError(t, os.WriteFile(file.Name, file.Data, 0o644))
		switch file.Name {
		case "overlay.yaml":
			options.Overlays = []string{file.Name}
		case "options.yaml":
			readOptions(t, file, &options)
		}
	}
	return loaded(options)
}

// loaded is the outline of an API, or the refusal.
func loaded(options Options) string {
	api, err := Load(options)
	if err != nil {
		return "refused\n" + err.Error() + "\n"
	}
	return outline(api)
}

// readOptions reads the part of a configuration that is for this package, with
// its positions.
func readOptions(t testing.TB, file txtar.File, options *Options) {
	t.Helper()
	written := struct {
		Include, Exclude      struct{ Tags, Paths, Operations []string }
		Names, Types, Formats map[string]string
		Partial, Unreferenced bool
		ContentTypes          ContentTypes `yaml:"content-types"`
		OnAmbiguous           string       `yaml:"on-ambiguous"`
	}{}
	require.NoError(t, yaml.Unmarshal(file.Data, &written))
	options.Include, options.Exclude = Selection(written.Include), Selection(written.Exclude)
	options.Names, options.Types, options.Formats = written.Names, written.Types, written.Formats
	options.Partial, options.Unreferenced, options.ContentTypes = written.Partial, written.Unreferenced, written.ContentTypes
	options.OnAmbiguous = written.OnAmbiguous == "required"
	root, err := source.Parse(file.Name, file.Data)
	require.NoError(t, err)
	options.Places = map[string]source.Pos{}
	place := func(option string, at *yaml.Node) {
		options.Places[option] = source.Pos{File: file.Name, Line: at.Line, Col: at.Column}
	}
	for key, value := range source.Members(root) {
		place(key.Value, key)
		for inner, value := range source.Members(value) {
			place(key.Value+"."+inner.Value, inner)
			for _, item := range value.Content {
				place(key.Value+"."+inner.Value+"."+item.Value, item)
			}
		}
	}
}
