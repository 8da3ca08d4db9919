package spec

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// object fills a struct, or a map where a schema has no properties.
func (l *loader) object(n *named, s *shape) {
	t := n.typ
	if len(s.props) == 0 {
		l.freeMap(n, s)
		return
	}
	t.Kind = Struct
	if discriminator := s.at.get("discriminator"); discriminator.exists() {
		l.note(discriminator, "", "the discriminator is ignored: values of all subtypes are read as this type, without their own properties")
	}
	for _, p := range s.ordered() {
		if f := l.field(n, s, p); f != nil {
			t.Fields = append(t.Fields, f)
			n.fields = append(n.fields, p.schemas[0])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.required)) {
		if _, known := s.index[name]; !known && !s.closed && taggable(name) {
			t.Fields = append(t.Fields, l.undescribed(s, name))
			n.fields = append(n.fields, s.at)
		}
	}
	switch {
	case len(s.extra) > 0:
		t.Extra = elem(l.typeOf(s.extra, n.inner("Value")))
	case s.free && !s.closed:
		t.Extra = &Ref{Type: anyType}
	}
}

// undescribed is a property that is required and nothing else: it can be sent, and
// a response that lacks it is no failure.
func (l *loader) undescribed(s *shape, name string) *Field {
	l.note(s.at, "describe it under properties", "property %q is required, but not described: it can be anything", name)
	return &Field{Name: Name{Wire: name}, Type: &Ref{Type: anyType}, Pos: s.at.pos()}
}

// freeMap is an object without known properties.
func (l *loader) freeMap(n *named, s *shape) {
	t := n.typ
	if s.closed && len(s.extra) == 0 { // nothing is permitted in it
		t.Kind = Struct
		return
	}
	t.Kind = Map
	t.Elem = &Ref{Type: anyType}
	if len(s.extra) > 0 {
		t.Elem = elem(l.typeOf(s.extra, n.inner("Value")))
	}
}

// field is one property of a struct.
func (l *loader) field(n *named, s *shape, p *prop) *Field {
	at := p.schemas[0]
	if !taggable(p.name) {
		if s.required[p.name] {
			l.refuse(at, orTypeless, "a struct tag of Go cannot hold the name of property %q", p.name)
		} else {
			l.note(at, "", "property %q is left out: a struct tag of Go cannot hold its name", p.name)
		}
		return nil
	}
	u := l.typeOf(p.schemas, n.inner(p.name))
	f := &Field{
		Name:        Name{Wire: p.name},
		ReadOnly:    u.about.readOnly,
		WriteOnly:   u.about.writeOnly,
		Required:    s.required[p.name] && !u.about.readOnly && !u.about.writeOnly,
		Description: u.about.description,
		Deprecated:  u.about.deprecated,
		Default:     u.about.fallback,
		Tags:        l.extraTags(at),
		Pos:         at.pos(),
	}
	f.Type = l.withoutPointer(held(u, f.Required), f.Required, at)
	return f
}

// held is how a struct holds a property: a property that may be absent is a
// pointer, one that may be null is too, and one that may be both is Nullable.
func held(u use, required bool) *Ref {
	r := &Ref{Type: u.typ}
	switch {
	case u.typ.Kind == Any:
	case !required && u.nullable:
		r.Form = Nullable
	case nilable(u.typ):
		r.NilIsNull = u.nullable
	case !required || u.nullable:
		r.Form = Pointer
	}
	return r
}

// taggable reports whether encoding/json takes a name from a struct tag.
func taggable(name string) bool {
	if name == "" {
		return false
	}
	for _, char := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", char) && !unicode.IsLetter(char) && !unicode.IsDigit(char) {
			return false
		}
	}
	return true
}

// fileWord is what a file is called without its ending.
func fileWord(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}
