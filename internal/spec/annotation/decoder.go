package annotation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// The kinds of mistakes in annotations.
const (
	RuleUnknownAnnotation   = "unknown-annotation"
	RuleMisplacedAnnotation = "misplaced-annotation"
	RuleInvalidValue        = "invalid-value"
	RulePermitsMore         = "permits-more"
	RuleKeyTemplate         = "key-template"
)

// decoder collects what is wrong while values are decoded into their fields.
type decoder struct {
	at    func(*yaml.Node) source.Pos
	found source.Diagnostics
}

// decode reads one value. name is what the user would call it, "x-retry.backoff".
type decode func(name string, key, value *yaml.Node)

// field is one member of a mapping: how its value is read, and what editors know
// of it.
type field struct {
	decode   decode
	expected string // what a value is, in words; "" of a mapping
	schema   *jsonschema.Schema
}

// is says what the field means, and what holds without it.
func (f field) is(meaning, standard string) field {
	text := meaning
	if f.expected != "" {
		text += ": " + f.expected
	}
	if standard != "" {
		text += ". Default " + standard
	}
	f.schema = f.schema.Described(text + ".")
	return f
}

// fields are the members that a mapping may have.
type fields map[string]field

func (f fields) names() []string { return slices.Sorted(maps.Keys(f)) }

func (f fields) schemas() map[string]*jsonschema.Schema {
	schemas := make(map[string]*jsonschema.Schema, len(f))
	for name, field := range f {
		schemas[name] = field.schema
	}
	return schemas
}

func (d *decoder) report(node *yaml.Node, rule, fix, format string, args ...any) {
	d.reportAt(d.at(node), rule, fix, format, args...)
}

func (d *decoder) reportAt(pos source.Pos, rule, fix, format string, args ...any) {
	d.found = append(d.found, source.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...), Fix: fix, Rule: rule})
}

// wrong reports a value that is not what is expected of it.
func (d *decoder) wrong(name string, value *yaml.Node, expected string) {
	d.report(value, RuleInvalidValue, "", "%s is %s; expected %s", name, shown(value), expected)
}

// shown is a value as a message can show it.
func shown(value *yaml.Node) string {
	const most = 40
	switch {
	case value.Kind != yaml.ScalarNode, value.ShortTag() == "!!null":
		return source.KindName(value)
	case len(value.Value) > most:
		return fmt.Sprintf("%q...", value.Value[:most])
	case value.ShortTag() == "!!str":
		return fmt.Sprintf("the string %q", value.Value)
	}
	return value.Value
}

// mapping decodes a value whose members are all known.
func (d *decoder) mapping(members fields) field {
	return field{schema: jsonschema.Closed(members.schemas()), decode: func(name string, _, value *yaml.Node) {
		if value.Kind != yaml.MappingNode {
			d.wrong(name, value, "a mapping of "+strings.Join(members.names(), ", "))
			return
		}
		for key, value := range source.Members(value) {
			if field, ok := members[key.Value]; ok {
				field.decode(name+"."+key.Value, key, value)
				continue
			}
			d.report(key, RuleUnknownAnnotation, source.DidYouMean(key.Value, members.names(), ""), "unknown key %q in %s; expected one of %s", key.Value, name, strings.Join(members.names(), ", "))
		}
	}}
}

// boolean decodes true or false.
func boolean(d *decoder, into *Field[bool]) field {
	const expected = "true or false"
	return field{expected: expected, schema: &jsonschema.Schema{Type: "boolean"}, decode: func(name string, key, value *yaml.Node) {
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!bool" {
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, strings.EqualFold(value.Value, "true"))
	}}
}

// word decodes one of several words.
func word(d *decoder, into *Field[string], known ...string) field {
	expected := strings.Join(known, " or ")
	return field{expected: expected, schema: jsonschema.Words(known...), decode: func(name string, key, value *yaml.Node) {
		if !isString(value) || !slices.Contains(known, value.Value) {
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, value.Value)
	}}
}

func set[T any](d *decoder, into *Field[T], key *yaml.Node, value T) {
	*into = Field[T]{Value: value, Set: true, Pos: d.at(key)}
}

func isString(value *yaml.Node) bool {
	return value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str"
}
