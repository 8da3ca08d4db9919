package config

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// checkFake finds the import path of the client, which a fake imports.
func (c *Config) checkFake() error {
	if !c.Fake {
		return nil
	}
	refuse := func(fix, format string, args ...any) error {
		return source.Diagnostics{{Pos: c.places.options["fake"], Message: fmt.Sprintf(format, args...), Fix: fix}}
	}
	switch {
	case c.TypesOnly:
		return refuse("remove one of the two", "fake and types-only exclude each other: a fake needs a client")
	case c.Package == "main":
		return refuse("choose another package", "fake: a fake imports the client, and nobody can import package main")
	}
	found, err := importPath(c.Output)
	if err != nil {
		return refuse("run go mod init in the folder of your module", "fake: a fake imports the client, whose import path nobody knows: %v", err)
	}
	c.ImportPath = found
	return nil
}

// importPath is that of a folder, which need not exist: the path of the module
// above it, and what leads from there.
func importPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for root := abs; ; root = filepath.Dir(root) {
		file := filepath.Join(root, "go.mod")
		data, err := os.ReadFile(file)
		switch {
		case err == nil:
			module := modulePath(string(data))
			if module == "" {
				return "", fmt.Errorf("%s names no module", source.DisplayPath(file))
			}
			below, err := filepath.Rel(root, abs)
			return path.Join(module, filepath.ToSlash(below)), err
		case !os.IsNotExist(err):
			return "", fmt.Errorf("%s %s", source.DisplayPath(file), source.Reason(err))
		case root == filepath.Dir(root):
			return "", fmt.Errorf("there is no go.mod in %s or above", source.DisplayPath(dir))
		}
	}
}

// modulePath is what a go.mod says in its module directive, or "".
func modulePath(text string) string {
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "module" && words[1] == "(":
			block = true
		case len(words) == 2 && words[0] == "module":
			return unquoted(words[1])
		case block && len(words) == 1:
			return unquoted(words[0])
		}
	}
	return ""
}

func unquoted(word string) string {
	if text, err := strconv.Unquote(word); err == nil {
		return text
	}
	return word
}
