package spec

import (
	"mime"

	"github.com/retrygen/retrygen/internal/spec/annotation"
)

const runtimeImport = "github.com/retrygen/retrygen/runtime"

func isURLEncoded(media string) bool {
	base, _, err := mime.ParseMediaType(media)
	return err == nil && base == "application/x-www-form-urlencoded"
}

// propertyStyles are the properties of a urlencoded form that are not written in
// the usual way.
func (l *loader) propertyStyles(m cursor) []*PropertyEncoding {
	var list []*PropertyEncoding
	for name, at := range m.get("encoding").members() {
		p := &PropertyEncoding{Name: name, Style: StyleForm, Explode: true}
		if style := at.get("style"); style.exists() {
			named, ok := styleOf("query", style.text())
			if !ok {
				l.note(style, "", "a form cannot have style %q; %q is sent as form", style.text(), name)
				continue
			}
			p.Style, p.Explode = named, named == StyleForm
		}
		if explode := at.get("explode"); explode.exists() {
			p.Explode = explode.flag()
		}
		if kindOfMedia(at.get("contentType").text()) == mediaJSON && at.get("contentType").exists() {
			p.Style = StyleJSON
		}
		if usual := p.Style == StyleForm && p.Explode && !at.get("style").exists(); !usual {
			list = append(list, p)
		}
	}
	return list
}

// multipart is a body of parts: a struct of its own, since a file is another type
// in a form than elsewhere. How its files can be sent again is theirs to say.
func (l *loader) multipart(op *Operation, at cursor, m media, b *Body, hint Value[Replayability]) (*Body, Value[Replayability]) {
	b.Encoding = Multipart
	schema := m.at.get("schema")
	s := l.shape(schema, nil)
	if !schema.exists() || s == nil || s.union.exists() || len(s.props) == 0 {
		l.note(m.at, "", "a request body of type %s without properties is made by the caller: see runtime.Multipart", m.name)
		b.callersOwn()
		return b, Value[Replayability]{V: Replayable}
	}
	f := form{loader: l, hint: hint}
	b.Type = &Ref{Type: f.build(s, formPlace(op, at, schema).in(formWords[hint.V]))}
	b.Properties = l.partTypes(m.at)
	weakest := f.weakest(s)
	b.Form = weakest.V
	return b, weakest
}

// partTypes are the content types that a document gives to parts.
func (l *loader) partTypes(m cursor) []*PropertyEncoding {
	var list []*PropertyEncoding
	for name, at := range m.get("encoding").members() {
		if contentType := at.get("contentType").text(); contentType != "" {
			list = append(list, &PropertyEncoding{Name: name, ContentType: contentType})
		}
	}
	return list
}

// formWords end the names of forms, so that one schema can be forms of several
// kinds.
var formWords = map[Replayability]string{Replayable: "Form", Reopenable: "Opener Form", OneShot: "Reader Form"}

func formPlace(op *Operation, at, schema cursor) place {
	if name, _, ok := componentOf(schema.resolved()); ok {
		return place{base: name}
	}
	if component, ok := sectionOf(at, "requestBodies"); ok {
		return place{base: component}
	}
	return place{op: op}
}

// form builds a multipart form.
type form struct {
	*loader
	hint Value[Replayability] // of files that have none of their own
}

// fileTypes are the types of files in runtime.
var fileTypes = map[Replayability]string{Replayable: "File", Reopenable: "FileOpener", OneShot: "FileReader"}

// build is the form's struct; operations with the same schema and hint share it.
func (f *form) build(s *shape, at place) *Type {
	id := s.at.id() + " multipart " + fileTypes[f.hint.V]
	if have := f.types[id]; have != nil {
		return have.typ
	}
	n := &named{id: id, at: s.at, place: at,
		typ: &Type{Kind: Struct, Description: s.about.description, Deprecated: s.about.deprecated, Pos: s.at.pos()}}
	f.types[id] = n
	f.named = append(f.named, n)
	for _, p := range s.ordered() {
		if field := f.part(n, s, p); field != nil {
			n.typ.Fields = append(n.typ.Fields, field)
			n.fields = append(n.fields, p.schemas[0])
		}
	}
	if len(s.extra) > 0 {
		n.typ.Extra = elem(f.typeOf(s.extra, n.inner("Value")))
	}
	return n.typ
}

// part is a property: what JSON would have, except for files.
func (f *form) part(n *named, s *shape, p *prop) *Field {
	field := f.field(n, s, p)
	hint, list, ok := f.file(p)
	if !ok || field == nil {
		return field
	}
	t := &Type{Kind: Primitive, Go: fileTypes[hint.V], Import: runtimeImport}
	if list {
		t = &Type{Kind: Slice, Elem: &Ref{Type: t}, Rules: field.Type.Type.Rules}
	}
	field.Type = held(use{typ: t}, field.Required)
	return field
}

// file tells whether a property is a file or a list of files, and how it can be
// sent again.
func (f *form) file(p *prop) (hint Value[Replayability], list, ok bool) {
	s := f.shape(p.schemas[0], nil)
	if s == nil {
		return hint, false, false
	}
	at := p.schemas[0].resolved()
	if s.kind() == "array" && len(s.items) == 1 && len(s.prefix) == 0 {
		list, at = true, s.items[0].resolved()
		s = f.shape(s.items[0], nil)
	}
	if s == nil || !s.binary() {
		return hint, false, false
	}
	own, found := annotation.DecodeReplayability(at.node, at.docs.At(at.file))
	f.found = append(f.found, found...)
	if own.Set {
		return Value[Replayability]{V: replayabilities[own.Value], Origin: FromOperation, Pos: own.Pos}, list, true
	}
	return f.hint, list, true
}

// binary reports whether a schema is that of bytes as they are.
func (s *shape) binary() bool {
	media := s.at.get("contentMediaType").text()
	return s.kind() == "string" && (s.format == "binary" || media != "" && kindOfMedia(media) != mediaText && !s.at.get("contentEncoding").exists())
}

// weakest is the replayability of the whole: that of its weakest part
// (RULE-BODY-WEAKEST).
func (f *form) weakest(s *shape) Value[Replayability] {
	weakest := Value[Replayability]{V: Replayable}
	for _, p := range s.props {
		if hint, _, ok := f.file(p); ok && hint.V > weakest.V {
			weakest = hint
		}
	}
	return weakest
}
