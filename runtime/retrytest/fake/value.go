package fake

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// A parameter is what its JSON says, written in another way. So what arrives is
// turned into that JSON, led by the type that it shall become, and decoded as any
// JSON is.

// property is a name and a value of an object, as they were written.
type property struct{ name, text string }

// leaf is the JSON of one text: of a scalar, or of what a style could not nest and
// wrote as JSON.
func leaf(t reflect.Type, text string) json.RawMessage {
	s, t := shapeOf(t)
	verbatim := json.Valid([]byte(text))
	switch {
	case s != scalar && verbatim:
		return json.RawMessage(text)
	case text == "" && t.Kind() != reflect.String:
		return json.RawMessage("null")
	case t.Kind() == reflect.String, t.Kind() == reflect.Slice, reflect.PointerTo(t).Implements(readsText), !verbatim:
		return quoted(text)
	}
	return json.RawMessage(text)
}

func quoted(text string) json.RawMessage {
	data, _ := json.Marshal(text)
	return data
}

// array is the JSON of a list.
func array(t reflect.Type, texts []string) json.RawMessage {
	items := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		items[i] = leaf(t.Elem(), text)
	}
	return joined('[', items, ']')
}

// structure is the JSON of an object. What the type does not know is left out.
func structure(t reflect.Type, pairs []property) json.RawMessage {
	var members []json.RawMessage
	for _, p := range pairs {
		if inner, ok := member(t, p.name); ok {
			members = append(members, slices.Concat(quoted(p.name), []byte(":"), leaf(inner, p.text)))
		}
	}
	return joined('{', members, '}')
}

func joined(open byte, parts []json.RawMessage, end byte) json.RawMessage {
	b := []byte{open}
	for i, part := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, part...)
	}
	return append(b, end)
}

// inTurn are names and values in turn.
func inTurn(texts []string) (pairs []property) {
	for i := 0; i+1 < len(texts); i += 2 {
		pairs = append(pairs, property{texts[i], texts[i+1]})
	}
	return pairs
}

// set decodes JSON into what v points to. null is what is not there. What decodes
// itself may want its text in quotes.
func set(v any, data json.RawMessage) error {
	if string(data) == "null" {
		return nil
	}
	err := wire.Unmarshal(data, v)
	if s, _ := shapeOf(reflect.TypeOf(v).Elem()); err != nil && s == scalar && wire.Unmarshal(quoted(string(data)), v) == nil {
		return nil
	}
	return err
}

// tree is what the names of style deepObject make: a[b][0]=c.
type tree struct {
	text  string
	inner map[string]*tree
}

func (n *tree) put(path []string, text string) {
	if len(path) == 0 {
		n.text = text
		return
	}
	if n.inner == nil {
		n.inner = map[string]*tree{}
	}
	if n.inner[path[0]] == nil {
		n.inner[path[0]] = &tree{}
	}
	n.inner[path[0]].put(path[1:], text)
}

// json is the tree as a value of a type.
func (n *tree) json(t reflect.Type) json.RawMessage {
	s, t := shapeOf(t)
	switch {
	case n.inner == nil:
		return leaf(t, n.text)
	case s == list:
		var items []json.RawMessage
		for i := 0; n.inner[strconv.Itoa(i)] != nil; i++ {
			items = append(items, n.inner[strconv.Itoa(i)].json(t.Elem()))
		}
		return joined('[', items, ']')
	}
	var members []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(n.inner)) {
		inner := reflect.TypeFor[any]()
		if s == object {
			known := false
			if inner, known = member(t, name); !known {
				continue
			}
		}
		members = append(members, slices.Concat(quoted(name), []byte(":"), n.inner[name].json(inner)))
	}
	return joined('{', members, '}')
}

// deepPath are the names in name[a][b], below name.
func deepPath(name, key string) (path []string, ok bool) {
	rest, ok := strings.CutPrefix(key, name+"[")
	if !ok || !strings.HasSuffix(rest, "]") {
		return nil, false
	}
	return strings.Split(strings.TrimSuffix(rest, "]"), "]["), true
}

// mayBeAbsent reports whether nothing is a value of what v points to: an object
// without properties looks like none, too.
func mayBeAbsent(v any) bool {
	t := reflect.TypeOf(v).Elem()
	s, inner := shapeOf(t)
	return s != scalar || t != inner || t.Kind() == reflect.Interface || t.Kind() == reflect.Slice
}
