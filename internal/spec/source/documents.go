package source

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// Options say what to load.
type Options struct {
	Path     string   // the root document, OpenAPI 3.0 to 3.2 or Swagger 2.0 in JSON or YAML
	Overlays []string // OpenAPI overlays, applied in this order
	Roots    []string // folders that references may reach beside the root document's own
	Partial  bool     // leave out what references lead nowhere
}

// Documents is a root document with its overlays applied, and all files that it
// refers to.
type Documents struct {
	// Doc is the document with its references resolved. Numbers that stand where
	// any value may stand (extensions, defaults, enums) went through float64;
	// their exact text is in Node.
	Doc *openapi3.T
	// Notes are mistakes that change nothing that is generated; sorted.
	Notes Diagnostics

	folders  *folders
	files    map[string]*file      // by slash path relative to the root document's folder
	rootName string                // the root document's key in files
	dir      string                // its folder, as the user would type it
	overlaid map[*yaml.Node]string // the overlay or other file that a node comes from
	partial  bool
	inlined  int                       // nodes that references have brought; see inline
	broken   map[*yaml.Node]Diagnostic // where references led nowhere
	last     *file                     // what kin-openapi has asked for last
}

// file is one file of the description.
type file struct {
	name string // its key in Documents.files
	path string // as the user would type it
	data []byte // what kin-openapi reads
	tree *yaml.Node
	// printed is data's own tree where data is not the file's text but printed
	// from tree, with other positions.
	printed *yaml.Node
}

// Load reads a document, applies overlays, resolves references and validates
// the result. Its error is Diagnostics.
//
// It reads the named files, and files in their folders that references name; it
// never opens a connection.
func Load(options Options) (*Documents, error) {
	d := &Documents{
		files:    map[string]*file{},
		partial:  options.Partial,
		broken:   map[*yaml.Node]Diagnostic{},
		overlaid: map[*yaml.Node]string{},
		rootName: filepath.Base(options.Path),
		dir:      path.Dir(DisplayPath(options.Path)),
	}
	folders, err := openFolders(filepath.Dir(options.Path), options.Roots)
	if err != nil {
		return nil, d.missing(options.Path, err)
	}
	defer folders.close()
	d.folders = folders
	if err := d.load(options); err != nil {
		return nil, err
	}
	d.folders, d.last = nil, nil
	return d, nil
}

// Release lets go of what only validation needs: Doc, and the texts of files.
func (d *Documents) Release() {
	d.Doc = nil
	for _, f := range d.files {
		f.data, f.printed = nil, nil
	}
}

func (d *Documents) load(options Options) error {
	if err := d.readRoot(options.Path); err != nil {
		return err
	}
	if err := d.applyOverlays(options.Overlays); err != nil {
		return err
	}
	if d.isSwagger() {
		convertSwagger(d.root().tree)
		if err := d.print(); err != nil {
			return err
		}
	}
	changed, err := d.inline(d.root())
	if err == nil && changed {
		err = d.print()
	}
	if err != nil {
		return err
	}
	if err := d.resolve(); err != nil {
		if !d.partial || !d.cut() {
			return err
		}
		if err := d.resolve(); err != nil {
			return err
		}
	}
	return d.validate()
}

// missing prefers to name the file where its whole folder is missing.
func (d *Documents) missing(name string, err error) error {
	if _, statErr := os.Stat(name); statErr != nil {
		return one(Pos{File: DisplayPath(name)}, "the document "+Reason(statErr), "")
	}
	return err
}

// readRoot reads the root document and checks its version, before anything
// else can trip over a document of another kind.
func (d *Documents) readRoot(name string) error {
	display := DisplayPath(name)
	data, err := d.folders.readPath(name)
	if err != nil {
		return one(Pos{File: display}, "the document "+err.Error(), "")
	}
	data = joinSurrogates(data)
	tree, err := Parse(display, data)
	if err != nil {
		return err
	}
	root := &file{name: d.rootName, path: display, data: data, tree: tree}
	d.files[d.rootName] = root
	d.last = root
	if err := d.checkVersion(); err != nil {
		return err
	}
	if !d.familiarVersion() {
		return d.print()
	}
	return nil
}

// resolve lets kin-openapi decode the document and follow its references.
func (d *Documents) resolve() error {
	doc, err := d.loader().LoadFromDataWithPath(d.root().data, d.location())
	if err != nil {
		return d.explainLoad(err)
	}
	d.Doc = doc
	return nil
}

// print makes what kin-openapi reads of the root document from its tree.
func (d *Documents) print() error {
	defer d.writeFamiliarVersion()()
	return d.printFile(d.root())
}

// printFile makes what kin-openapi reads of a file from its tree.
func (d *Documents) printFile(f *file) error {
	data, err := yaml.Marshal(blockStyle(f.tree))
	if err != nil {
		return one(Pos{File: f.path}, "the document cannot be printed with its changes", "")
	}
	printed, err := Parse(f.path, data)
	if err != nil {
		return err
	}
	f.data, f.printed = data, printed
	return nil
}

// blockStyle is a copy to print, as the YAML library takes the tags off a tree
// that it prints. Every mapping and list has its own lines: a JSON document
// would be printed on one.
func blockStyle(node *yaml.Node) *yaml.Node {
	same := *node
	same.Style &^= yaml.FlowStyle
	same.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		same.Content[i] = blockStyle(child)
	}
	return &same
}

func (d *Documents) loader() *openapi3.Loader {
	loader := openapi3.NewLoader()
	// Setting ReadFromURIFunc gives the policy to it and switches the flag off.
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
		return d.read(location)
	}
	loader.IsExternalRefsAllowed = true
	return loader
}

func (d *Documents) location() *url.URL { return &url.URL{Path: d.rootName} }

func (d *Documents) root() *file { return d.files[d.rootName] }

// read is the content of a file that a reference names.
func (d *Documents) read(location *url.URL) ([]byte, error) {
	f, err := d.open(location)
	if err != nil {
		return nil, err
	}
	d.last = f
	return f.data, nil
}

// open reads and parses a file that a reference names, once.
func (d *Documents) open(location *url.URL) (*file, error) {
	if location.Scheme != "" || location.Host != "" || location.Opaque != "" || location.RawQuery != "" {
		return nil, errNetwork
	}
	name := path.Clean(location.Path)
	if path.IsAbs(name) || strings.Contains(name, `\`) || filepath.IsAbs(filepath.FromSlash(name)) {
		return nil, errOutside
	}
	if f := d.files[name]; f != nil {
		return f, nil
	}
	data, err := d.folders.read(name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, path: path.Join(d.dir, name), data: joinSurrogates(data)}
	if f.tree, err = Parse(f.path, f.data); err != nil {
		return nil, err
	}
	d.files[name] = f
	changed, err := d.inline(f)
	if err == nil && changed {
		err = d.printFile(f)
	}
	return f, err
}

// errNetwork is what a reference to another host gets.
var errNetwork = fmt.Errorf("is not a file in the folder of the document; nothing is ever read over the network")

// DisplayPath is a path as the user would type it: relative to the working
// folder if it is inside of it, else as it was given; with slashes.
func DisplayPath(name string) string {
	if filepath.IsAbs(name) {
		if dir, err := os.Getwd(); err == nil {
			if local, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(local) {
				name = local
			}
		}
	}
	return filepath.ToSlash(filepath.Clean(cmp.Or(name, ".")))
}
