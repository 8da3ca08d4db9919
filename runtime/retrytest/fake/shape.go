package fake

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// shape is how a style takes a value apart.
type shape uint8

const (
	scalar shape = iota // one text
	list
	object
)

var (
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	wirePath  = reflect.TypeFor[wire.Date]().PkgPath()
)

// shapeOf is the shape of a type, and the type without what may wrap it. What
// decodes itself is one text: what its JSON looks like is its own business.
func shapeOf(t reflect.Type) (shape, reflect.Type) {
	t = unwrapped(t)
	_, open := extraOf(t)
	itself := reflect.PointerTo(t).Implements(readsText) || reflect.PointerTo(t).Implements(readsJSON)
	switch k := t.Kind(); {
	case itself && !open:
		return scalar, t
	case k == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return list, t
	case k == reflect.Struct, k == reflect.Map:
		return object, t
	}
	return scalar, t
}

// unwrapped is what pointers and wire.Nullable hold.
func unwrapped(t reflect.Type) reflect.Type {
	for {
		switch {
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		case t.PkgPath() == wirePath && strings.HasPrefix(t.Name(), "Nullable["):
			get, _ := t.MethodByName("Get")
			t = get.Type.Out(0)
		default:
			return t
		}
	}
}

// member is the type of a property of an object; false if it has none of this
// name.
func member(t reflect.Type, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for _, f := range reflect.VisibleFields(t) {
		if tag, ok := propertyName(f); ok && tag == name {
			return f.Type, true
		}
	}
	if extra, ok := extraOf(t); ok {
		return extra.Type.Elem(), true
	}
	return nil, false
}

// properties are the declared properties of an object. A map has none.
func properties(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, ok := propertyName(f); ok {
			names = append(names, name)
		}
	}
	return names
}

func propertyName(f reflect.StructField) (name string, ok bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || f.Anonymous || tag == "-" {
		return "", false
	}
	name, _, _ = strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, true
}

// takesOthers reports whether an object takes properties that are not declared.
func takesOthers(t reflect.Type) bool {
	_, open := extraOf(t)
	return open || t.Kind() == reflect.Map
}

// extraOf is the field that holds additional properties.
func extraOf(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if f.Tag.Get("wire") == "extra" {
				return f, true
			}
		}
	}
	return reflect.StructField{}, false
}
