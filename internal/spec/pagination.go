package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// paginate finds what each x-pagination names (RULE-ANNOTATION-PAGINATION).
func (l *loader) paginate() {
	for _, n := range l.operationNames {
		declared := n.declared.Pagination
		if n.op.Further != nil {
			continue // its preferred content types have the pages
		}
		if declared.Foreign {
			l.notes = append(l.notes, source.Diagnostic{Pos: declared.Pos, Message: "x-pagination is ignored: it has the words of another tool", Fix: "write it in ours, by an overlay if need be"})
		}
		if !declared.Set {
			continue
		}
		p := pager{loader: l, op: n.op, declared: declared, pages: &Pagination{}}
		before := len(l.found)
		p.bind()
		if len(l.found) == before {
			n.op.Pagination = p.pages
		}
	}
}

// pager binds the pagination of one operation.
type pager struct {
	*loader
	op       *Operation
	declared annotation.Pagination
	pages    *Pagination
	page     *Type // of a response
}

func (p *pager) bind() {
	if !p.bindPage() {
		return
	}
	switch d := p.declared; {
	case d.Cursor.Set:
		p.bindAsked(ByCursor, "cursor", d.Cursor, "")
		p.bindNext()
	case d.Offset.Set:
		p.bindAsked(ByOffset, "offset", d.Offset, "0")
	case d.Page.Set:
		p.bindAsked(ByNumber, "page", d.Page, "1")
	default:
		p.pages.Kind = ByLink
	}
	p.bindItems()
	if more := p.declared.More; more.Set {
		p.pages.More = p.field("more", more)
		if last := lastOf(p.pages.More); last != nil && (last.Kind != Primitive || last.Go != "bool") {
			p.wrong("more", more, "name a flag", "is no boolean")
		}
	}
}

// bindPage finds what a page is, or tells why an operation has none.
func (p *pager) bindPage() bool {
	var page *Response
	for _, r := range p.op.Responses {
		switch {
		case !r.Status.Success():
		case r.Type == nil:
			p.pages.NilPage = true
		case page == nil:
			page = r
		}
	}
	reason, fix := "", "remove it"
	switch {
	case p.op.Stream != nil:
		reason = "its success is a stream"
	case page == nil:
		reason = "its success has no body"
	case p.op.results() != nil:
		reason = "its success has several types"
	case p.op.Contract.Replayability.V == OneShot, p.op.Body != nil && p.op.Body.Encoding == Own:
		reason = "its request body can perhaps be read once only, and each page sends it"
	case p.op.Contract.Key.Template.V != "":
		reason = "each page would bear the same idempotency key; without a template each has one of its own"
	case p.op.Contract.OnAmbiguous.V:
		reason, fix = "no answer of its OnAmbiguous could tell which page is asked for", "remove it, or write x-idempotent: true, which most lists are"
	default:
		p.page = page.Type.Type
		p.pages.NilPage = p.pages.NilPage && p.page.Kind == Struct
		return true
	}
	p.refuseAt(p.declared.Pos, annotation.RuleInvalidValue, fix, "operation %q cannot have x-pagination: %s", p.op.Name.Wire, reason)
	return false
}

// bindAsked finds what asks for a page: a parameter, or a field of the body.
// usually is what it has for the first one.
func (p *pager) bindAsked(kind PaginationKind, key string, name annotation.Field[string], usually string) {
	p.pages.Kind = kind
	param, fields, err := p.asked(name.Value)
	if err != nil {
		p.refuseAt(name.Pos, annotation.RuleInvalidValue, source.DidYouMean(name.Value, p.op.keyNames(), "name a parameter, or a field of the body"), "x-pagination.%s of operation %q: %s", key, p.op.Name.Wire, err)
		return
	}
	p.pages.Param, p.pages.BodyFields = param, fields
	var use *Ref
	var fallback string
	if param != nil {
		use, fallback = param.Type, param.Default
	} else {
		last := fields[len(fields)-1]
		use, fallback = last.Type, last.Default
	}
	p.pages.Type = use.Type
	switch {
	case kind == ByCursor && !isText(use.Type) && !isWhole(use.Type):
		p.wrong(key, name, "name another", "is neither a string nor an integer")
	case kind != ByCursor && !isWhole(use.Type):
		p.wrong(key, name, "name another", "is no integer")
	case kind != ByCursor && use.Form != Plain:
		p.pages.First = first(use.Type, fallback, usually)
	}
}

// asked is the parameter, or the path to the field of the body, of a name. It is
// set in a copy of the caller's, so what is on the path to it must be there.
func (p *pager) asked(name string) (*Param, []*Field, error) {
	param, err := p.op.keyParam(name)
	if err != nil {
		return nil, nil, err
	}
	fields, missing := p.op.keyFields(name)
	switch {
	case param != nil && fields != nil:
		return nil, nil, fmt.Errorf("%q is a parameter and a field of the body", name)
	case param != nil && param.In == "path":
		return nil, nil, fmt.Errorf("%q is a parameter of the path", name)
	case param != nil:
		return param, nil, nil
	case missing != nil:
		return nil, nil, fmt.Errorf("%q is neither a parameter nor a field of the body; there are %s", name, listed(p.op.keyNames()))
	case !p.op.Body.Required || p.op.Body.Type.Form != Plain:
		return nil, nil, fmt.Errorf("%q is a field of the body, which is optional or may be null", name)
	}
	for _, f := range fields[:len(fields)-1] {
		if f.Type.Form != Plain {
			return nil, nil, fmt.Errorf("%q is a field of %q, which is optional or may be null", name, f.Name.Wire)
		}
	}
	return nil, fields, nil
}

// bindNext finds the next cursor in a page: it has the type of what asks for it.
func (p *pager) bindNext() {
	p.pages.Next = p.field("next", p.declared.Next)
	last, asked := lastOf(p.pages.Next), p.pages.Type
	if last != nil && asked != nil && (last.Kind != asked.Kind || last.Go != asked.Go || last.Import != asked.Import) {
		p.wrong("next", p.declared.Next, "give both the same type", "is not of the type of %q, which asks for the page", p.declared.Cursor.Value)
	}
}

// bindItems finds the items of a page.
func (p *pager) bindItems() {
	items := p.declared.Items
	counts := p.pages.Kind == ByOffset || p.pages.Kind == ByNumber && !p.declared.More.Set
	switch {
	case items.Set && p.page.Kind == Slice:
		p.refuseAt(items.Pos, annotation.RuleInvalidValue, "remove it", "x-pagination.items of operation %q has no effect: the response is the list itself", p.op.Name.Wire)
	case items.Set:
		p.pages.Items = p.field("items", items)
		switch last := lastOf(p.pages.Items); {
		case last == nil:
		case last.Kind != Slice:
			p.wrong("items", items, "name a list", "is no list")
		default:
			p.pages.Item = last.Elem
		}
	case p.page.Kind == Slice:
		p.pages.Item = p.page.Elem
	case counts:
		p.refuseAt(p.declared.Pos, annotation.RuleInvalidValue, "write items: and the path to the list in the response", "x-pagination of operation %q needs items: a page without any is the last", p.op.Name.Wire)
	}
}

// field is the path to a field of the response.
func (p *pager) field(key string, name annotation.Field[string]) []*Field {
	path, found := fieldPath(p.page, name.Value)
	if found {
		return path
	}
	in, prefix := p.page, ""
	for _, f := range path {
		in, prefix = f.Type.Type, prefix+f.Name.Wire+"."
	}
	var names []string
	for _, f := range in.Fields {
		names = append(names, prefix+f.Name.Wire)
	}
	slices.Sort(names)
	p.refuseAt(name.Pos, annotation.RuleInvalidValue, source.DidYouMean(name.Value, names, "name a field of the response"), "x-pagination.%s of operation %q: the response has no field %q; there are %s", key, p.op.Name.Wire, name.Value, listed(names))
	return nil
}

func (p *pager) wrong(key string, name annotation.Field[string], fix, format string, args ...any) {
	p.refuseAt(name.Pos, annotation.RuleInvalidValue, fix, "x-pagination.%s of operation %q: %q %s", key, p.op.Name.Wire, name.Value, fmt.Sprintf(format, args...))
}

func listed(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }

// lastOf is the type at the end of a path.
func lastOf(path []*Field) *Type {
	if len(path) == 0 {
		return nil
	}
	return path[len(path)-1].Type.Type
}

func isText(t *Type) bool { return t.Kind == Primitive && t.Go == "string" && t.Import == "" }

var wholes = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}

func isWhole(t *Type) bool {
	return t.Kind == Primitive && t.Import == "" && slices.Contains(wholes, t.Go)
}

// first is where an upstream begins to count: at the default of what it is asked
// by, where that is a number of its type.
func first(t *Type, fallback, otherwise string) string {
	bits, err := strconv.Atoi(strings.TrimLeft(t.Go, "uint"))
	if err != nil {
		bits = 64
	}
	if strings.HasPrefix(t.Go, "uint") {
		if n, err := strconv.ParseUint(fallback, 10, bits); err == nil {
			return strconv.FormatUint(n, 10)
		}
		return otherwise
	}
	if n, err := strconv.ParseInt(fallback, 10, bits); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return otherwise
}
