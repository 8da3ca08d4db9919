package spec

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// responses are the documented responses, sorted: codes, ranges, the default. Of
// several media types of a success asked is the one that is read, by its essence;
// "" is the preferred one, as it is where there is no other.
func (l *loader) responses(op *Operation, e endpoint, asked string) []*Response {
	l.refuseAnnotations("responses", e.op.get("responses"))
	var all []*Response
	for code, item := range e.op.get("responses").members() {
		if strings.HasPrefix(code, "x-") {
			continue
		}
		status, ok := parseStatus(code)
		if !ok {
			l.refuse(item, `use a status such as "200", a range such as 4XX, or default`, "%q is no status", code)
			continue
		}
		if slices.ContainsFunc(all, func(r *Response) bool { return r.Status == status }) {
			l.refuse(item, "remove one of the two", "the responses have %s twice", strings.ToUpper(code))
			continue
		}
		all = append(all, l.response(op, e, status, item, asked))
	}
	if !slices.ContainsFunc(all, func(r *Response) bool { return r.Status.Success() }) {
		all = append(all, successByDefault(all)...)
	}
	slices.SortFunc(all, func(a, b *Response) int { return cmp.Compare(a.Status.order(), b.Status.order()) })
	if op.Stream == nil {
		op.Stream = download(all)
	}
	if op.Stream != nil {
		l.onlyStream(all)
	}
	return all
}

// download is the stream of an operation whose success is nothing but bytes: they
// may be more than fits into memory.
func download(all []*Response) *Stream {
	var stream *Stream
	for _, r := range all {
		switch {
		case !r.Status.Success() || r.Type == nil:
		case !r.binary:
			return nil
		case stream == nil:
			stream = &Stream{ContentType: r.ContentType, Kind: RawBytes}
		}
	}
	return stream
}

// onlyStream leaves out other bodies of success, where success is a stream.
func (l *loader) onlyStream(all []*Response) {
	for _, r := range all {
		if r.binary {
			r.Type = nil // it is the stream
		}
		if r.Status.Success() && r.Type != nil {
			l.notes = append(l.notes, source.Diagnostic{Pos: r.Pos, Message: "this body is not read: the operation's success is a stream"})
			r.Type = nil
		}
	}
}

// successByDefault is the default response once more, for 2xx, where it is the
// only one that describes success.
func successByDefault(all []*Response) []*Response {
	for _, r := range all {
		if r.Status.Default {
			success := *r
			success.Status = Status{Class: 2}
			return []*Response{&success}
		}
	}
	return nil
}

func parseStatus(code string) (Status, bool) {
	if code == "default" {
		return Status{Default: true}, true
	}
	if len(code) != 3 || code[0] < '1' || code[0] > '5' {
		return Status{}, false
	}
	if strings.EqualFold(code[1:], "XX") {
		return Status{Class: int(code[0] - '0')}, true
	}
	n, err := strconv.Atoi(code)
	return Status{Code: n}, err == nil
}

// order sorts codes before ranges before the default.
func (s Status) order() int {
	switch {
	case s.Default:
		return 10_000
	case s.Class > 0:
		return 1_000 + s.Class
	}
	return s.Code
}

func (l *loader) response(op *Operation, e endpoint, status Status, item cursor, asked string) *Response {
	at := item.resolved()
	l.refuseAnnotations("a response", at)
	for _, m := range at.get("content").members() {
		l.refuseAnnotations("a media type of a response", m)
	}
	r := &Response{Status: status, Description: at.get("description").text(), Pos: item.pos()}
	if links := at.get("links"); links.exists() {
		l.noteOnce(links, "", "links are ignored")
	}
	if status.Success() || status.Default && !documentsSuccess(e) {
		l.responseHeaders(op, at)
	}
	list := ranked(at.get("content"))
	if list == nil || e.method == "HEAD" || bodiless(status.Code) {
		return r
	}
	m := list[0]
	success := status.Success() || status.Default
	if i := slices.IndexFunc(list, func(m media) bool { return m.essence() == asked }); i > 0 && success {
		m = list[i]
	}
	l.readAs(r, op, e, at, m)
	l.others(r, op, at, m, list)
	return r
}

// readAs settles how a response is read that has the media type m.
func (l *loader) readAs(r *Response, op *Operation, e endpoint, at cursor, m media) {
	status := r.Status
	p := responsePlace(op, at, status)
	switch m.kind {
	case mediaJSON:
		r.ContentType = m.name
		r.Type = result(l.content(m.at, p))
		return
	case mediaWild:
		if l.structured(m.at.get("schema")) {
			r.ContentType = "application/json"
			r.Type = result(l.content(m.at, p))
			return
		}
	case mediaStream:
		if op.Stream == nil && (status.Success() || status.Default && !documentsSuccess(e)) {
			op.Stream = l.stream(p, m)
		}
		return
	}
	if m.kind == mediaXML && (status.Success() || status.Default) {
		l.note(m.at, "decode it yourself", "a response of type %s is bytes: XML is not supported yet", m.name)
	}
	if status.Success() { // the raw body of an error is always kept
		r.ContentType, r.Encoding, r.Type = m.name, Raw, &Ref{Type: rawType(m)}
		r.binary = m.kind == mediaBinary || m.kind == mediaWild
		if t := l.scalarText(m, p); t != nil {
			r.Encoding, r.Type = Text, &Ref{Type: t}
		}
	}
}

// others are what else a response may be: JSON of other types, which would decode
// as the one that is asked for and be wrong.
func (l *loader) others(r *Response, op *Operation, at cursor, m media, list []media) {
	for _, other := range list {
		same := m.kind == mediaJSON && sameSchema(other.at.get("schema"), m.at.get("schema"))
		if other.kind != mediaJSON || other.is(m) || same || slices.ContainsFunc(r.Others, func(o *Other) bool { return other.is(media{name: o.ContentType}) }) {
			continue
		}
		p := responsePlace(op, at, r.Status)
		if word, _ := other.word(); word != "JSON" {
			p = p.in(word)
		}
		t := result(l.content(other.at, p))
		if r.Type == nil || r.Encoding != JSON || !sameRef(r.Type, t) {
			r.Others = append(r.Others, &Other{ContentType: other.name, Type: t})
		}
	}
}

// scalarText is the type of a text that a schema describes as a scalar other than
// a plain string; nil for any other text.
func (l *loader) scalarText(m media, p place) *Type {
	if m.kind != mediaText || !m.at.get("schema").exists() {
		return nil
	}
	u := l.content(m.at, p)
	if !u.typ.Scalar() || u.typ.Go == "[]byte" || u.typ.Go == "string" && u.typ.Kind == Primitive {
		return nil
	}
	return u.typ
}

func documentsSuccess(e endpoint) bool {
	for code := range e.op.get("responses").members() {
		if status, ok := parseStatus(code); ok && status.Success() {
			return true
		}
	}
	return false
}

// stream is a response that is read value by value.
func (l *loader) stream(p place, m media) *Stream {
	if m.streamed() == ServerSentEvents {
		return &Stream{ContentType: m.name, Kind: ServerSentEvents}
	}
	p.part += " Value"
	return &Stream{ContentType: m.name, Kind: JSONValues, Type: result(l.content(m.at, p))}
}

func rawType(m media) *Type {
	if m.kind == mediaText {
		return textType
	}
	return bytesType
}

// bytesType is a body as it is.
var bytesType = &Type{Kind: Primitive, Go: "[]byte"}

// result is how a method returns a body: structs are pointers anyway.
func result(u use) *Ref {
	if u.nullable && !nilable(u.typ) && u.typ.Kind != Struct && u.typ.Kind != Union {
		return &Ref{Type: u.typ, Form: Pointer}
	}
	return &Ref{Type: u.typ}
}

// bodiless are the statuses that never have a body.
func bodiless(code int) bool {
	return code == http.StatusNoContent || code == http.StatusResetContent || code == http.StatusNotModified
}

func responsePlace(op *Operation, at cursor, status Status) place {
	if component, ok := sectionOf(at, "responses"); ok {
		return place{base: component, part: "Response"}
	}
	part := "Response"
	if !status.Success() {
		part = "Error"
	}
	switch {
	case status.Code == http.StatusOK || status.Default:
	case status.Class > 0:
		part += " " + strconv.Itoa(status.Class) + "XX"
	default:
		part += " " + strconv.Itoa(status.Code)
	}
	return place{op: op, part: part}
}

// results gives a field to each success type where there are several.
func (op *Operation) results() (fields []*Response) {
	var distinct []*Ref
	for _, r := range op.Responses {
		if r.Type == nil || !r.Status.Success() {
			continue
		}
		fields = append(fields, r)
		if !slices.ContainsFunc(distinct, func(have *Ref) bool { return sameRef(have, r.Type) }) {
			distinct = append(distinct, r.Type)
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	return fields
}

// sameRef reports whether two uses are the same Go type.
func sameRef(a, b *Ref) bool {
	if a == b || a.Type == b.Type {
		return a.Form == b.Form
	}
	if a.Form != b.Form || a.Type.Kind != b.Type.Kind || a.Type.Name.Go != b.Type.Name.Go {
		return false
	}
	switch a.Type.Kind {
	case Primitive, Any:
		return a.Type.Go == b.Type.Go && a.Type.Import == b.Type.Import
	case Slice, Map:
		return a.Type.Name.Go == "" && sameRef(a.Type.Elem, b.Type.Elem)
	}
	return false
}

// fieldName is what the body of a status is called: Created for 201.
func (s Status) fieldName() string {
	if s.Class > 0 {
		return "Success"
	}
	if text := http.StatusText(s.Code); text != "" {
		return exported(text)
	}
	return "Status" + strconv.Itoa(s.Code)
}
