package spec

import (
	"github.com/retrygen/retrygen/internal/spec/annotation"
)

// operation builds the IR of one operation, without its Go names: its methods, the
// one for the preferred content types first.
func (l *loader) operation(e endpoint) []*Operation {
	op := &Operation{
		Name:        Name{Wire: e.id},
		Method:      e.method,
		Route:       e.route,
		Tags:        e.op.get("tags").texts(),
		Summary:     e.op.get("summary").text(),
		Description: e.op.get("description").text(),
		Deprecated:  deprecation(e.op),
		Pos:         e.op.pos(),
	}
	declared, found := annotation.DecodeOperation(e.op.node, e.op.docs.At(e.op.file))
	l.found = append(l.found, found...)
	l.refuseAnnotations("a path item", e.item)
	l.noteReason(e.op)

	op.Security = l.security(e)
	op.Server = l.otherServer(e)
	l.parameters(op, e, declared)
	op.Path = l.path(op, e)
	body, replayability := l.body(op, e, declared)
	op.Body = body
	op.Responses = l.responses(op, e, "")
	op.Contract = l.contract(op, e, declared)
	op.Contract.Replayability = replayability
	l.ignored(e)
	l.operationNames = append(l.operationNames, operationName{op: op, at: e.op, declared: declared})
	return append([]*Operation{op}, l.further(op, e, declared)...)
}

// refuseAnnotations refuses annotations on an element that has none: an
// annotation without effect is mostly one that is indented wrongly.
func (l *loader) refuseAnnotations(place string, at cursor) {
	if at.exists() {
		l.found = append(l.found, annotation.Refuse(place, at.node, at.docs.At(at.file))...)
	}
}

// operationName is what is still needed of an operation when names are given.
type operationName struct {
	op       *Operation
	at       cursor
	declared annotation.Operation
	suffix   [2]string // of a further method
}

// ignored reports what an operation has and the client does not.
func (l *loader) ignored(e endpoint) {
	if callbacks := e.op.get("callbacks"); callbacks.exists() {
		l.note(callbacks, "", "callbacks are ignored: they are not calls of a client")
	}
}
