package spec

import (
	"cmp"
	"slices"
	"strings"
)

// use is a type as one place of the document uses it.
type use struct {
	typ      *Type
	nullable bool
	about    about
}

// named is a type that may need a name, and what the name is made of.
type named struct {
	typ       *Type
	needed    bool   // a slice or map that contains itself
	building  bool   // its members are not known yet
	late      bool   // no operation uses it
	component string // its own name in the document, or "" for an inline schema
	suffix    string // tells components of other kinds from schemas
	file      string // of the component
	place     place  // of an inline schema
	id        string
	goName    cursor   // x-go-name
	fields    []cursor // where the fields of a struct are written
	varnames  []string
	at        cursor
}

// place is where an inline schema stands.
type place struct {
	parent *named     // in another type,
	op     *Operation // or in an operation,
	base   string     // or in a part that operations share
	part   string     // where in it: a property's name
}

func (p place) in(part string) place { p.part += " " + part; return p }

// typeOf is the type that schemas describe which all apply; there is mostly one.
func (l *loader) typeOf(schemas []cursor, at place) use {
	if len(schemas) == 1 {
		return l.one(schemas[0], at)
	}
	merged := newShape(schemas[0])
	merged.nullable = true
	var ids []string
	for _, schema := range schemas {
		other := l.shape(schema, nil)
		if other == nil {
			return use{typ: anyType}
		}
		merged.nullable = merged.nullable && other.nullable
		merged.about = merged.about.beside(schema.resolved())
		l.merge(merged, other)
		ids = append(ids, schema.id())
	}
	return l.build(strings.Join(ids, "+"), merged, &named{place: at})
}

// one is the type of one schema. What only wraps another schema (a reference, an
// allOf of one, a nullable oneOf) is a use of that schema's type, not a type.
func (l *loader) one(c cursor, at place) use {
	var u use
	origin := &named{place: at}
	for hops := maxHops; ; hops-- {
		if component, section, ok := componentOf(c); ok {
			origin = &named{component: component, suffix: section, file: c.file}
		}
		next, wraps, nullable := l.unwrap(c)
		u.nullable = u.nullable || nullable
		u.about = outer(u.about, about{}.beside(c))
		if t := l.goTypeOf(c); t != nil {
			u.typ = t
			return u
		}
		if !wraps || hops <= 0 {
			break
		}
		c = next
	}
	if t := l.typeOverride(origin, c); t != nil {
		u.typ = t
		return u
	}
	s := l.shape(c, nil)
	if s == nil {
		return use{typ: anyType}
	}
	built := l.build(c.id(), s, origin)
	u.typ = built.typ
	u.nullable = u.nullable || built.nullable
	u.about = outer(u.about, built.about)
	return u
}

// outer is what is said nearest to the use, completed by what is said further
// in.
func outer(near, far about) about {
	if near.description == "" {
		near.description = far.description
	}
	near.fallback = cmp.Or(near.fallback, far.fallback)
	near.deprecated = nearest(near.deprecated, far.deprecated)
	near.readOnly = near.readOnly || far.readOnly
	near.writeOnly = near.writeOnly || far.writeOnly
	return near
}

// unwrap is the schema that another one only wraps.
func (l *loader) unwrap(c cursor) (inner cursor, wraps, nullable bool) {
	if c.ref() != "" {
		target := c.target(maxHops)
		if !target.exists() || l.since31 && !plain(c, "$ref") {
			return cursor{}, false, false
		}
		return target, true, l.since31 && c.get("nullable").flag()
	}
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		list := c.get(keyword)
		if !list.exists() {
			continue
		}
		if !plain(c, keyword) {
			return cursor{}, false, false
		}
		nullable = c.get("nullable").flag()
		var parts []cursor
		for _, part := range list.items() {
			switch {
			case keyword != "allOf" && onlyNull(part):
				nullable = true
			case keyword == "allOf" && part.ref() == "" && plain(part, ""):
				nullable = nullable || part.get("nullable").flag()
			default:
				parts = append(parts, part)
			}
		}
		if len(parts) != 1 || c.get("type").exists() && parts[0].ref() == "" {
			return cursor{}, false, false
		}
		return parts[0], true, nullable
	}
	return cursor{}, false, false
}

// plain reports whether a schema says nothing about the value, apart from one
// keyword and being nullable.
func plain(c cursor, except string) bool {
	for keyword := range c.members() {
		switch keyword {
		case except, "nullable", "description", "title", "deprecated", "readOnly", "writeOnly", "example", "examples",
			"default", "externalDocs", "xml", "$comment", "discriminator", "summary":
		case "type": // often written beside an allOf that has it anyway
			if except != "allOf" || c.get("type").text() != "object" {
				return false
			}
		default:
			if !strings.HasPrefix(keyword, "x-") {
				return false
			}
		}
	}
	return true
}

// componentOf tells whether a schema has a name of its own.
func componentOf(c cursor) (name, section string, ok bool) {
	parts := strings.Split(c.pointer, "/")
	for i := range parts {
		parts[i] = unescape.Replace(parts[i])
	}
	switch {
	case len(parts) == 4 && parts[1] == "components" && parts[2] == "schemas":
		return parts[3], "", true
	case len(parts) >= 4 && slices.Contains([]string{"$defs", "definitions", "schemas"}, parts[len(parts)-2]):
		return parts[len(parts)-1], "", true
	case c.file != "" && len(parts) <= 2: // a file, or a member of a file, of schemas
		if name := parts[len(parts)-1]; name != "" {
			return name, "", true
		}
		return fileWord(c.file), "", true
	}
	return "", "", false
}

// maxTypeDepth bounds how deep types are followed.
const maxTypeDepth = 5000

// anyType is a value of any type.
var anyType = &Type{Kind: Any, Go: "any"}

// build builds the type of a flattened schema, once.
func (l *loader) build(id string, s *shape, n *named) use {
	u := use{nullable: s.nullable, about: s.about}
	if have := l.types[id]; have != nil {
		if have.building && (have.typ.Kind == Slice || have.typ.Kind == Map) {
			have.needed = true
		}
		u.typ = have.typ
		return u
	}
	if l.depth > maxTypeDepth {
		l.refuse(s.at, orTypeless, "types refer to types more than %d levels deep", maxTypeDepth)
		return use{typ: anyType}
	}
	l.depth++
	defer func() { l.depth-- }()
	n.late = l.late
	n.id, n.at, n.typ = id, s.at, &Type{Description: s.about.description, Deprecated: s.about.deprecated, Pos: s.at.pos()}
	n.goName = s.at.get("x-go-type-name")
	if !n.goName.exists() {
		n.goName = s.at.get("x-go-name")
	}
	u.typ = n.typ
	l.types[id] = n
	l.named = append(l.named, n)
	n.building = true
	l.fill(n, s)
	n.building = false
	return u
}

// fill decides what kind of Go type a schema is, and fills it in.
func (l *loader) fill(n *named, s *shape) {
	t := n.typ
	if s.conflict != "" {
		l.refuse(s.at, orTypeless, "the parts of allOf contradict each other: %s", s.conflict)
		l.any(t)
		return
	}
	if s.disjoint {
		l.note(s.at, "", "the parts of allOf have enums without a common value: the values of all are listed")
	}
	if s.union.exists() {
		l.union(n, s)
		return
	}
	switch kind := s.kind(); kind {
	case "object":
		l.object(n, s)
	case "array":
		l.array(n, s)
	case "string", "integer", "number", "boolean":
		l.scalar(n, s, kind)
	case "":
		l.any(t)
		if len(s.enum) > 0 {
			l.note(s.at, "", "an enum of several types has no constants")
		}
	case mixed:
		l.mixed(n, s)
	default:
		l.note(s.at, "use one of string, number, integer, boolean, object and array", "unknown type %q: the value can be anything", kind)
		l.any(t)
	}
	if !t.Tuple {
		t.Rules = l.rules(t, s)
	}
}

// array fills a slice, or a struct where each item has a schema of its own.
func (l *loader) array(n *named, s *shape) {
	if len(s.prefix) > 0 {
		l.tuple(n, s)
		return
	}
	n.typ.Kind = Slice
	n.typ.Elem = l.itemType(n, s, "Item")
}

// itemType is how an array holds its items.
func (l *loader) itemType(n *named, s *shape, part string) *Ref {
	if len(s.items) == 0 {
		return &Ref{Type: anyType}
	}
	return elem(l.typeOf(s.items, n.inner(part)))
}

func (l *loader) any(t *Type) { t.Kind, t.Go = Any, "any" }

// mixed is the kind of a value of several types.
const mixed = "mixed"

// kind is the one type of a schema, guessed from other keywords where it is not
// written; "" for any type.
func (s *shape) kind() string {
	switch types := s.possible(); {
	case len(types) == 1:
		return types[0]
	case len(types) > 1:
		return several(types)
	case len(s.props) > 0 || len(s.extra) > 0:
		return "object"
	case len(s.items) > 0 || len(s.prefix) > 0:
		return "array"
	case s.hasEnum:
		return s.enumKind()
	case s.format == "date-time" || s.format == "date":
		return "string"
	}
	return ""
}

// several is the common type of a list of types.
func several(types []string) string {
	for _, kind := range types {
		if kind != "integer" && kind != "number" {
			return mixed
		}
	}
	return "number"
}

// inner is the place of a schema inside of a type.
func (n *named) inner(part string) place {
	if n.component == "" && (n.typ.Kind == Slice || n.typ.Kind == Map) {
		return n.place.in(part) // it may have no name
	}
	return place{parent: n, part: part}
}

// elem is how a list or map holds its elements.
func elem(u use) *Ref {
	if u.nullable && !nilable(u.typ) {
		return &Ref{Type: u.typ, Form: Pointer}
	}
	return &Ref{Type: u.typ}
}

// nilable reports whether a Go type has a nil of its own, which is null or
// absent.
func nilable(t *Type) bool {
	return t.Kind == Slice || t.Kind == Map || t.Kind == Any || t.Go == "[]byte" || t.Go == "RawMessage"
}
