package spec

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/annotation"
)

// parameters fills in the parameters of an operation: its own, and those of its
// path item that it does not replace.
func (l *loader) parameters(op *Operation, e endpoint, declared annotation.Operation) {
	seen := map[string]bool{}
	for _, list := range []cursor{e.op.get("parameters"), e.item.get("parameters")} {
		for _, item := range list.items() {
			at := item.resolved()
			if !at.exists() {
				continue // references in a circle, which are reported as such
			}
			id := at.get("in").text() + " " + at.get("name").text()
			if at.get("in").text() == "header" { // whose case means nothing
				id = strings.ToLower(id)
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			if p := l.param(op, e, item, declared); p != nil {
				op.add(p)
			}
		}
	}
	for _, list := range [][]*Param{op.Query, op.Headers} {
		slices.SortStableFunc(list, func(a, b *Param) int {
			switch {
			case a.Required == b.Required:
				return 0
			case a.Required:
				return -1
			}
			return 1
		})
	}
}

func (op *Operation) add(p *Param) {
	switch p.In {
	case "path":
		op.PathParams = append(op.PathParams, p)
	case "query":
		op.Query = append(op.Query, p)
	case "header", "cookie":
		op.Headers = append(op.Headers, p)
	}
}

// param is one parameter, or nil where it is ignored or refused.
func (l *loader) param(op *Operation, e endpoint, item cursor, declared annotation.Operation) *Param {
	at := item.resolved()
	l.refuseAnnotations("a parameter", at)
	p := &Param{
		Name:        Name{Wire: at.get("name").text()},
		In:          at.get("in").text(),
		Required:    at.get("required").flag(),
		Description: at.get("description").text(),
		Deprecated:  deprecation(at),
		Pos:         at.pos(),
	}
	switch {
	case p.In == "header" && l.ignoredHeader(at, p.Name.Wire, declared):
		return nil
	case l.isCredential(op, p, at):
		return nil
	case (p.In == "header" || p.In == "cookie") && !headerName.MatchString(p.Name.Wire):
		l.refuse(at, "correct the name", "%q cannot be the name of a %s", p.Name.Wire, p.In)
		return nil
	case !l.style(p, at):
		return nil
	}
	u := l.paramType(p, at, paramPlace(op, e, item, p.Name.Wire))
	l.params[p] = at
	l.noteReason(at)
	schema, _ := schemaOrContent(at)
	p.Type = l.withoutPointer(held(use{typ: u.typ}, p.Required), p.Required, at, schema)
	p.Default = u.about.fallback
	if p.Description == "" {
		p.Description = u.about.description
	}
	return p
}

// paramType is the type of a parameter's schema. One that may be of several
// scalar types is text, as on the wire.
func (l *loader) paramType(p *Param, at cursor, named place) use {
	schema, kind := schemaOrContent(at)
	if kind == mediaJSON {
		p.Style = StyleJSON
	}
	if !schema.exists() {
		return use{typ: textType}
	}
	if p.Style == StyleJSON {
		return l.typeOf([]cursor{schema}, named)
	}
	if l.textual(schema) {
		l.note(schema, "", "parameter %q may be of several types: it is a string, sent as it is", p.Name.Wire)
		return use{typ: textType}
	}
	u := l.typeOf([]cursor{schema}, named)
	u.typ = asText(u.typ)
	return u
}

// schemaOrContent is the schema of a parameter or header, and the kind of its
// media type if it has one.
func schemaOrContent(at cursor) (cursor, mediaKind) {
	content := at.get("content")
	if !content.exists() {
		return at.get("schema"), mediaText
	}
	m := preferred(content)
	return m.at.get("schema"), m.kind
}

// textual reports whether a schema permits several types that are all scalars.
func (l *loader) textual(schema cursor) bool {
	s := l.shape(schema, nil)
	if s == nil || s.conflict != "" {
		return false
	}
	if !s.union.exists() {
		return s.kind() == mixed && s.scalar()
	}
	choices, _ := l.choices(s.union, nil)
	return !slices.ContainsFunc(choices, func(choice *shape) bool { return choice.union.exists() || !choice.scalar() })
}

// scalar reports whether all types of a schema are scalars.
func (s *shape) scalar() bool {
	return len(s.types) > 0 && !slices.Contains(s.types, "object") && !slices.Contains(s.types, "array")
}

// textType is a string without rules.
var textType = &Type{Kind: Primitive, Go: "string"}

// paramPlace is what the type of an inline enum is named after: the component,
// the path or the operation that the parameter belongs to, so that one type
// serves all who share it.
func paramPlace(op *Operation, e endpoint, item cursor, name string) place {
	if component, ok := sectionOf(item.resolved(), "parameters"); ok {
		return place{base: component, part: "Parameter"}
	}
	if strings.HasPrefix(item.pointer, e.op.pointer+"/") && item.file == e.op.file {
		return place{op: op, part: name}
	}
	return place{base: strings.NewReplacer("{", "by ", "}", "").Replace(e.route), part: name}
}

// sectionOf tells whether an element is a component of a section.
func sectionOf(c cursor, section string) (name string, ok bool) {
	parts := strings.Split(c.pointer, "/")
	if len(parts) == 4 && parts[1] == "components" && parts[2] == section {
		return unescape.Replace(parts[3]), true
	}
	return "", false
}

// isCredential tells whether a parameter is what a security scheme sends.
func (l *loader) isCredential(op *Operation, p *Param, at cursor) bool {
	for _, requirement := range op.Security {
		for _, s := range requirement.Schemes {
			if p.In == "header" && strings.EqualFold(s.Header, p.Name.Wire) ||
				p.In == "query" && s.Query == p.Name.Wire || p.In == "cookie" && s.Cookie == p.Name.Wire {
				l.note(at, "", "%s parameter %q is ignored: security scheme %q sends it", p.In, p.Name.Wire, s.Name.Wire)
				return true
			}
		}
	}
	return false
}

// headerName is what HTTP permits as the name of a header.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ignoredHeader tells whether a header is not the caller's to set.
func (l *loader) ignoredHeader(at cursor, name string, declared annotation.Operation) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Content-Type", "Authorization":
		l.note(at, "", "header parameter %q is ignored, as OpenAPI demands: media types and security schemes set it", name)
		return true
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Cookie":
		l.note(at, "", "header parameter %q is ignored: the transport sets it", name)
		return true
	}
	if key := declared.Idempotent.Key; key != nil && strings.EqualFold(name, key.Header.Value) {
		l.note(at, "", "header parameter %q is ignored: it bears the key of x-idempotent", name)
		return true
	}
	return false
}

// styleWord is a style and what a document calls it.
type styleWord struct {
	word  string
	style Style
}

// styles are the styles of each kind of parameter; the first is the usual one.
var styles = map[string][]styleWord{
	"path":   {{"simple", StyleSimple}, {"label", StyleLabel}, {"matrix", StyleMatrix}},
	"query":  {{"form", StyleForm}, {"spaceDelimited", StyleSpaceDelimited}, {"pipeDelimited", StylePipeDelimited}, {"deepObject", StyleDeepObject}},
	"header": {{"simple", StyleSimple}},
	"cookie": {{"form", StyleForm}},
}

// styleOf is the style that a kind of parameter has under a word.
func styleOf(kind, word string) (Style, bool) {
	for _, s := range styles[kind] {
		if s.word == word {
			return s.style, true
		}
	}
	return StyleSimple, false
}

// style reads style and explode.
func (l *loader) style(p *Param, at cursor) bool {
	known := styles[p.In]
	if known == nil {
		where := at.get("in")
		if !where.exists() {
			where = at
		}
		l.refuse(where, "use path, query, header or cookie", "unknown kind of parameter %q", p.In)
		return false
	}
	p.Style = known[0].style
	if style := at.get("style"); style.exists() {
		if named, ok := styleOf(p.In, style.text()); ok {
			p.Style = named
		} else {
			l.note(style, "", "a %s parameter cannot have style %q; %q is sent as %s", p.In, style.text(), p.Name.Wire, known[0].word)
		}
	}
	p.Explode = p.Style == StyleForm
	if explode := at.get("explode"); explode.exists() {
		p.Explode = explode.flag()
	}
	if reserved := at.get("allowReserved"); reserved.flag() {
		l.note(reserved, "", "allowReserved has no effect: reserved characters are sent percent-encoded")
	}
	return true
}

// asText makes strings of what may be anything: that is what a parameter is on
// the wire. Text has no null either, so that no item is one.
func asText(t *Type) *Type {
	switch {
	case t.Kind == Any:
		return textType
	case t.Kind == Slice && t.Elem.Type.Kind == Any:
		return sliceOf(t, &Ref{Type: textType})
	case t.Kind == Slice && t.Elem.Form == Pointer:
		return sliceOf(t, &Ref{Type: t.Elem.Type})
	}
	return t
}

// sliceOf is a slice with other items.
func sliceOf(t *Type, item *Ref) *Type {
	other := *t
	other.Elem = item
	return &other
}

// path splits the route into literals and parameters, and sorts the parameters
// by their place in it.
func (l *loader) path(op *Operation, e endpoint) []PathPart {
	var parts []PathPart
	var ordered []*Param
	for rest := l.withoutQuery(op, e); rest != ""; {
		literal, tail, opens := strings.Cut(rest, "{")
		if literal != "" {
			parts = append(parts, PathPart{Literal: escapePath(literal)})
		}
		if !opens {
			break
		}
		name, after, _ := strings.Cut(tail, "}")
		i := slices.IndexFunc(op.PathParams, func(p *Param) bool { return p.Name.Wire == name })
		if i < 0 {
			i = len(op.PathParams)
			op.PathParams = append(op.PathParams, l.undeclared(e, name))
		}
		parts = append(parts, PathPart{Param: op.PathParams[i]})
		if !slices.Contains(ordered, op.PathParams[i]) {
			ordered = append(ordered, op.PathParams[i])
		}
		rest = after
	}
	for _, p := range op.PathParams {
		if !slices.Contains(ordered, p) {
			l.note(l.params[p], "correct its name, or remove it", "the path has no {%s} for this parameter: it is left out", p.Name.Wire)
		}
	}
	op.PathParams = ordered
	for _, p := range ordered {
		p.Required = true
		p.Type = held(use{typ: p.Type.Type}, true)
	}
	return parts
}

// withoutQuery is the path that is sent: some documents tell operations apart by
// a fragment, which never reaches an upstream, or by a fixed query.
func (l *loader) withoutQuery(op *Operation, e endpoint) string {
	path, fragment, _ := strings.Cut(e.route, "#")
	path, query, _ := strings.Cut(path, "?")
	if fragment != "" {
		l.note(e.item, "", "the fragment of the path %q is not sent", e.route)
	}
	if query != "" {
		if strings.ContainsAny(query, "{}") {
			l.refuse(e.item, "declare its parameters with in: query", "the path %q has a query with parameters", e.route)
		}
		op.FixedQuery = escapeQuery(query)
	}
	return path
}

// undeclared is a parameter that only the path tells of: a string.
func (l *loader) undeclared(e endpoint, name string) *Param {
	l.note(e.op, "declare it, with in: path and required: true", "the path has {%s}, but the operation has no such path parameter: it is a string", name)
	p := &Param{Name: Name{Wire: name}, In: "path", Required: true, Type: &Ref{Type: textType}, Pos: e.op.pos()}
	l.params[p] = e.op
	return p
}

const hexDigits = "0123456789ABCDEF"

// escapePath escapes what a path cannot hold. Escapes that are there stay.
func escapePath(literal string) string { return escape(literal, "-._~!$&'()*+,;=:@/") }

func escapeQuery(literal string) string { return escape(literal, "-._~!$&'()*+,;=:@/?") }

func escape(literal, permitted string) string {
	var b strings.Builder
	for i := range len(literal) {
		char := literal[i]
		escape := char == '%' && i+2 < len(literal) && isHex(literal[i+1]) && isHex(literal[i+2])
		if escape || char < 0x80 && (isAlnum(char) || strings.IndexByte(permitted, char) >= 0) {
			b.WriteByte(char)
			continue
		}
		b.Write([]byte{'%', hexDigits[char>>4], hexDigits[char&15]})
	}
	return b.String()
}

func isHex(char byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", char) >= 0 }

func isAlnum(char byte) bool {
	return char >= '0' && char <= '9' || char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z'
}
