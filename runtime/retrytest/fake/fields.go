package fake

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// fields are the names and values of a query, a form or cookies, in their order:
// names are decoded, values are as they were sent, so that a separator is told
// from one inside a value.
type fields struct {
	list  []property
	known []string // names of parameters that were asked for
}

func parseFields(encoded, separator string) (f fields) {
	for part := range strings.SplitSeq(encoded, separator) {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		f.list = append(f.list, property{unescaped(name), value})
	}
	return f
}

// unescaped is s as it was before it was encoded; what is no encoding stays.
func unescaped(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// all are the values of a name, as they were sent.
func (f *fields) all(name string) (values []string) {
	for _, p := range f.list {
		if p.name == name {
			values = append(values, p.text)
		}
	}
	return values
}

var errAbsent = errors.New("absent")

// json is the value of a name that is written in a style, as JSON of a type.
func (f *fields) json(name string, style wire.Style, t reflect.Type) (json.RawMessage, error) {
	f.known = append(f.known, name)
	s, t := shapeOf(t)
	values := f.all(name)
	switch {
	case style == wire.DeepObject && len(values) == 0:
		return f.deep(name, t)
	case style == wire.FormExplode && s == object:
		return f.exploded(t)
	case len(values) == 0:
		return nil, errAbsent
	case style == wire.JSON:
		return json.RawMessage(unescaped(values[0])), nil
	case s == scalar, s == object && style == wire.DeepObject:
		return leaf(t, unescaped(values[0])), nil
	case style == wire.FormExplode || style == wire.DeepObject:
		return array(t, mapped(values, unescaped)), nil
	}
	texts := separated(values[0], style)
	if s == object {
		return structure(t, inTurn(texts)), nil
	}
	return array(t, texts), nil
}

// separated are the items of a list that is one value.
func separated(value string, style wire.Style) []string {
	switch style {
	case wire.SpaceDelimited: // the separator is encoded, too
		return strings.Split(unescaped(value), " ")
	case wire.PipeDelimited:
		return strings.Split(unescaped(value), "|")
	}
	return mapped(strings.Split(value, ","), unescaped)
}

func mapped(texts []string, f func(string) string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = f(text)
	}
	return out
}

func (f *fields) deep(name string, t reflect.Type) (json.RawMessage, error) {
	var root tree
	for _, p := range f.list {
		if path, ok := deepPath(name, p.name); ok {
			f.known = append(f.known, p.name)
			root.put(path, unescaped(p.text))
		}
	}
	if root.inner == nil {
		return nil, errAbsent
	}
	return root.json(t), nil
}

// exploded gathers an object whose properties are names of their own. One that
// takes any property gets those that no other parameter has.
func (f *fields) exploded(t reflect.Type) (json.RawMessage, error) {
	declared := properties(t)
	var pairs []property
	for _, p := range f.list {
		if slices.Contains(declared, p.name) || takesOthers(t) && !slices.Contains(f.known, p.name) {
			pairs = append(pairs, property{p.name, unescaped(p.text)})
		}
	}
	if pairs == nil {
		return nil, errAbsent
	}
	return structure(t, pairs), nil
}
