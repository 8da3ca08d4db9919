// Package config reads retrygen.yaml: strictly, because a setting that is
// misspelt and ignored would only show in what is generated.
package config

import (
	"path/filepath"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// FileName is the configuration that is found by itself, in the folder where
// retrygen runs.
const FileName = "retrygen.yaml"

// Config says what one package is generated from. Its paths are relative to the
// working folder, or absolute.
type Config struct {
	File      string   // the file that it comes from; "" where it was given by flags
	Spec      string   // the OpenAPI document
	Overlays  []string // applied to it in this order
	Roots     []string // folders that references may reach beside the document's own
	Package   string   // the name of the Go package
	Output    string   // its folder
	Include   Selection
	Exclude   Selection
	Names     map[string]string // Go names by the names of the document
	Types     map[string]string // Go types by the names of schemas
	Formats   map[string]string // Go types by formats
	TypesOnly bool              // models alone
	// AllSchemas asks for those that no operation uses, too; nil where nothing is
	// said. See [Config.Unreferenced].
	AllSchemas *bool
	Interface  string // the name of an interface with the client's methods
	// ContentTypes says which content types of an operation have a method:
	// "distinct", "all" or "preferred"; "" is the first.
	ContentTypes string
	OnAmbiguous  bool // operations that can end ambiguous must be told what becomes of it
	ByTag        bool // operations of each tag in a file of their own
	Contract     bool // CONTRACT.md beside the client
	Fake         bool // a package that fakes the API for tests
	// ImportPath is the client's; with Fake only.
	ImportPath string

	places places
}

// Unreferenced reports whether the schemas that no operation uses are asked for, too.
// Who wants types alone, and selects no operations, wants all of them.
func (c *Config) Unreferenced() bool {
	if c.AllSchemas != nil {
		return *c.AllSchemas
	}
	return c.TypesOnly && !c.Selects()
}

// Selection names operations: by tag, by path pattern, by operation id.
type Selection struct {
	Tags       []string
	Paths      []string
	Operations []string
}

func (s Selection) empty() bool { return len(s.Tags)+len(s.Paths)+len(s.Operations) == 0 }

// Selects reports whether operations are chosen, so that not all are generated.
func (c *Config) Selects() bool { return !c.Include.empty() || !c.Exclude.empty() }

// Load reads a configuration file. Its error is source.Diagnostics.
func Load(file string) (*Config, error) {
	data, err := read(file)
	if err != nil {
		return nil, source.Diagnostics{{
			Pos:     source.Pos{File: source.DisplayPath(file)},
			Message: "the configuration " + source.Reason(err),
		}}
	}
	return Decode(file, data)
}

// Decode makes a configuration of what a file holds. Its error is
// source.Diagnostics.
func Decode(file string, data []byte) (*Config, error) {
	root, err := source.Parse(source.DisplayPath(file), data)
	if err != nil {
		return nil, err
	}
	d := &decoder{file: source.DisplayPath(file), dir: filepath.Dir(file), places: newPlaces()}
	c := &Config{}
	d.mapping(root, "", settings(c))
	if c.Spec == "" && len(d.found) == 0 {
		d.refuse(root, "add spec: openapi.yaml, relative to this file", "spec is missing")
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	if c.Output == "" {
		c.Output = d.dir
		d.places.paths[source.DisplayPath(d.dir)] = d.pos(root)
	}
	c.File, c.places = d.file, d.places
	if err := c.complete(); err != nil {
		return c, err
	}
	return c, c.checkFake()
}

// New is a configuration without a file. The output folder is the working
// folder, and the package gets the name that fits there, unless they are given.
// Its error is source.Diagnostics.
func New(spec, packageName, output string) (*Config, error) {
	c := &Config{Spec: filepath.Clean(spec), Package: packageName, Output: filepath.Clean(output)}
	if isAddress(spec) {
		return nil, source.Diagnostics{{Message: "--spec " + spec + " is an address; only files are read", Fix: addressFix}}
	}
	if packageName != "" && !validPackage(packageName) {
		return nil, source.Diagnostics{{Message: "--package " + packageName + " " + notPackage, Fix: packageFix(packageName)}}
	}
	return c, c.complete()
}

// complete fills in the name of the package where it is not given.
func (c *Config) complete() error {
	if c.Package != "" {
		return nil
	}
	if c.Package = packageOf(c.Output); c.Package != "" {
		return nil
	}
	fix := "add package: and a name"
	if c.File == "" {
		fix = "add --package and a name"
	}
	return c.Locate(source.Diagnostics{{
		Pos:     source.Pos{File: source.DisplayPath(c.Output)},
		Message: "the name of this folder makes no package name",
		Fix:     fix,
	}})
}

// isAddress reports whether a path is meant to be read over a network.
func isAddress(path string) bool { return strings.Contains(path, "://") }

const addressFix = "store the document in a file, and name that"
