// Package spec turns an OpenAPI document into the IR: one API value that holds
// finished Go names, types and retry contracts, and nothing of the document's
// syntax.
package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Options say what to load and how.
type Options struct {
	Spec     string   // the document, OpenAPI 3.0 to 3.2, or Swagger 2.0,
	Overlays []string // applied in this order
	Roots    []string // folders that references may reach beside the document's own
	Package  string   // Go package name
	// Interface is the name of an interface with the methods of the client; "" asks
	// for none.
	Interface string
	// FakeOf asks for a fake, and is the import path of the client that it imports;
	// "" asks for none.
	FakeOf string

	Include Selection // empty: all operations
	Exclude Selection

	// Names gives Go names: to "Pet" the schema, else the operation, of this
	// name, to "Pet.owner" its property or enum value.
	Names map[string]string
	// Types gives Go types to component schemas: "Money" to
	// "github.com/shopspring/decimal.Decimal".
	Types map[string]string
	// Formats gives Go types to the formats of scalars: "uuid" to
	// "github.com/google/uuid.UUID".
	Formats map[string]string

	// Unreferenced asks for the component schemas that no operation uses, too.
	Unreferenced bool

	// ContentTypes chooses the content types that have a method.
	ContentTypes ContentTypes

	// OnAmbiguous requires an argument of that name of every operation that can end
	// ambiguous, whatever the document says.
	OnAmbiguous bool

	// Partial leaves out the operations that cannot be generated, with a note for
	// each, where other operations can.
	Partial bool

	// Files are where document and overlays are; nil: in the file system.
	Files source.Files

	// Places are where the user has written the options, for messages: under
	// "include", "include.tags.pets", "names.Pet", "on-ambiguous" and so on. It may be
	// nil.
	Places map[string]source.Pos
}

// Load reads a document and builds the IR of its selected operations. The error
// is source.Diagnostics: everything that is wrong, sorted by position.
func Load(options Options) (*API, error) {
	docs, err := source.Load(source.Options{
		Path: options.Spec, Overlays: options.Overlays, Roots: options.Roots, Partial: options.Partial, Files: options.Files,
	})
	if err != nil {
		return nil, err
	}
	docs.Release()
	return build(docs, options, false).result()
}

// build builds what there is to build, without what is left out.
func build(docs *source.Documents, options Options, inspecting bool) *loader {
	leftOut := map[string]source.Diagnostic{}
	for {
		l := newLoader(docs, options)
		l.inspecting, l.leftOut = inspecting, leftOut
		l.run()
		if len(l.faulty) == 0 {
			return l
		}
		maps.Copy(leftOut, l.faulty) // what they share may be at fault elsewhere, too: once more
	}
}

// result is the API, or what is wrong.
func (l *loader) result() (*API, error) {
	if err := l.found.Err(); err != nil {
		return nil, err
	}
	for what, reason := range l.leftOut {
		reason.Message = fmt.Sprintf("%s is left out: %s", what, reason.Message)
		l.notes = append(l.notes, reason)
	}
	l.api.Notes = slices.Concat(l.notes, slices.Collect(maps.Values(l.once)), l.root.docs.Notes).Sorted()
	return l.api, nil
}

// loader builds one API.
type loader struct {
	options Options
	root    cursor
	since31 bool // keywords beside $ref count, and type may be a list
	api     *API
	defined annotation.Root

	types          map[string]*named  // by the id of the schema
	shapes         map[string]*shape  // by the id of the schema
	named          []*named           // in the order they were met
	schemes        map[string]*Scheme // by name; nil for one that is not supported
	operationNames []operationName
	params         map[*Param]cursor
	headers        map[*Field]cursor // of responses
	depth          int               // of types that are being built
	used           map[string]bool   // the entries of Options.Names and Types that had an effect: "names.Pet"

	late       bool // what is built now is unreferenced
	inspecting bool // go on where Load would not

	leftOut map[string]source.Diagnostic // `operation "getPet"`, `schema "Pet"`
	faulty  map[string]source.Diagnostic // more of them
	clean   map[*yaml.Node]bool          // elements that lead to nothing broken

	found source.Diagnostics
	notes source.Diagnostics
	once  map[string]source.Diagnostic // notes, by message
}

func newLoader(docs *source.Documents, options Options) *loader {
	root := fileCursor(docs, "")
	return &loader{
		options: options,
		root:    root,
		since31: !strings.HasPrefix(root.get("openapi").text(), "3.0"),
		types:   map[string]*named{},
		shapes:  map[string]*shape{},
		schemes: map[string]*Scheme{},
		used:    map[string]bool{},
		params:  map[*Param]cursor{},
		headers: map[*Field]cursor{},
		once:    map[string]source.Diagnostic{},
		faulty:  map[string]source.Diagnostic{},
		clean:   map[*yaml.Node]bool{},
	}
}

// run fills the API: what is meant first, names last, because a name depends
// on all others of its scope.
func (l *loader) run() {
	info := l.root.get("info")
	l.api = &API{
		Package:     l.options.Package,
		Interface:   l.options.Interface,
		Title:       info.get("title").text(),
		Version:     info.get("version").text(),
		Description: info.get("description").text(),
		Servers:     l.servers(),
	}
	var found source.Diagnostics
	l.defined, found = annotation.DecodeRoot(l.root.node, l.root.docs.At(l.root.file))
	l.found = append(l.found, found...)
	for _, name := range []string{"info", "paths", "components"} {
		l.refuseAnnotations(name, l.root.get(name))
	}
	l.api.Upstream = l.upstream()
	l.ignoreWebhooks()
	for _, selected := range l.selected() {
		l.operationOrFault(selected)
	}
	l.unreferenced()
	l.breakCycles()
	l.finishUnions()
	l.paginate()
	l.nameAll()
	l.bindKeys()
	l.fake()
	l.unusedOptions()
}

// refuse reports what cannot be generated.
func (l *loader) refuse(at cursor, fix, format string, args ...any) {
	if l.late && fix == orTypeless {
		fix = orUnasked
	}
	l.found = append(l.found, source.Diagnostic{Pos: at.pos(), Message: line(format, args...), Fix: fix})
}

// refuseOption reports what the user has asked for and cannot have.
func (l *loader) refuseOption(option, fix, format string, args ...any) {
	l.found = append(l.found, source.Diagnostic{Pos: l.options.Places[option], Message: line(format, args...), Fix: fix})
}

// note reports what is left out or changed, and does no harm.
func (l *loader) note(at cursor, fix, format string, args ...any) {
	l.notes = append(l.notes, source.Diagnostic{Pos: at.pos(), Message: line(format, args...), Fix: fix})
}

// line is a message of one line, whatever it quotes of the document: the lines of a
// report are ours.
func line(format string, args ...any) string {
	return strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
}

// noteOnce is note for what documents have everywhere: it reports the first
// place of it.
func (l *loader) noteOnce(at cursor, fix, message string) {
	if have, ok := l.once[message]; !ok || at.pos().Compare(have.Pos) < 0 {
		l.once[message] = source.Diagnostic{Pos: at.pos(), Message: message, Fix: fix}
	}
}

// ways out of what is refused.
const (
	orExclude  = "exclude the operations that use it"
	orTypeless = "exclude the operations that use it, or give the schema a Go type (types)"
	orUnasked  = "give the schema a Go type (types), or leave out what no operation uses (all-schemas: false)"
)

// ignoreWebhooks notes the parts of a document that describe no calls of a
// client.
func (l *loader) ignoreWebhooks() {
	if hooks := l.root.get("webhooks"); hooks.exists() {
		l.note(hooks, "", "webhooks are ignored: they are not calls of a client")
	}
}
