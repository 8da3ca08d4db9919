package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// inFolder makes the working folder one of its own, with these files.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
	return dir
}

const whole = `spec: openapi.yaml
overlays: [a.yaml, ../b.yaml]
roots: [../schemas]
package: pets
output: gen
include:
  tags: [pets]
  paths: [/pets/**]
  operations: [getPet]
exclude:
  tags: [admin]
names: {Pet: Animal, Pet.owner: Keeper}
types: {Money: github.com/shopspring/decimal.Decimal}
all-schemas: false
content-types: all
on-ambiguous: required
interface: API
file-per-tag: true
types-only: true
`

func TestLoadReadsEveryKey(t *testing.T) {
	inFolder(t, map[string]string{"api/retrygen.yaml": whole})
	c, err := Load("api/retrygen.yaml")
	require.NoError(t, err)
	c.places = places{}
	require.Equal(t, &Config{
		File:      "api/retrygen.yaml",
		Spec:      filepath.FromSlash("api/openapi.yaml"),
		Overlays:  []string{filepath.FromSlash("api/a.yaml"), "b.yaml"},
		Roots:     []string{"schemas"},
		Package:   "pets",
		Output:    filepath.FromSlash("api/gen"),
		Include:   Selection{Tags: []string{"pets"}, Paths: []string{"/pets/**"}, Operations: []string{"getPet"}},
		Exclude:   Selection{Tags: []string{"admin"}},
		Names:     map[string]string{"Pet": "Animal", "Pet.owner": "Keeper"},
		Types:     map[string]string{"Money": "github.com/shopspring/decimal.Decimal"},
		TypesOnly: true, AllSchemas: new(false), ContentTypes: "all", OnAmbiguous: true, Interface: "API", ByTag: true,
	}, c)
}

func TestLoadKeepsAbsolutePaths(t *testing.T) {
	dir := inFolder(t, nil)
	spec, output := filepath.Join(dir, "x", "openapi.yaml"), filepath.Join(dir, "y")
	require.NoError(t, os.WriteFile("retrygen.yaml", []byte("spec: '"+spec+"'\noutput: '"+output+"'\n"), 0o644))
	c, err := Load("retrygen.yaml")
	require.NoError(t, err)
	require.Equal(t, spec, c.Spec)
	require.Equal(t, output, c.Output)
}

func TestLoadBoundsWhatItReads(t *testing.T) {
	inFolder(t, map[string]string{"retrygen.yaml": "spec: openapi.yaml\n#" + strings.Repeat("x", largest)})
	_, err := Load("retrygen.yaml")
	require.EqualError(t, err, "retrygen.yaml: the configuration is larger than 1 MiB")
}

func TestPackageHasTheNameThatFits(t *testing.T) {
	tests := map[string]struct {
		output, goPackage string
		files             map[string]string
		want              string
	}{
		"a folder's name":                      {output: "pets", want: "pets"},
		"without what no name has":             {output: "My-Pets_2", want: "mypets2"},
		"of the Go files that are there":       {output: "pets", files: map[string]string{"pets/a.go": "package animals\n"}, want: "animals"},
		"of the go:generate line":              {output: ".", goPackage: "animals", want: "animals"},
		"of the go:generate line in a test":    {output: ".", goPackage: "animals_test", want: "animals"},
		"whose folder is not the output":       {output: "pets", goPackage: "animals", want: "pets"},
		"of a folder with several":             {output: "pets", files: map[string]string{"pets/a.go": "package a\n", "pets/b.go": "package b\n"}, want: "pets"},
		"of a folder whose files are not Go":   {output: "pets", files: map[string]string{"pets/a.go": "package\n"}, want: "pets"},
		"of a folder whose name has no letter": {output: "7-", want: ""},
		"of a folder with a keyword's name":    {output: "func", want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOPACKAGE", test.goPackage)
			inFolder(t, test.files)
			require.Equal(t, test.want, packageOf(test.output))
		})
	}
}

// TestFakeKnowsTheClient by the import path that its module gives it.
func TestFakeKnowsTheClient(t *testing.T) {
	const fake = "spec: openapi.yaml\noutput: %\nfake: true\n"
	for name, test := range map[string]struct {
		module, output, more string
		want, refused        string
	}{
		"of the module's root":     {module: "module example.com/shop // a shop\n", output: ".", more: "package: shop\n", want: "example.com/shop"},
		"of a folder of it":        {module: "// Deprecated: no.\nmodule example.com/shop/v2\n", output: "a/pets", want: "example.com/shop/v2/a/pets"},
		"in quotes":                {module: "go 1.26\nmodule \"example.com/shop\"\n", output: "pets", want: "example.com/shop/pets"},
		"in a block":               {module: "module (\n\texample.com/shop\n)\n", output: "pets", want: "example.com/shop/pets"},
		"of a module without name": {module: "go 1.26\n", output: "pets", refused: "retrygen.yaml:3:7: fake: a fake imports the client, whose import path nobody knows: go.mod names no module\n\trun go mod init in the folder of your module"},
		"without a module":         {output: "pets", refused: "retrygen.yaml:3:7: fake: a fake imports the client, whose import path nobody knows: there is no go.mod in pets or above\n\trun go mod init in the folder of your module"},
		"of models alone":          {module: "module x\n", output: "pets", more: "types-only: true\n", refused: "retrygen.yaml:3:7: fake and types-only exclude each other: a fake needs a client\n\tremove one of the two"},
		"of a command":             {module: "module x\n", output: "pets", more: "package: main\n", refused: "retrygen.yaml:3:7: fake: a fake imports the client, and nobody can import package main\n\tchoose another package"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"retrygen.yaml": strings.ReplaceAll(fake, "%", test.output) + test.more}
			if test.module != "" {
				files["go.mod"] = test.module
			}
			inFolder(t, files)
			c, err := Load("retrygen.yaml")
			if test.refused != "" {
				require.EqualError(t, err, test.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, c.ImportPath)
		})
	}
}

// TestLocate: what has no line of its own is said where the configuration names
// it.
func TestLocate(t *testing.T) {
	inFolder(t, map[string]string{"retrygen.yaml": whole})
	c, err := Load("retrygen.yaml")
	require.NoError(t, err)
	for want, one := range map[string]source.Diagnostic{
		"retrygen.yaml:1:7: openapi.yaml: x": {Pos: source.Pos{File: "openapi.yaml"}, Message: "x"},
		"retrygen.yaml:2:20: ../b.yaml: x":   {Pos: source.Pos{File: "../b.yaml"}, Message: "x"},
		"retrygen.yaml:3:9: ../schemas: x":   {Pos: source.Pos{File: "../schemas"}, Message: "x"},
		"retrygen.yaml:5:9: gen: x":          {Pos: source.Pos{File: "gen"}, Message: "x"},
		"openapi.yaml:3:4: x":                {Pos: source.Pos{File: "openapi.yaml", Line: 3, Col: 4}, Message: "x"},
		"gen/client.gen.go: x":               {Pos: source.Pos{File: "gen/client.gen.go"}, Message: "x"},
		"retrygen.yaml: x":                   {Message: "x"},
	} {
		require.EqualError(t, c.Locate(source.Diagnostics{one}), want)
	}
	for option, want := range map[string]string{
		"include": "retrygen.yaml:7:3", "include.tags.pets": "retrygen.yaml:7:10", "include.paths./pets/**": "retrygen.yaml:8:11",
		"exclude.tags.admin": "retrygen.yaml:11:10", "names.Pet.owner": "retrygen.yaml:12:22", "types.Money": "retrygen.yaml:13:9",
	} {
		require.Equal(t, want, c.Places()[option].String(), option)
	}
}

func TestUnreferencedSchemas(t *testing.T) {
	some := Selection{Tags: []string{"pets"}}
	for name, test := range map[string]struct {
		config            Config
		client, typesOnly bool
	}{
		"by default, with types alone":    {Config{}, false, true},
		"operations are selected":         {Config{Include: some}, false, false},
		"operations are excluded":         {Config{Exclude: some}, false, false},
		"asked for":                       {Config{AllSchemas: new(true), Include: some}, true, true},
		"not asked for, with types alone": {Config{AllSchemas: new(false)}, false, false},
	} {
		require.Equal(t, test.client, test.config.Unreferenced(), name)
		test.config.TypesOnly = true
		require.Equal(t, test.typesOnly, test.config.Unreferenced(), name)
	}
}
