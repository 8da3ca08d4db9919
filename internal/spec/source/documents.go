package source

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	Tolerant bool     // go on after mistakes where that is possible: they become Faults
	Strict   bool     // look at examples, defaults and patterns, too: their mistakes become Notes
	Files    Files    // where all of these are; nil: in the file system
}

// Files are those of a place other than the file system: of a revision, say.
type Files interface {
	// ReadFile is the content of a file by its absolute path. It follows no links.
	ReadFile(path string) ([]byte, error)
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
	// Faults are what a tolerant Load has gone on after.
	Faults Diagnostics
	// Comments are those that speak to retrygen, of all files.
	Comments []Comment

	folders  *folders
	files    map[string]*file      // by slash path relative to the root document's folder
	rootName string                // the root document's key in files
	dir      string                // its folder, as the user would type it
	overlaid map[*yaml.Node]string // the overlay or other file that a node comes from
	partial  bool
	tolerant bool
	strict   bool
	inlined  int                       // nodes that references have brought; see inline
	brought  map[*yaml.Node]bool       // the outermost of them
	broken   map[*yaml.Node]Diagnostic // where references led nowhere
	last     *file                     // what kin-openapi has asked for last
}

// file is one file of the description. Its tree is what counts, and what changes;
// there is a text for kin-openapi.
type file struct {
	name string // its key in Documents.files
	path string // as the user would type it
	tree *yaml.Node
	text []byte // nil where it is to be printed from the tree
	// printed is the text's own tree where that was printed, with other positions.
	printed *yaml.Node
}

// parseFile makes a file of its text, which is kept if it is good to read.
func (d *Documents) parseFile(name, path string, text []byte) (*file, error) {
	tree, err := d.parse(path, text)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, path: path, tree: tree}
	if tree.Style&yaml.FlowStyle == 0 { // unlike JSON; see parseJSON
		f.text = text
	}
	return f, nil
}

// parse is Parse for a file of the description.
func (d *Documents) parse(path string, text []byte) (*yaml.Node, error) {
	tree, found, err := parse(path, text)
	d.Comments = append(d.Comments, found...)
	return tree, err
}

// changed lets go of a text that does not say any more what the tree says.
func (f *file) changed() { f.text, f.printed = nil, nil }

// Load reads a document, applies overlays, resolves references and validates
// the result. Its error is Diagnostics.
//
// It reads the named files, and files in their folders that references name; it
// never opens a connection.
func Load(options Options) (*Documents, error) {
	d := &Documents{
		files:    map[string]*file{},
		partial:  options.Partial || options.Tolerant,
		tolerant: options.Tolerant,
		strict:   options.Strict,
		broken:   map[*yaml.Node]Diagnostic{},
		overlaid: map[*yaml.Node]string{},
		brought:  map[*yaml.Node]bool{},
		rootName: filepath.Base(options.Path),
		dir:      path.Dir(DisplayPath(options.Path)),
	}
	folders, err := openFolders(filepath.Dir(options.Path), options.Roots, options.Files)
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
		f.changed()
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
		d.root().changed()
	}
	if err := d.inline(d.root()); err != nil {
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
	text, err := d.folders.readPath(name)
	if err != nil {
		return one(Pos{File: display}, "the document "+err.Error(), "")
	}
	root, err := d.parseFile(d.rootName, display, text)
	if err != nil {
		return err
	}
	d.files[d.rootName] = root
	if err := d.checkVersion(); err != nil {
		return err
	}
	if !d.familiarVersion() {
		root.changed()
	}
	return nil
}

func (d *Documents) root() *file { return d.files[d.rootName] }

// Files are the files of the description, sorted, as Node takes them.
func (d *Documents) Files() []string { return slices.Sorted(maps.Keys(d.files)) }

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
	text, err := d.folders.read(name)
	if err != nil {
		return nil, err
	}
	f, err := d.parseFile(name, path.Join(d.dir, name), text)
	if err != nil {
		return nil, err
	}
	d.files[name] = f
	return f, d.inline(f)
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
