package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/annotation"
)

// ContentTypes chooses which content types of an operation have a method: those
// that say something else than the preferred ones do, unless it says otherwise.
type ContentTypes string

const (
	PreferredContentTypes ContentTypes = "preferred" // none but those: an operation is one method
	AllContentTypes       ContentTypes = "all"       // those that say the same in another encoding, too
)

// further are the methods of an operation beside the one for its preferred content
// types: one for each other content type of its body, of its success, and of both.
// What goes wrong with one of them leaves out that method, not the operation.
func (l *loader) further(op *Operation, e endpoint, declared annotation.Operation) []*Operation {
	var all []*Operation
	bodies := append([]media{{}}, l.furtherBodies(op, e)...)
	for _, answer := range append([]media{{}}, l.furtherAnswers(op, e)...) {
		reader := op
		for i, body := range bodies {
			f := &Further{Of: op, Reader: reader, Sends: body.name, Reads: answer.name}
			if i == 0 && answer.name == "" {
				continue // op itself
			}
			if _, out := l.leftOut[f.what()]; out {
				continue
			}
			before := len(l.found)
			method := l.method(e, declared, f, body, answer)
			if len(l.found) > before {
				l.faulty[f.what()] = l.found[before]
				l.found = l.found[:before]
				continue
			}
			if i == 0 {
				reader = method
			}
			all = append(all, method)
		}
	}
	return all
}

// key names the method in a document, and in Options.Names: "uploadPhoto
// multipart/form-data", "getReport as text/csv".
func (f *Further) key() string {
	key := f.Of.Name.Wire
	if f.Sends != "" {
		key += " " + f.Sends
	}
	if f.Reads != "" {
		key += " as " + f.Reads
	}
	return key
}

// what is the method in a message: of the document, it is a part of its operation.
func (f *Further) what() string { return fmt.Sprintf("operation %q", f.key()) }

// method is an operation with another body, other responses, or both.
func (l *loader) method(e endpoint, declared annotation.Operation, f *Further, body, answer media) *Operation {
	op := *f.Of
	op.Further = f
	switch {
	case body.name != "":
		op.Body, op.Contract.Replayability = l.bodyAs(&op, e.op.get("requestBody"), body, declared)
	case op.Body != nil:
		copied := *op.Body
		op.Body = &copied
	}
	switch {
	case f.Reader != f.Of: // with another body, it has responses of its own already
		op.Stream, op.Responses = f.Reader.Stream, f.Reader.Responses
	case answer.name != "":
		f.Reader = nil
		op.Stream = nil
		op.Responses = l.responses(&op, e, answer.essence())
	}
	l.checkContract(&op, e, op.Contract) // a deadline of none is for streams, which its operation may be alone
	l.operationNames = append(l.operationNames, operationName{op: &op, at: only(body, answer), declared: declared, suffix: suffixOf(body, answer)})
	return &op
}

// only is where the one of two media types stands that names a method by itself.
func only(body, answer media) cursor {
	switch {
	case answer.name == "":
		return body.at
	case body.name == "":
		return answer.at
	}
	return cursor{}
}

// suffixOf are the ends of a method's name: the short one, and the exact one.
func suffixOf(body, answer media) (suffix [2]string) {
	if body.name != "" {
		suffix[0], suffix[1] = body.word()
	}
	if answer.name == "" {
		return suffix
	}
	word, exact := answer.word()
	if answer.kind != mediaStream {
		word = "As" + word
	}
	return [2]string{follow(suffix[0], word), follow(suffix[1], "As"+exact)}
}

// furtherBodies are the media types of a body that have a method of their own.
func (l *loader) furtherBodies(op *Operation, e endpoint) []media {
	content := e.op.get("requestBody").resolved().get("content")
	if op.Body == nil {
		return nil
	}
	return l.chosenOf(content, func(m media, kept []media) bool {
		return !l.emptyForm(m) && (e.method == "PATCH" && m.patches() || !slices.ContainsFunc(kept, func(k media) bool { return l.saysWhat(m, k) }))
	})
}

// furtherAnswers are those of its success.
func (l *loader) furtherAnswers(op *Operation, e endpoint) (all []media) {
	if e.method == "HEAD" {
		return nil
	}
	for code, item := range e.op.get("responses").members() {
		status, ok := parseStatus(code)
		if !ok || bodiless(status.Code) || !status.Success() && (!status.Default || documentsSuccess(e)) {
			continue
		}
		for _, m := range l.chosenOf(item.resolved().get("content"), l.otherResult) {
			readable := status.Success() || m.kind == mediaJSON || m.kind == mediaStream
			if readable && !slices.ContainsFunc(all, m.is) {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, compareMedia)
	return all
}

// chosenOf are the media types of content that have a method beside the preferred
// one: distinct says of each whether it differs from those that have one.
func (l *loader) chosenOf(content cursor, distinct func(m media, kept []media) bool) []media {
	list := ranked(content)
	if len(list) == 0 {
		return nil
	}
	kept := list[:1:1]
	for _, m := range list[1:] {
		switch wanted := l.options.ContentTypes; {
		case slices.ContainsFunc(kept, m.is):
		case !mediaType.MatchString(m.name):
			l.note(m.at, "correct it, or remove it", "%q has no method: it is no content type", m.name)
		case wanted == PreferredContentTypes:
			l.noteOnce(content, "content-types: distinct in the configuration gives each other one a method",
				"of several content types one is sent or asked for: JSON if there is any")
		case wanted == AllContentTypes && !m.problem() || distinct(m, kept):
			kept = append(kept, m)
		case !m.problem():
			l.noteOnce(content, "content-types: all in the configuration gives it one",
				"a content type that only says the same in another way has no method")
		}
	}
	return kept[1:]
}

// mediaType is what a header can hold, and has the form of RFC 6838.
var mediaType = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+ *(;[ -~]*)?$`)

func (m media) is(other media) bool { return m.essence() == other.essence() }

// patches reports whether a media type says by its name what is to be changed, so
// that two of them are never the same with one schema.
func (m media) patches() bool {
	_, subtype, _ := strings.Cut(m.essence(), "/")
	return strings.Contains(subtype, "patch")
}

// problem reports whether a media type is that of errors (RFC 9457), which nobody
// asks for.
func (m media) problem() bool { return strings.HasPrefix(m.essence(), "application/problem+") }

// saysWhat reports whether two media types have one schema, and so say the same in
// two encodings: of what is structured, and of a scalar that is JSON in the other.
// A form of files says more.
func (l *loader) saysWhat(m, other media) bool {
	schema := m.at.get("schema")
	if !schema.exists() || m.streamed() != other.streamed() || !sameSchema(schema, other.at.get("schema")) {
		return false
	}
	if !l.structured(schema) {
		s := l.shape(schema, nil)
		return s != nil && !s.binary() && other.kind == mediaJSON && (m.kind == mediaXML || m.essence() == "text/plain")
	}
	return m.kind != mediaForm || isURLEncoded(m.name) || !l.hasFiles(schema)
}

// hasFiles reports whether a form has files. It reads what is annotated on them.
func (l *loader) hasFiles(schema cursor) (has bool) {
	f := form{loader: l}
	for _, p := range l.shape(schema, nil).props {
		_, _, file := f.file(p)
		has = has || file
	}
	return has
}

// otherResult reports whether a success is another value in Go than those that
// have a method: bytes are bytes, whatever they mean.
func (l *loader) otherResult(m media, kept []media) bool {
	if m.problem() || m.kind == mediaWild {
		return false
	}
	return !slices.ContainsFunc(kept, func(k media) bool { return l.saysWhat(m, k) }) &&
		(!m.raw() || !kept[0].raw() || m.kind != kept[0].kind)
}

// streamed is how a media type is read value by value, if it is.
func (m media) streamed() StreamKind {
	switch {
	case m.kind != mediaStream:
		return RawBytes
	case m.essence() == "text/event-stream":
		return ServerSentEvents
	}
	return JSONValues
}

func (m media) raw() bool { return m.kind == mediaText || m.kind == mediaBinary || m.kind == mediaXML }
