package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// shape is a schema with its references and allOf merged in.
type shape struct {
	at            cursor   // the schema
	types         []string // permitted types except null; nil permits all
	nullable      bool
	format        string
	hasEnum       bool
	enum          []*yaml.Node   // without null
	disjoint      bool           // enum has the values of two that have none in common
	varnames      []string       // x-enum-varnames
	valueTexts    []string       // x-enum-descriptions
	props         []*prop        // document order
	index         map[string]int // of props
	required      map[string]bool
	prefix        [][]cursor // prefixItems: the schemas of each of the first items
	items         []cursor   // of the items after them; all of them apply
	sealed        *int       // items: false, after so many
	extra         []cursor   // additionalProperties, all of them apply
	closed        bool       // additionalProperties: false
	free          bool       // additionalProperties: true
	union         cursor     // a oneOf or anyOf of several types
	discriminator cursor     // of the union
	rules         []cursor   // the keywords that make Rules
	about         about
	conflict      string // why no value fits, if so
}

// prop is a property; all of its schemas apply.
type prop struct {
	name    string
	schemas []cursor
}

// about is what a schema says about its use, and not about the value.
type about struct {
	description         string
	deprecated          Deprecation
	readOnly, writeOnly bool
	fallback            string // the default, as the document writes it
}

// beside adds what stands beside a reference or around an allOf.
func (a about) beside(c cursor) about {
	if text := c.get("description").text(); text != "" {
		a.description = text
	}
	a.deprecated = nearest(deprecation(c), a.deprecated)
	a.readOnly = a.readOnly || c.get("readOnly").flag()
	a.writeOnly = a.writeOnly || c.get("writeOnly").flag()
	if value := c.get("default"); value.exists() && !value.isMapping() && value.items() == nil && !value.isNull() {
		a.fallback = value.node.Value
		if value.tagged("!!str") {
			a.fallback = strconv.Quote(a.fallback)
		}
	}
	return a
}

// shape flattens a schema. It is nil, and reported, for a schema that contains
// itself through nothing but references and allOf.
func (l *loader) shape(c cursor, open []string) *shape {
	id := c.id()
	if s, ok := l.shapes[id]; ok {
		return s
	}
	switch {
	case slices.Contains(open, id):
		l.refuse(c, "break the circle", "the schema contains itself: %s", circle(open, id))
		return nil
	case len(open) > maxParts:
		l.refuse(c, "flatten it", "allOf is nested more than %d levels deep", maxParts)
		return nil
	}
	s := l.flatten(c, append(open, id))
	l.shapes[id] = s
	return s
}

// maxParts bounds how deep allOf may be nested, through references too.
const maxParts = 200

func circle(open []string, id string) string {
	start := max(slices.Index(open, id), 0)
	text := ""
	for _, step := range open[start:] {
		text += step + " -> "
	}
	return text + id
}

func (l *loader) flatten(c cursor, open []string) *shape {
	if c.ref() == "" {
		return l.own(c, open)
	}
	target := c.target(maxHops)
	if !target.exists() {
		l.refuse(c.get("$ref"), "", "the reference leads nowhere")
		return nil
	}
	s := l.shape(target, open)
	if s == nil || !l.since31 || len(c.node.Content) == 2 {
		return s
	}
	merged := newShape(c)
	merged.nullable = s.nullable
	l.merge(merged, s)
	l.merge(merged, l.own(c, open))
	merged.about = s.about.beside(c)
	if merged.conflict != "" && s.conflict == "" {
		l.note(c, "", "what stands beside the reference contradicts it (%s), and is ignored", merged.conflict)
		same := *s
		same.about = merged.about
		return &same
	}
	return merged
}

func newShape(at cursor) *shape {
	return &shape{at: at, required: map[string]bool{}, index: map[string]int{}}
}

// own reads a schema: its keywords, its allOf, and its oneOf and anyOf.
func (l *loader) own(c cursor, open []string) *shape {
	s := l.keywords(c)
	l.readParts(s, open)
	l.readAlternatives(s, open)
	s.readUnevaluated()
	return s
}

// readUnevaluated reads what applies to the items and properties that allOf leaves.
func (s *shape) readUnevaluated() {
	if s.union.exists() || s.at.ref() != "" {
		return
	}
	if len(s.items) == 0 {
		s.readRest("unevaluatedItems")
	}
	if extra := s.at.get("unevaluatedProperties"); extra.isMapping() && len(s.extra) == 0 && !s.closed && !s.free {
		s.extra = []cursor{extra}
	}
}

// keywords reads what a schema says by itself.
func (l *loader) keywords(c cursor) *shape {
	s := newShape(c)
	s.about = about{}.beside(c)
	l.readType(s)
	l.readEnum(s)
	s.format = c.get("format").text()
	if s.format == "" && c.get("contentEncoding").text() == "base64" {
		s.format = "byte"
	}
	for name, schema := range c.get("properties").members() {
		s.addProp(&prop{name: name, schemas: []cursor{schema}})
	}
	for _, name := range c.get("required").texts() {
		s.required[name] = true
	}
	s.readItems()
	switch extra := c.get("additionalProperties"); {
	case extra.isMapping() && len(extra.node.Content) > 0:
		s.extra = []cursor{extra}
	case extra.flag(), extra.isMapping():
		s.free = true
	case extra.exists():
		s.closed = true
	}
	l.readPatterns(s)
	l.noteUnchecked(c)
	l.noteIgnored(c)
	for _, keyword := range ruleKeywords {
		if rule := c.get(keyword); rule.exists() {
			s.rules = append(s.rules, rule)
		}
	}
	return s
}

// readType reads type, which is a word or since 3.1 a list of them, and
// nullable.
func (l *loader) readType(s *shape) {
	s.nullable = s.at.get("nullable").flag()
	kind := s.at.get("type")
	words := kind.texts()
	if word := kind.text(); word != "" {
		words = []string{word}
	}
	for _, word := range words {
		if word == "null" {
			s.nullable = true
			continue
		}
		s.types = append(s.types, word)
	}
}

// readEnum reads enum, and const as an enum of one value.
func (l *loader) readEnum(s *shape) {
	values := s.at.get("enum").items()
	s.hasEnum = s.at.get("enum").exists()
	if value := s.at.get("const"); value.exists() {
		values, s.hasEnum = []cursor{value}, true
		s.nullable = false // but for the constant null
	}
	for _, value := range values {
		if value.isNull() {
			s.nullable = true
			continue
		}
		s.enum = append(s.enum, value.node)
	}
	s.varnames = s.at.get("x-enum-varnames").texts()
	if s.varnames == nil {
		s.varnames = s.at.get("x-enumNames").texts()
	}
	if len(s.varnames) != len(s.enum) {
		s.varnames = nil
	}
	s.valueTexts = s.at.get("x-enum-descriptions").texts()
	if len(s.valueTexts) != len(s.enum) {
		s.valueTexts = nil
	}
}

// readParts merges allOf.
func (l *loader) readParts(s *shape, open []string) {
	for _, part := range s.at.get("allOf").items() {
		if other := l.part(s, part, open); other != nil {
			l.merge(s, other)
		}
	}
}

// readAlternatives merges a oneOf or anyOf that offers one type, and keeps another.
func (l *loader) readAlternatives(s *shape, open []string) {
	for _, keyword := range []string{"oneOf", "anyOf"} {
		union := s.at.get(keyword)
		if !union.exists() {
			continue
		}
		choices, nullable := l.choices(union, open)
		s.nullable = s.nullable || nullable || slices.ContainsFunc(choices, func(c *shape) bool { return c.nullable })
		switch {
		case len(choices) == 1:
			l.mergeOnly(s, choices[0], union)
		case len(choices) > 1 && sameText(choices) && len(s.types) == 0:
			s.types = []string{"string"}
			l.note(union, "", "%s of several kinds of string is a string", keyword)
		case len(choices) > 1:
			s.union, s.discriminator = union, s.at.get("discriminator")
		}
	}
}

// mergeOnly merges the only alternative. A type beside it that contradicts it was
// not meant.
func (l *loader) mergeOnly(s, choice *shape, union cursor) {
	before := s.types
	s.mergeTypes(choice)
	if s.conflict != "" && choice.conflict == "" {
		l.note(union, "", "the type beside %s contradicts it (%s), and is ignored", union.key.Value, s.conflict)
		s.conflict, before = "", nil
	}
	s.types = before
	l.merge(s, choice)
}

// part is one of allOf. A schema may be an alternative of the one that it extends:
// then it is what that one is, apart from the choice.
func (l *loader) part(s *shape, part cursor, open []string) *shape {
	parent := part.resolved()
	if i := slices.Index(open, parent.id()); i >= 0 && slices.ContainsFunc(open[i:], isAlternative) {
		plain := l.keywords(parent)
		l.readParts(plain, open)
		return plain
	}
	other := l.shape(part, open)
	if other == nil || !other.union.exists() || !l.offers(other.union, s.at) {
		return other
	}
	plain := *other
	plain.union, plain.discriminator = cursor{}, cursor{}
	return &plain
}

// isAlternative tells the id of an item of oneOf or anyOf.
func isAlternative(id string) bool {
	return strings.Contains(id, "/oneOf/") || strings.Contains(id, "/anyOf/")
}

// offers reports whether a schema is one of the alternatives of a union.
func (l *loader) offers(union, at cursor) bool {
	return slices.ContainsFunc(union.items(), func(item cursor) bool { return item.resolved().id() == at.id() })
}

// choices are the alternatives of a oneOf or anyOf that are types: null makes
// the others nullable, and those that only constrain are left out.
func (l *loader) choices(union cursor, open []string) (choices []*shape, nullable bool) {
	for _, item := range union.items() {
		if onlyNull(item) {
			nullable = true
			continue
		}
		if onlyRequires(item) {
			l.note(item, "", "this alternative only constrains other properties; it is not checked")
			continue
		}
		if slices.Contains(open, item.resolved().id()) { // it is being read: an object that extends this one
			choices = append(choices, &shape{types: []string{"object"}})
			continue
		}
		if choice := l.shape(item, open); choice != nil {
			choices = append(choices, choice)
		}
	}
	return choices, nullable
}

// onlyNull reports whether a schema permits nothing but null.
func onlyNull(c cursor) bool {
	if c.get("type").text() == "null" || c.get("const").isNull() {
		return true
	}
	values := c.get("enum").items()
	return len(values) == 1 && values[0].isNull() && !c.get("properties").exists()
}

// onlyRequires reports whether a schema says no more than which properties must
// be there.
func onlyRequires(c cursor) bool {
	for keyword := range c.members() {
		switch keyword {
		case "required", "title", "description", "not":
		default:
			return false
		}
	}
	return c.get("required").exists() || c.get("not").exists()
}

// sameText reports whether all alternatives are strings.
func sameText(choices []*shape) bool {
	for _, choice := range choices {
		if len(choice.types) != 1 || choice.types[0] != "string" || choice.union.exists() {
			return false
		}
	}
	return true
}

// merge adds the constraints of another schema that applies too.
func (l *loader) merge(s, other *shape) {
	s.mergeTypes(other)
	if s.format == "" {
		s.format = other.format
	}
	if other.hasEnum {
		s.mergeEnum(other)
	}
	for _, p := range other.props {
		s.addProp(p)
	}
	for name := range other.required {
		s.required[name] = true
	}
	s.mergeItems(other)
	s.extra = appendNew(s.extra, other.extra...)
	s.closed = s.closed || other.closed
	s.free = s.free || other.free
	s.rules = appendNew(s.rules, other.rules...)
	s.contradict(other.conflict)
	s.disjoint = s.disjoint || other.disjoint
	if !s.union.exists() {
		s.union, s.discriminator = other.union, other.discriminator
	}
	if s.about.description == "" {
		s.about.description = other.about.description
	}
	s.about.readOnly = s.about.readOnly || other.about.readOnly
	s.about.writeOnly = s.about.writeOnly || other.about.writeOnly
}

// contradict keeps the first conflict.
func (s *shape) contradict(conflict string) { s.conflict = cmp.Or(s.conflict, conflict) }

func (s *shape) mergeTypes(other *shape) {
	switch {
	case len(other.types) == 0:
	case len(s.types) == 0:
		s.types = other.types
	default:
		var both []string
		for _, kind := range s.types {
			switch {
			case slices.Contains(other.types, kind):
				both = append(both, kind)
			case kind == "number" && slices.Contains(other.types, "integer"):
				both = append(both, "integer")
			case kind == "integer" && slices.Contains(other.types, "number"):
				both = append(both, kind)
			}
		}
		if len(both) == 0 {
			s.contradict(s.types[0] + " and " + other.types[0])
			return
		}
		s.types = both
	}
}

func (s *shape) mergeEnum(other *shape) {
	if !s.hasEnum {
		s.hasEnum, s.enum, s.varnames, s.valueTexts = true, other.enum, other.varnames, other.valueTexts
		return
	}
	known := map[string]bool{}
	for _, value := range other.enum {
		known[value.Value] = true
	}
	var both []*yaml.Node
	for _, value := range s.enum {
		if known[value.Value] {
			both = append(both, value)
		}
	}
	if len(both) == 0 { // the one is mostly meant to replace the other
		s.disjoint = true
		both = append(slices.Clip(s.enum), other.enum...)
	}
	s.enum, s.varnames, s.valueTexts = both, nil, nil
}

func (s *shape) addProp(p *prop) {
	if i, ok := s.index[p.name]; ok {
		s.props[i] = &prop{name: p.name, schemas: appendNew(s.props[i].schemas, p.schemas...)}
		return
	}
	s.index[p.name] = len(s.props)
	s.props = append(s.props, p)
}

// appendNew appends the elements that are not there yet.
func appendNew(list []cursor, more ...cursor) []cursor {
	list = slices.Clip(list)
	for _, c := range more {
		if !slices.ContainsFunc(list, func(have cursor) bool { return have.node == c.node }) {
			list = append(list, c)
		}
	}
	return list
}
