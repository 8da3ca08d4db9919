// Package suggest proposes annotations for a document that has none: what it says
// of its operations already, in other words than ours.
package suggest

import (
	"slices"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Suggestion is what a document says about repeating its operations.
type Suggestion struct {
	Document string // as the user would type it
	Title    string
	Upstream string
	Remarks  []string // about all operations
	// Operations are in the order of the document.
	Operations []Operation
}

// Operation is one operation, and what is proposed for it.
type Operation struct {
	Method  string
	Route   string
	ID      string // "" without one
	At      source.Pos
	Target  string // its JSONPath; "" where an overlay does not reach it
	Missed  string // why not
	Class   Class
	Key     string // the header that bears its key; "" without one
	Because string
	Also    []string // what does not decide, and helps whoever does
}

// value is that of x-idempotent, in YAML.
func (o Operation) value() string {
	switch {
	case o.Key != "":
		return "{key: {header: " + o.Key + "}}"
	case o.Class == Doubtful:
		return "false"
	}
	return "true"
}

// Class is how good the evidence of a proposal is.
type Class uint8

const (
	Declared Class = iota // the operation says x-idempotent already
	Evident               // the document says so in other words
	ByMethod              // only the method says so
	Doubtful              // nothing does, or something speaks against it
)

// New looks at the operations of a document, which document names.
func New(document string, in *spec.Inspection) Suggestion {
	d := reader{docs: in.Documents}
	s := Suggestion{
		Document: document,
		Title:    in.API.Title,
		Upstream: in.API.Upstream.Name.V,
		Remarks:  d.remarks(),
	}
	for _, op := range inOrder(in) {
		s.Operations = append(s.Operations, propose(op, d))
	}
	return s
}

// keyed reports whether a key is proposed anywhere.
func (s Suggestion) keyed() bool {
	return slices.ContainsFunc(s.Operations, func(op Operation) bool { return op.Key != "" })
}

// inOrder are the operations in the order in which the document has them. Methods
// for further content types are of the same operation.
func inOrder(in *spec.Inspection) []*spec.Operation {
	order := map[string]int{}
	for key := range source.Members(in.Documents.Node("", "/paths")) {
		order[key.Value] = len(order)
	}
	ops := slices.DeleteFunc(slices.Clone(in.API.Operations), func(op *spec.Operation) bool { return op.Further != nil })
	slices.SortStableFunc(ops, func(a, b *spec.Operation) int {
		if a.Route != b.Route {
			return order[a.Route] - order[b.Route]
		}
		return a.Pos.Compare(b.Pos)
	})
	return ops
}

func propose(op *spec.Operation, d reader) Operation {
	o := Operation{Method: op.Method, Route: op.Route, ID: op.ID(), At: op.Pos}
	o.Target, o.Missed = d.target(op)
	e := d.evidence(op)
	o.Also = e.also()
	if declared := op.Contract.Idempotency; declared.Pos != (source.Pos{}) {
		o.Class, o.Because = Declared, quote("x-idempotent", declared.Pos)+" is there already"
		return o
	}
	o.Class, o.Key, o.Because = e.judge()
	return o
}

// quote is a word of the document and where it stands.
func quote(word string, at source.Pos) string { return word + " (" + at.String() + ")" }
