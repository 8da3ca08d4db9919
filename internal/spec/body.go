package spec

import "github.com/retrygen/retrygen/internal/spec/annotation"

// body is the request body of an operation, or nil, and how it can be repeated.
//
// Without a hint a body is a value or bytes in memory, which is always
// replayable; a hint of the document makes it what must be opened again, or a
// stream, and so changes the argument's type.
func (l *loader) body(op *Operation, e endpoint, declared annotation.Operation) (*Body, Value[Replayability]) {
	item := e.op.get("requestBody")
	at := item.resolved()
	if !at.exists() {
		if declared.Replayability.Set {
			l.refuseAt(declared.Replayability.Pos, annotation.RuleMisplacedAnnotation, "remove it", "x-replayability has no effect: operation %q has no request body", op.Name.Wire)
		}
		return nil, Value[Replayability]{}
	}
	l.bodyAnnotations(at.get("content"))
	m := preferred(at.get("content"))
	if !m.at.exists() || l.emptyForm(m) {
		return nil, Value[Replayability]{}
	}
	return l.bodyAs(op, item, m, declared)
}

// bodyAnnotations reads those of every media type, sent or not: one that is
// misspelt is an error in any case.
func (l *loader) bodyAnnotations(content cursor) {
	for _, m := range content.members() {
		_, found := annotation.DecodeReplayability(m.node, m.docs.At(m.file))
		l.found = append(l.found, found...)
	}
	for _, m := range ranked(content) {
		if m.kind == mediaForm && l.structured(m.at.get("schema")) {
			l.hasFiles(m.at.get("schema"))
		}
	}
}

// bodyAs is the request body in one of its media types.
func (l *loader) bodyAs(op *Operation, item cursor, m media, declared annotation.Operation) (*Body, Value[Replayability]) {
	at := item.resolved()
	b := &Body{
		Required:    at.get("required").flag() || op.Further != nil, // who sends none needs no further method
		ContentType: m.name,
		Description: at.get("description").text(),
		Pos:         item.pos(),
	}
	hint := l.replayability(at, m.at, declared)
	b.Form = hint.V
	switch {
	case m.kind == mediaWild:
		l.wildcard(m, b)
	case m.kind == mediaJSON:
		b.Encoding = JSON
	case isURLEncoded(m.name):
		b.Encoding = URLEncoded
	case m.kind == mediaForm:
		return l.multipart(op, at, m, b, hint)
	default:
		b.Encoding = Raw
		if m.kind == mediaText && b.Form == Replayable && m.at.get("schema").exists() {
			if u := l.content(m.at, bodyPlace(op, at, m)); u.typ.Scalar() {
				b.Encoding = Text
			}
		}
	}
	if b.Encoding == Raw || b.Encoding == Own || b.Form != Replayable {
		return b, hint
	}
	u := l.content(m.at, bodyPlace(op, at, m))
	if m.essence() == "application/json-patch+json" && u.typ.Kind == Map {
		l.note(m.at, "", "a JSON Patch is an array (RFC 6902), which this schema is not: the value can be anything")
		u.typ = anyType
	}
	b.Type = &Ref{Type: u.typ}
	if b.Required {
		b.Type = held(u, true)
	}
	if b.Encoding == URLEncoded {
		b.Properties = l.propertyStyles(m.at)
		if k := u.typ.Kind; u.typ.Tuple || k != Struct && k != Map && k != Any && u.typ.Go != "RawMessage" {
			l.refuse(m.at, orExclude, "a request body of type %s must be an object", m.name)
		}
	}
	return b, hint
}

// emptyForm reports whether a form can have no field: such a body is none.
func (l *loader) emptyForm(m media) bool {
	schema := m.at.get("schema")
	if !isURLEncoded(m.name) || !schema.exists() {
		return false
	}
	s := l.shape(schema, nil)
	return s != nil && s.closed && len(s.props) == 0 && len(s.extra) == 0 && !s.union.exists()
}

// wildcard settles a body whose media type is a range: JSON where the schema is
// that of an object, else what the caller names.
func (l *loader) wildcard(m media, b *Body) {
	if (m.name == "*/*" || m.name == "application/*") && l.structured(m.at.get("schema")) {
		b.Encoding, b.ContentType = JSON, "application/json"
		l.note(m.at, "", "a request body of type %s is sent as %s", m.name, b.ContentType)
		return
	}
	b.callersOwn()
}

// callersOwn leaves the body to the caller, its media type and replayability
// included.
func (b *Body) callersOwn() {
	b.Encoding, b.ContentType, b.Form, b.Required = Own, "", Replayable, true
}

func bodyPlace(op *Operation, at cursor, m media) place {
	component, ok := sectionOf(at, "requestBodies")
	switch {
	case ok && op.Further != nil:
		word, _ := m.word()
		return place{base: component, part: word + " Request"}
	case ok:
		return place{base: component, part: "Request"}
	}
	return place{op: op, part: "Request"}
}

// content is the type of a media type's schema; any where there is none.
func (l *loader) content(at cursor, p place) use {
	schema := at.get("schema")
	if !schema.exists() {
		return use{typ: anyType}
	}
	return l.typeOf([]cursor{schema}, p)
}

// structured reports whether a schema describes more than text or bytes.
func (l *loader) structured(schema cursor) bool {
	if !schema.exists() {
		return false
	}
	s := l.shape(schema, nil)
	return s != nil && (s.kind() == "object" || s.kind() == "array" || s.union.exists())
}

// replayability is the hint nearest to the bytes: of the media type, else of the
// request body, else of the operation. Without any, a body is held in memory.
func (l *loader) replayability(body, m cursor, declared annotation.Operation) Value[Replayability] {
	hint := declared.Replayability
	for _, at := range []cursor{body, m} {
		nearer, found := annotation.DecodeReplayability(at.node, at.docs.At(at.file))
		l.found = append(l.found, found...)
		if nearer.Set {
			hint = nearer
		}
	}
	if !hint.Set {
		return Value[Replayability]{V: Replayable}
	}
	return Value[Replayability]{V: replayabilities[hint.Value], Origin: FromOperation, Pos: hint.Pos}
}

var replayabilities = map[string]Replayability{
	annotation.Replayable: Replayable,
	annotation.Reopenable: Reopenable,
	annotation.OneShot:    OneShot,
}
