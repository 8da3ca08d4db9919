package spec

import (
	"net/http"
	"slices"
)

// responseHeaders adds the headers of a successful response to those of its
// operation. None of them is required: a response without one is a success, too.
func (l *loader) responseHeaders(op *Operation, at cursor) {
	for name, item := range at.get("headers").members() {
		header := item.resolved()
		switch {
		case http.CanonicalHeaderKey(name) == "Content-Type":
			continue // as OpenAPI demands
		case !headerName.MatchString(name) || !taggable(name):
			l.note(item, "", "header %q of a response is left out: it cannot be the name of a header", name)
			continue
		case slices.ContainsFunc(op.Header, func(f *Field) bool {
			return http.CanonicalHeaderKey(f.Name.Wire) == http.CanonicalHeaderKey(name)
		}):
			continue
		}
		u := l.headerType(header, place{op: op, part: "Header " + name})
		f := &Field{
			Name: Name{Wire: name}, Type: held(use{typ: u.typ}, false),
			Description: header.get("description").text(), Deprecated: deprecation(header), Pos: item.pos(),
		}
		if f.Description == "" {
			f.Description = u.about.description
		}
		l.headers[f] = header
		op.Header = append(op.Header, f)
	}
}

// headerType is the type of a header: of its schema, or of its JSON.
func (l *loader) headerType(header cursor, at place) use {
	schema, kind := schemaOrContent(header)
	if !schema.exists() {
		return use{typ: textType}
	}
	if s := l.shape(schema, nil); s != nil && len(s.prefix) > 0 && kind != mediaJSON { // its items are told apart as text
		return use{typ: &Type{Kind: Slice, Elem: &Ref{Type: textType}}}
	}
	u := l.typeOf([]cursor{schema}, at)
	u.typ = asText(u.typ)
	return u
}
