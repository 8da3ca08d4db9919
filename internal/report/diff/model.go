// Package diff compares the retry contracts of two documents: what the client may
// now send more of, and what less.
package diff

import (
	"cmp"
	"slices"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
)

// Class is what a change means for the upstream.
type Class string

const (
	Loosened  Class = "loosened"  // the client may now send more
	Tightened Class = "tightened" // it sends less, and nothing more
	Neutral   Class = "neutral"
)

// classes are in the order in which they are told.
var classes = []Class{Loosened, Tightened, Neutral}

// worst is the first of two in that order.
func worst(a, b Class) Class {
	return classes[min(slices.Index(classes, a), slices.Index(classes, b))]
}

// Report is what diff tells; its JSON is documented in docs/reports.md.
type Report struct {
	Format   int        `json:"format"` // of the JSON; rises when a reader must change
	Old      string     `json:"old"`
	New      string     `json:"new"`
	Packages []*Package `json:"packages"`
}

// Package is one generated package.
type Package struct {
	Name       string       `json:"package"`
	Upstream   []Change     `json:"upstream"`
	Operations []*Operation `json:"operations"` // those that differ; loosened first
}

// Operation is an operation that differs.
type Operation struct {
	Name      string   `json:"operation"`
	Method    string   `json:"method"` // in Go
	Request   string   `json:"request"`
	Kind      string   `json:"kind"` // "changed", "added" or "removed"
	Class     Class    `json:"class"`
	Contract  []Change `json:"contract"`
	Signature []Change `json:"signature"` // what call sites see
}

// Change is one value that differs.
type Change struct {
	Key     string   `json:"key"`
	Old     string   `json:"old"`
	New     string   `json:"new"`
	OldAt   string   `json:"old_at,omitempty"`
	NewAt   string   `json:"new_at,omitempty"`
	Class   Class    `json:"class"`
	Effects []Effect `json:"effects"` // at run time
}

// Effect is one consequence of a change.
type Effect struct {
	Class Class  `json:"class"`
	Words string `json:"words"`
}

// Side is one of the two documents.
type Side struct {
	API        *spec.API // nil: there was none yet
	Signatures []Signature
	Prefix     string // of positions: "main:"
}

// Signature is what call sites see of an operation, as Go text.
type Signature struct {
	Method    string
	Arguments []string
	Params    []string
	Body      []string
	Result    string
}

// member is an operation of a side.
type member struct {
	*spec.Operation
	signature Signature
}

func (s *Side) members() []member {
	if s.API == nil {
		return nil
	}
	all := make([]member, len(s.API.Operations))
	for i, op := range s.API.Operations {
		all[i] = member{op, s.Signatures[i]}
	}
	return all
}

// at is a position on a side.
func (s *Side) at(v report.Value) string {
	if at := v.At.String(); at != "" {
		return s.Prefix + at
	}
	return ""
}

// New compares two versions of a package.
func New(old, new *Side) *Package {
	p := &Package{Name: new.API.Package, Upstream: []Change{}, Operations: []*Operation{}}
	if old.API != nil {
		p.Upstream = upstreamChanges(old, new)
	}
	befores, afters := matched(old.members(), new.members())
	for i, before := range befores {
		if op := compared(old, new, before, afters[i]); op != nil {
			p.Operations = append(p.Operations, op)
		}
	}
	slices.SortStableFunc(p.Operations, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(slices.Index(classes, a.Class), slices.Index(classes, b.Class)), cmp.Compare(a.Name, b.Name))
	})
	return p
}

// matched pairs operations: by their ids, else by their requests. What has no
// partner has nil.
func matched(old, new []member) (befores, afters []*member) {
	taken := make([]bool, len(new))
	partner := make([]*member, len(old))
	for _, same := range []func(a, b *member) bool{
		func(a, b *member) bool { return a.Name.Wire == b.Name.Wire },
		func(a, b *member) bool { return request(a.Operation) == request(b.Operation) },
	} {
		for i := range old {
			j := slices.IndexFunc(new, func(m member) bool { return same(&old[i], &m) })
			if partner[i] == nil && j >= 0 && !taken[j] {
				partner[i], taken[j] = &new[j], true
			}
		}
	}
	for i := range old {
		befores, afters = append(befores, &old[i]), append(afters, partner[i])
	}
	for j := range new {
		if !taken[j] {
			befores, afters = append(befores, nil), append(afters, &new[j])
		}
	}
	return befores, afters
}

func request(op *spec.Operation) string { return op.Method + " " + op.Route }

// compared is how an operation differs; nil where it does not.
func compared(old, new *Side, before, after *member) *Operation {
	shown, kind := after, "changed"
	switch {
	case before == nil:
		kind = "added"
	case after == nil:
		shown, kind = before, "removed"
	}
	op := &Operation{
		Name: shown.Name.Wire, Method: shown.Name.Go, Request: request(shown.Operation),
		Kind: kind, Class: Neutral, Contract: []Change{}, Signature: []Change{},
	}
	if kind != "changed" {
		return op
	}
	op.Contract = contractChanges(old, new, before, after)
	op.Signature = signatureChanges(before, after)
	if len(op.Contract)+len(op.Signature) == 0 {
		return nil
	}
	op.Class = classOf(op.Contract)
	return op
}

// classOf is the worst class of changes.
func classOf(changes []Change) Class {
	class := Neutral
	for _, c := range changes {
		class = worst(class, c.Class)
	}
	return class
}

// Has reports whether anything is of a class; of any class for "".
func (r *Report) Has(class Class) bool {
	for _, p := range r.Packages {
		if class == "" && len(p.Operations)+len(p.Upstream) > 0 ||
			slices.ContainsFunc(p.Operations, func(op *Operation) bool { return op.has(class) }) ||
			slices.ContainsFunc(p.Upstream, func(c Change) bool { return c.has(class) }) {
			return true
		}
	}
	return false
}

func (op *Operation) has(class Class) bool {
	return slices.ContainsFunc(op.Contract, func(c Change) bool { return c.has(class) })
}

// has: a change can be of two classes.
func (c *Change) has(class Class) bool {
	return c.Class == class || slices.ContainsFunc(c.Effects, func(e Effect) bool { return e.Class == class })
}

// change is classified by its effects: one that sends more counts for more than
// one that sends less.
func change(key, old, new, oldAt, newAt string, effects []Effect) Change {
	c := Change{Key: key, Old: old, New: new, OldAt: oldAt, NewAt: newAt, Class: Neutral, Effects: effects}
	for _, e := range effects {
		c.Class = worst(c.Class, e.Class)
	}
	return c
}
