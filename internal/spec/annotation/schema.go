package annotation

import (
	"maps"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Schema is what documents and overlays may hold of annotations, as JSON Schema. It
// refuses no annotation that is decoded without a mistake, and says nothing of the
// rest of a document.
func Schema() *jsonschema.Schema {
	d := new(decoder)
	root, operation, body := d.root(new(Root)), d.operation(new(Operation)), d.body(new(Field[string]))

	annotations := root.schemas()
	maps.Copy(annotations, operation.schemas())
	maps.Copy(annotations, body.schemas())

	definitions := maps.Clone(annotations)
	maps.Copy(definitions, map[string]*jsonschema.Schema{
		"document":     annotated(root, members{"paths": "paths", "components": "components"}),
		"overlay":      overlay(),
		"fragment":     fragment(annotations),
		"components":   components(),
		"paths":        {PatternProperties: map[string]*jsonschema.Schema{"^/": jsonschema.Definition("path-item")}},
		"path-item":    annotated(fields{}, operations()),
		"operation":    annotated(operation, members{"requestBody": "request-body"}),
		"request-body": withNamed(annotated(body, nil), "content", "media-type"),
		"media-type":   annotated(body, members{"schema": "schema"}),
		"schema":       subschemas(nil),
		"property":     subschemas(body),
	})
	return &jsonschema.Schema{
		Dialect:     jsonschema.Draft,
		Title:       "Annotations of OpenAPI documents and overlays",
		Type:        "object",
		Definitions: definitions,
		If:          jsonschema.Needs("overlay"),
		Then:        jsonschema.Definition("overlay"),
		Else: &jsonschema.Schema{
			If:   &jsonschema.Schema{AnyOf: []*jsonschema.Schema{jsonschema.Needs("openapi"), jsonschema.Needs("swagger")}},
			Then: jsonschema.Definition("document"),
			Else: jsonschema.Definition("fragment"),
		},
	}
}

// members are those of an element that lead to annotations, and what they are.
type members map[string]string

func (m members) schemas() map[string]*jsonschema.Schema {
	schemas := map[string]*jsonschema.Schema{}
	for name, definition := range m {
		schemas[name] = jsonschema.Definition(definition)
	}
	return schemas
}

// annotated is an element that has these annotations and no others. Of x-pagination elsewhere only another
// tool's is permitted, which is not worth a schema.
func annotated(known fields, below members) *jsonschema.Schema {
	properties := below.schemas()
	for name := range homes {
		switch _, ok := known[name]; {
		case ok:
			properties[name] = jsonschema.Definition(name)
		case name != KeyPagination:
			properties[name] = jsonschema.Never
		}
	}
	return &jsonschema.Schema{Properties: properties}
}

// withNamed adds a member that is a map of names.
func withNamed(s *jsonschema.Schema, member, definition string) *jsonschema.Schema {
	s.Properties[member] = &jsonschema.Schema{AdditionalProperties: jsonschema.Definition(definition)}
	return s
}

func operations() members {
	operations := members{}
	for _, method := range source.Methods {
		operations[method] = "operation"
	}
	return operations
}

func components() *jsonschema.Schema {
	s := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
	withNamed(s, "pathItems", "path-item")
	withNamed(s, "requestBodies", "request-body")
	return withNamed(s, "schemas", "schema")
}

// subschemas is a schema with these annotations.
func subschemas(own fields) *jsonschema.Schema {
	s := &jsonschema.Schema{Properties: members{"items": "schema"}.schemas()}
	for name := range own {
		s.Properties[name] = jsonschema.Definition(name)
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		s.Properties[name] = &jsonschema.Schema{Items: jsonschema.Definition("schema")}
	}
	return withNamed(s, "properties", "property")
}

func overlay() *jsonschema.Schema {
	action := &jsonschema.Schema{Properties: members{"update": "fragment"}.schemas()}
	return &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"actions": {Items: action}}}
}

// fragment is an update, or a file that is referred to: an element of any kind.
func fragment(annotations map[string]*jsonschema.Schema) *jsonschema.Schema {
	below := operations()
	maps.Copy(below, members{"paths": "paths", "components": "components", "requestBody": "request-body"})
	for name := range annotations {
		below[name] = name
	}
	return &jsonschema.Schema{
		Properties:        below.schemas(),
		PatternProperties: map[string]*jsonschema.Schema{"^/": jsonschema.Definition("path-item")},
	}
}
