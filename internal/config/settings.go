package config

import (
	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
)

// setting is one key of a mapping: what takes its value, and what editors know of
// it.
type setting struct {
	key    string
	schema *jsonschema.Schema
	take   reader
}

// reader reads a value that the user would call by this name.
type reader func(d *decoder, node *yaml.Node, name string)

// settings are all keys that there are.
func settings(c *Config) []setting {
	return []setting{
		set("spec", &c.Spec, document, "The OpenAPI document: 3.0 to 3.2 or Swagger 2.0, a file relative to this one. It must be there."),
		set("overlays", &c.Overlays, listOf(document), "OpenAPI overlays, files that are applied to the document in this order. Default none."),
		set("roots", &c.Roots, listOf(location), "Folders that $ref may reach. Default the document's own folder alone."),
		set("package", &c.Package, packageName, "The name of the Go package. Default that of the Go files in output, else of the folder."),
		set("output", &c.Output, location, "The folder of the package, relative to this file. Default the folder of this file."),
		set("include", &c.Include, selection, "The operations that are generated: one match is enough. Default all."),
		set("exclude", &c.Exclude, selection, "The operations that are left out, also where include has them. Default none."),
		set("names", &c.Names, words, "Go names of schemas, operations and, as Schema.property, properties. Default derived from the document's names."),
		set("types", &c.Types, words, "Go types of schemas, as import path and name, such as github.com/shopspring/decimal.Decimal. Default generated."),
		set("formats", &c.Formats, words, "Go types of formats such as uuid, as import path and name."),
		set("content-types", &c.ContentTypes, choice("distinct", "all", "preferred"),
			"Which content types of an operation have a method: those that say something else than the preferred one, all, or the preferred one alone. Default distinct."),
		set("on-ambiguous", &c.OnAmbiguous, required, "Each method that can end ambiguous takes an argument that says what becomes of it. Default as the document says."),
		set("interface", &c.Interface, exported, "The name of an interface with the client's methods. Default no interface."),
		set("file-per-tag", &c.ByTag, boolean, "Operations of each first tag in a file of their own. Default false."),
		set("all-schemas", &c.AllSchemas, saidBoolean, "The schemas that no operation uses, too. Default false, or with types-only and no selection true."),
		set("contract-document", &c.Contract, boolean, "CONTRACT.md beside the client: what is repeated, a line per operation. Default false."),
		set("fake", &c.Fake, boolean, "A package that fakes the API for tests. Default false."),
		set("types-only", &c.TypesOnly, boolean, "Models alone, no client. Default false."),
	}
}

func (s *Selection) settings() []setting {
	return []setting{
		set("tags", &s.Tags, listOf(text), "Tags of operations."),
		set("paths", &s.Paths, listOf(text), "Patterns of paths: * is one segment, ** any number."),
		set("operations", &s.Operations, listOf(text), "Operation ids, also written GET /path."),
	}
}

// Schema is what a configuration may hold, as JSON Schema: it refuses no
// configuration that [Decode] reads.
func Schema() *jsonschema.Schema {
	s := closed(settings(new(Config)))
	s.Dialect, s.Title, s.Required = jsonschema.Draft, FileName, []string{"spec"}
	return s
}

func closed(settings []setting) *jsonschema.Schema {
	members := map[string]*jsonschema.Schema{}
	for _, s := range settings {
		members[s.key] = s.schema
	}
	return jsonschema.Closed(members)
}

// set is the setting of a field.
func set[T any](key string, into *T, k kind[T], about string) setting {
	return setting{key, k.schema.Described(about), func(d *decoder, node *yaml.Node, name string) {
		*into = k.read(d, node, name)
	}}
}

// kind is a kind of values.
type kind[T any] struct {
	schema *jsonschema.Schema
	read   func(d *decoder, node *yaml.Node, name string) T
}

// The patterns permit more than Go's grammar, which ECMAScript cannot express.
var (
	text        = kind[string]{&jsonschema.Schema{Type: "string", MinLength: 1}, (*decoder).text}
	location    = kind[string]{text.schema, (*decoder).path}
	document    = kind[string]{&jsonschema.Schema{Type: "string", MinLength: 1, Not: &jsonschema.Schema{Pattern: "://"}}, (*decoder).document}
	packageName = kind[string]{&jsonschema.Schema{Type: "string", Pattern: `^[^\s0-9./-][^\s./-]*$`}, (*decoder).packageName}
	exported    = kind[string]{&jsonschema.Schema{Type: "string", Pattern: `^[^\s0-9a-z_./-][^\s./-]*$`}, (*decoder).exported}
	boolean     = kind[bool]{&jsonschema.Schema{Type: "boolean"}, (*decoder).boolean}
	words       = kind[map[string]string]{&jsonschema.Schema{Type: "object", AdditionalProperties: text.schema, MinProperties: 1}, (*decoder).words}
)

// saidBoolean is nil where nothing is said.
var saidBoolean = kind[*bool]{boolean.schema, func(d *decoder, node *yaml.Node, name string) *bool {
	return new(d.boolean(node, name))
}}

// required is the one word that a key can have.
var required = kind[bool]{jsonschema.Words("required"), func(d *decoder, node *yaml.Node, name string) bool {
	return d.choice(node, name, "required") == "required"
}}

var selection = kind[Selection]{
	filled(closed(new(Selection).settings())),
	func(d *decoder, node *yaml.Node, name string) (s Selection) {
		d.mapping(node, name, s.settings())
		return s
	},
}

func choice(words ...string) kind[string] {
	return kind[string]{jsonschema.Words(words...), func(d *decoder, node *yaml.Node, name string) string {
		return d.choice(node, name, words...)
	}}
}

func listOf(item kind[string]) kind[[]string] {
	return kind[[]string]{
		&jsonschema.Schema{Type: "array", Items: item.schema, MinItems: 1},
		func(d *decoder, node *yaml.Node, name string) []string { return d.list(node, name, item.read) },
	}
}

// filled is a mapping that holds something.
func filled(s *jsonschema.Schema) *jsonschema.Schema {
	s.MinProperties = 1
	return s
}
