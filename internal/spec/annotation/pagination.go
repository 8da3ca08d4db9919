package annotation

import (
	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Pagination is x-pagination: how one page leads to the next. One of Cursor,
// Offset, Page and Link is Set.
type Pagination struct {
	Set     bool
	Foreign bool // in the words of another tool: no more than Pos is known
	Pos     source.Pos
	Cursor  Field[string] // the parameter, or body field, that takes the cursor of a page
	Next    Field[string] // where a response has the cursor of the next page
	Offset  Field[string] // the parameter that counts items
	Page    Field[string] // the parameter that counts pages
	Link    Field[bool]   // the response's header has a link to the next page
	Items   Field[string] // where a response has its items
	More    Field[string] // where a response says whether more follow
}

// pagination decodes x-pagination.
func (d *decoder) pagination(into *Pagination) field {
	const parameter, path = "the name of a parameter", "a path into the response, such as meta.next"
	members := fields{
		"cursor": nonEmpty(d, &into.Cursor, parameter).is("What asks for a page by its cursor, beside next", ""),
		"next":   nonEmpty(d, &into.Next, path).is("Where a response has the cursor of the next page", ""),
		"offset": nonEmpty(d, &into.Offset, parameter).is("What asks for a page by the number of items before it", ""),
		"page":   nonEmpty(d, &into.Page, parameter).is("What asks for a page by its number", ""),
		"link":   d.onlyTrue(&into.Link).is("The header Link has the next page", ""),
		"items":  nonEmpty(d, &into.Items, path).is("Where a response has its items", "the response itself"),
		"more":   nonEmpty(d, &into.More, path).is("Where a response says whether more pages follow", ""),
	}
	decodeMapping := d.mapping(members).decode
	return field{schema: paginationSchema(members), decode: func(name string, key, value *yaml.Node) {
		if foreign(value) {
			*into = Pagination{Foreign: true, Pos: d.at(key)}
			return
		}
		before := len(d.found)
		decodeMapping(name, key, value)
		if len(d.found) == before {
			d.checkPagination(name, key, into)
		}
		into.Set, into.Pos = len(d.found) == before, d.at(key)
	}}
}

// paginationSchema leaves a mapping alone that has no word of ours: it is foreign.
func paginationSchema(members fields) *jsonschema.Schema {
	names := jsonschema.Words(members.names()...)
	return &jsonschema.Schema{
		Type:       "object",
		Properties: members.schemas(),
		If:         &jsonschema.Schema{MinProperties: 1, PropertyNames: &jsonschema.Schema{Not: names}},
		Else: &jsonschema.Schema{
			PropertyNames: names,
			OneOf:         []*jsonschema.Schema{jsonschema.Needs("cursor", "next"), jsonschema.Needs("offset"), jsonschema.Needs("page"), jsonschema.Needs("link")},
			Dependencies: map[string]*jsonschema.Schema{
				"cursor": jsonschema.Needs("next"),
				"next":   jsonschema.Needs("cursor"),
				"more":   {Not: jsonschema.Needs("link")},
			},
		},
	}
}

var paginationWords = []string{"cursor", "items", "link", "more", "next", "offset", "page"}

// foreign reports whether x-pagination is that of another tool, which has used the
// name before: a mapping without any word of ours, or one that looks like it.
func foreign(value *yaml.Node) bool {
	members := 0
	for key := range source.Members(value) {
		if _, near := source.Nearest(key.Value, paginationWords); near {
			return false
		}
		members++
	}
	return members > 0
}

// checkPagination checks the values that depend on each other.
func (d *decoder) checkPagination(name string, key *yaml.Node, p *Pagination) {
	kinds := 0
	for _, set := range []bool{p.Cursor.Set, p.Offset.Set, p.Page.Set, p.Link.Set} {
		if set {
			kinds++
		}
	}
	const choose = "choose one of them"
	switch {
	case kinds == 0:
		d.report(key, RuleInvalidValue, choose, "%s has none of cursor, offset, page and link", name)
	case kinds > 1:
		d.report(key, RuleInvalidValue, choose, "%s has several of cursor, offset, page and link", name)
	case p.Cursor.Set && !p.Next.Set:
		d.report(key, RuleInvalidValue, "write next: and the path to it", "%s.cursor needs next, where a response has the cursor of the next page", name)
	case !p.Cursor.Set && p.Next.Set:
		d.reportAt(p.Next.Pos, RuleInvalidValue, "remove it", "%s.next has no effect without cursor", name)
	case p.Link.Set && p.More.Set:
		d.reportAt(p.More.Pos, RuleInvalidValue, "remove it", "%s.more has no effect beside link: the last page has no link", name)
	}
}

// nonEmpty decodes a text that is not empty.
func nonEmpty(d *decoder, into *Field[string], expected string) field {
	schema := &jsonschema.Schema{Type: "string", MinLength: 1}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if !isString(value) || value.Value == "" {
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, value.Value)
	}}
}

// onlyTrue decodes what is chosen by being there.
func (d *decoder) onlyTrue(into *Field[bool]) field {
	const expected = "true, or no link at all"
	schema := &jsonschema.Schema{Type: "boolean", Enum: []any{true}}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		var flag Field[bool]
		if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" {
			boolean(d, &flag).decode(name, key, value)
		}
		if !flag.Value {
			d.wrong(name, value, expected)
			return
		}
		*into = flag
	}}
}
