// Package printer prints the Go files of a client with jennifer: each file of
// this package prints one kind of thing.
package printer

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"strings"
	"sync"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// Files prints the files of a client, or its models alone; see templates.Render.
func Files(api *spec.API, typesOnly, byTag bool) (map[string][]byte, error) {
	p, err := newPrinter(api)
	if err != nil {
		return nil, err
	}
	files := []*goFile{{name: "models.gen.go", print: p.models, doc: typesOnly}}
	if !typesOnly {
		files = append(files,
			&goFile{name: "client.gen.go", print: p.client, doc: true},
			&goFile{name: "params.gen.go", print: p.params},
			&goFile{name: "responses.gen.go", print: p.responses},
		)
	}
	if !typesOnly {
		for name, operations := range operationFiles(api, byTag) {
			files = append(files, &goFile{name: name, print: func(g *Group) { p.operations(g, operations) }})
		}
	}
	return renderAll(clientPackage(api), files)
}

// renderAll prints the files of a package in parallel.
func renderAll(pkg goPackage, files []*goFile) (map[string][]byte, error) {
	var wg sync.WaitGroup
	for _, file := range files {
		wg.Go(func() { file.render(pkg) })
	}
	wg.Wait()
	rendered := make(map[string][]byte, len(files))
	for _, file := range files {
		if file.err != nil {
			return nil, fmt.Errorf("internal fault in %s: %w", file.name, file.err)
		}
		if file.source != nil {
			rendered[file.name] = file.source
		}
	}
	return rendered, nil
}

// operationFiles are the operations of each file: all in one, or those of one first
// tag in each.
func operationFiles(api *spec.API, byTag bool) map[string][]*spec.Operation {
	files := map[string][]*spec.Operation{}
	for _, op := range api.Operations {
		name := "operations.gen.go"
		if byTag && len(op.Tags) > 0 && fileWord(op.Tags[0]) != "" {
			name = fileWord(op.Tags[0]) + "_" + name // not behind it: _windows is a build constraint
		}
		files[name] = append(files[name], op)
	}
	return files
}

// fileWord is a tag as a part of a file's name.
func fileWord(tag string) string {
	words := strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	word := strings.Join(words, "_")
	return word[:min(len(word), 100)]
}

// goPackage is what the files of a package have in common.
type goPackage struct {
	name    string
	about   []string          // paragraphs of its comment
	imports map[string]string // names of packages, by their import paths
}

func clientPackage(api *spec.API) goPackage {
	return goPackage{name: api.Package, about: []string{"Package " + api.Package + " is a client of " + titleOf(api) + ".", api.Description}}
}

// goFile is one file on its way to formatted Go.
type goFile struct {
	name  string
	doc   bool // bears the package comment
	print func(*Group)

	source []byte // nil: nothing to declare
	err    error
}

func (g *goFile) render(pkg goPackage) {
	defer func() {
		if fault := recover(); fault != nil {
			g.err = fmt.Errorf("%v", fault)
		}
	}()
	f := NewFile(pkg.name)
	f.NoFormat = true // what does not parse is reported in our own words
	f.ImportNames(map[string]string{runtimePath: "runtime", wirePath: "wire", validatePath: "validate"})
	for from, name := range pkg.imports {
		if strings.HasSuffix(from, "/"+name) {
			f.ImportName(from, name)
		} else {
			f.ImportAlias(from, name)
		}
	}
	fileComments(f, g.doc, pkg)
	g.print(f.Group)
	var b bytes.Buffer
	if g.err = f.Render(&b); g.err != nil {
		return
	}
	source, err := formatted(b.Bytes())
	if !bytes.HasSuffix(source, []byte("\npackage "+pkg.name+"\n")) {
		g.source = source
	}
	g.err = err
}

// formatted is gofmt's form of source. If that is no Go, the error shows the
// declaration and the lines around the fault instead of the whole file.
func formatted(source []byte) ([]byte, error) {
	out, err := format.Source(source)
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return groupImports(out), err
	}
	lines := strings.Split(string(source), "\n")
	at := min(list[0].Pos.Line, len(lines)) - 1
	declaration := at
	for declaration > 0 && strings.HasPrefix(lines[declaration], "\t") {
		declaration--
	}
	return nil, fmt.Errorf("%w\nin %.100s\n%s", list[0], lines[declaration],
		strings.Join(lines[max(0, at-2):min(len(lines), at+3)], "\n"))
}

// groupImports puts an empty line between the standard library's imports and all
// others, as people do.
func groupImports(source []byte) []byte {
	head, rest, ok := strings.Cut(string(source), "\nimport (\n")
	block, tail, closed := strings.Cut(rest, "\n)\n")
	if !ok || !closed {
		return source
	}
	var std, others []string
	for line := range strings.Lines(block + "\n") {
		_, path, _ := strings.Cut(line, `"`)
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	if std != nil && others != nil {
		std = append(std, "\n")
	}
	return []byte(head + "\nimport (\n" + strings.Join(std, "") + strings.Join(others, "") + ")\n" + tail)
}
