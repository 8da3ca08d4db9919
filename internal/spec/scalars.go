package spec

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

const wireImport = "github.com/retrygen/retrygen/runtime/wire"

// scalar fills a string, a number or a boolean, or an enum of them.
func (l *loader) scalar(n *named, s *shape, kind string) {
	t := n.typ
	t.Kind = Primitive
	t.Go, t.Import = primitive(kind, s.format)
	if own := l.chosen("formats", l.options.Formats, s.format, s.at); own != nil && !s.hasEnum {
		pos, about := t.Pos, t.Description
		*t = *own
		t.Pos, t.Description = pos, about
		return
	}
	if s.hasEnum && kind == "string" {
		t.Go, t.Import = "string", "" // an enum of dates is text
	}
	if !s.hasEnum {
		return
	}
	if kind != "string" && kind != "integer" && len(s.enum) != 1 {
		l.note(s.at, "", "an enum of type %s has no constants", kind)
		return
	}
	l.enum(n, s, kind)
}

// enum lists the values of an enum.
func (l *loader) enum(n *named, s *shape, kind string) {
	t := n.typ
	seen := map[string]bool{}
	all := true
	for i, node := range s.enum {
		literal, ok := literal(kind, t.Go, node)
		if !ok {
			l.note(s.at, "correct the value", "the enum value %q is no %s: it has no constant", node.Value, t.Go)
			all = false
			continue
		}
		if seen[literal] {
			l.note(s.at, "remove one", "the enum has the value %s twice", literal)
			continue
		}
		seen[literal] = true
		value := &EnumValue{Name: Name{Wire: node.Value}, Literal: literal}
		if s.valueTexts != nil {
			value.Description = s.valueTexts[i]
		}
		t.Values = append(t.Values, value)
		if s.varnames != nil {
			n.varnames = append(n.varnames, s.varnames[i])
		}
	}
	if len(t.Values) > 0 {
		t.Kind = Enum
	}
	if all && len(t.Values) == 1 && t.Values[0].Literal != zeroLiterals[kind] {
		t.Constant = t.Values[0]
	}
}

// zeroLiterals are the zero values of Go's types, as literal writes them.
var zeroLiterals = map[string]string{"string": `""`, "integer": "0", "number": "0", "boolean": "false"}

// primitive is the Go type of a type and format.
func primitive(kind, format string) (goType, imported string) {
	switch kind {
	case "boolean":
		return "bool", ""
	case "integer":
		switch format {
		case "int32", "uint32", "uint64":
			return format, ""
		}
		return "int64", ""
	case "number":
		if format == "float" {
			return "float32", ""
		}
		return "float64", ""
	}
	switch format {
	case "date-time":
		return "Time", "time"
	case "date":
		return "Date", wireImport
	case "byte":
		return "[]byte", ""
	}
	return "string", ""
}

// literal is an enum value as Go writes it.
func literal(kind, goType string, node *yaml.Node) (string, bool) {
	if node.Kind != yaml.ScalarNode {
		return "", false
	}
	switch kind {
	case "string":
		return strconv.Quote(node.Value), true
	case "boolean":
		value, err := strconv.ParseBool(node.Value)
		return strconv.FormatBool(value), err == nil && node.ShortTag() == "!!bool"
	case "number":
		value, ok := decimal(node.Value)
		if !ok || !finite(node.Value, goType) {
			return "", false
		}
		return number(value, node.Value), true
	}
	bits := 64
	if goType == "int32" || goType == "uint32" {
		bits = 32
	}
	if goType[0] == 'u' {
		n, err := strconv.ParseUint(node.Value, 10, bits)
		return strconv.FormatUint(n, 10), err == nil
	}
	n, err := strconv.ParseInt(node.Value, 10, bits)
	return strconv.FormatInt(n, 10), err == nil
}

// kindTags are the YAML tags of the values of a type.
var kindTags = map[string][]string{
	"string": {"!!str", "!!timestamp"}, "integer": {"!!int"}, "number": {"!!int", "!!float"}, "boolean": {"!!bool"},
	"array": {"!!seq"}, "object": {"!!map"},
}

// valuesOf are the values of an enum that are of a type.
func (s *shape) valuesOf(kind string) []*yaml.Node {
	return slices.DeleteFunc(slices.Clone(s.enum), func(value *yaml.Node) bool {
		return !slices.Contains(kindTags[kind], value.ShortTag())
	})
}

// possible are the types that a value can have: of several types, those of which the
// enum has values.
func (s *shape) possible() []string {
	if len(s.types) < 2 || len(s.enum) == 0 {
		return s.types
	}
	return slices.DeleteFunc(slices.Clone(s.types), func(kind string) bool { return len(s.valuesOf(kind)) == 0 })
}

// enumKind is the type of an enum that writes none.
func (s *shape) enumKind() string {
	kind := ""
	for _, node := range s.enum {
		this := ""
		switch {
		case node.Kind != yaml.ScalarNode:
			return ""
		case node.ShortTag() == "!!str":
			this = "string"
		case node.ShortTag() == "!!int":
			this = "integer"
		case node.ShortTag() == "!!float":
			this = "number"
		case node.ShortTag() == "!!bool":
			this = "boolean"
		}
		if kind != "" && kind != this {
			return ""
		}
		kind = this
	}
	return kind
}
