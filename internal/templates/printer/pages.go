package printer

import (
	"cmp"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// pagination prints the methods over the pages of an operation, and over their
// items.
func pagination(g *Group, op *spec.Operation) {
	p := op.Pagination
	if p == nil {
		return
	}
	var c comment
	c.text(p.Pages + " yields the pages of [Client." + op.Name.Go + "]" + beginning(op) + ". Each is one call, with opts; an error is the last thing it yields.")
	c.deprecated(op.Deprecated, "operation")
	c.print(g)
	g.Func().Params(Id("c").Op("*").Id("Client")).Add(pagesSignature(op)).Block(Return(pages(op))).Line()
	if p.Item == nil {
		return
	}
	c = comment{}
	c.text(p.All + " yields the items of [Client." + p.Pages + "], one by one.")
	c.deprecated(op.Deprecated, "operation")
	c.print(g)
	g.Func().Params(Id("c").Op("*").Id("Client")).Add(itemsSignature(op)).Block(
		Return(rt("Items").Call(call(op, p.Pages, nil), itemsOf(op))),
	).Line()
}

// beginning tells which page is the first.
func beginning(op *spec.Operation) string {
	switch p := op.Pagination; {
	case p.Param != nil:
		return ", beginning at params." + p.Param.Name.Go
	case p.BodyFields != nil:
		return ", beginning at " + op.Body.Arg + fieldNames(p.BodyFields)
	}
	return ""
}

func fieldNames(path []*spec.Field) (names string) {
	for _, f := range path {
		names += "." + f.Name.Go
	}
	return names
}

func pagesSignature(op *spec.Operation) *Statement {
	return id(op.Pagination.Pages).Add(parameters(op), sequence(pageType(op)))
}

func itemsSignature(op *spec.Operation) *Statement {
	return id(op.Pagination.All).Add(parameters(op), sequence(refType(op.Pagination.Item)))
}

func sequence(of Code) *Statement { return Qual("iter", "Seq2").Types(of, Error()) }

func pageType(op *spec.Operation) *Statement { return result(typed(op)[0]) }

// call prints a call of a method with the arguments of an operation's own, of which
// one may have another name.
func call(op *spec.Operation, method string, renamed map[string]string) *Statement {
	return Id("c").Dot(method).CallFunc(func(g *Group) {
		g.Id("ctx")
		for _, a := range arguments(op) {
			g.Add(id(cmp.Or(renamed[a.name], a.name)))
		}
		g.Id("opts").Op("...")
	})
}

// runtime.CursorPages[*Pets, string]{...}.All(opts)
func pages(op *spec.Operation) *Statement {
	p := op.Pagination
	var pairs []pair
	add := func(key string, value Code) { pairs = append(pairs, pair{key, value}) }
	if p.Kind == spec.ByLink {
		add("Call", oneLiner(callSignature(op), call(op, op.Name.Go, nil)))
		return rt("LinkedPages").Types(pageType(op)).Add(fields(pairs...)).Dot("All").Call(Id("opts"))
	}
	argument, at := asking(op)
	add("From", pointerTo(at(id(argument))))
	if p.First != "" {
		add("First", number(p.First))
	}
	add("Call", callPage(op))
	switch {
	case p.Kind == spec.ByCursor:
		add("Next", accessor(op, p.Next, Op("*").Add(typeName(p.Type)), Nil(), pointerTo))
	case p.Item != nil:
		add("Count", accessor(op, p.Items, Int(), Lit(0), func(list spot) *Statement { return Len(list.code) }))
	}
	if p.More != nil {
		add("More", accessor(op, p.More, Op("*").Bool(), Nil(), pointerTo))
	}
	name := map[spec.PaginationKind]string{spec.ByCursor: "CursorPages", spec.ByOffset: "OffsetPages", spec.ByNumber: "NumberedPages"}[p.Kind]
	return rt(name).Types(pageType(op), typeName(p.Type)).Add(fields(pairs...)).Dot("All").Call(Id("opts"))
}

// asking tells which argument asks for a page, and where in it.
func asking(op *spec.Operation) (argument string, at func(*Statement) spot) {
	p := op.Pagination
	if p.Param != nil {
		return "params", func(params *Statement) spot { return spot{params.Dot(p.Param.Name.Go), p.Param.Type.Form} }
	}
	return op.Body.Arg, func(body *Statement) spot {
		for _, f := range p.BodyFields {
			body = body.Dot(f.Name.Go)
		}
		return spot{body, p.BodyFields[len(p.BodyFields)-1].Type.Form}
	}
}

// callPage prints how a page is asked for, with a copy of the caller's argument.
func callPage(op *spec.Operation) *Statement {
	s := argumentScope(op)
	name := map[spec.PaginationKind]string{spec.ByCursor: "cursor", spec.ByOffset: "offset", spec.ByNumber: "number"}[op.Pagination.Kind]
	value, next := s.free(name), s.free("next")
	argument, at := asking(op)
	return callSignature(op, Id(value).Op("*").Add(typeName(op.Pagination.Type))).BlockFunc(func(g *Group) {
		g.Id(next).Op(":=").Add(id(argument))
		switch to := at(Id(next)); to.form {
		case spec.Pointer:
			g.Add(to.code).Op("=").Id(value)
		case spec.Plain:
			g.Add(to.code).Op("=").Op("*").Id(value)
		case spec.Nullable: // of the first page it may be null
			g.If(Id(value).Op("!=").Nil()).Block(to.code.Op("=").Add(wire("Value")).Call(Op("*").Id(value)))
		}
		g.Return(call(op, op.Name.Go, map[string]string{argument: next}))
	})
}

// func(cursor *string, opts []runtime.CallOption) (*Pets, error)
func callSignature(op *spec.Operation, first ...Code) *Statement {
	return Func().Params(append(first, Id("opts").Index().Add(rt("CallOption")))...).Params(pageType(op), Error())
}

// itemsOf prints the function that takes the items out of a page.
func itemsOf(op *spec.Operation) *Statement {
	return accessor(op, op.Pagination.Items, Index().Add(refType(op.Pagination.Item)), Nil(), func(list spot) *Statement { return list.code })
}

// spot is an expression, and how it holds its type.
type spot struct {
	code *Statement
	form spec.Form
}

// pointerTo is a pointer to a value; nil where there is none.
func pointerTo(s spot) *Statement {
	switch s.form {
	case spec.Plain:
		return Op("&").Add(s.code)
	case spec.Nullable:
		return Add(s.code).Dot("Ptr").Call()
	}
	return s.code
}

// accessor prints a function of a page, which reads what is at the end of a path;
// none is its result where something on the path is not there.
func accessor(op *spec.Operation, path []*spec.Field, result, none Code, read func(spot) *Statement) *Statement {
	at, absent := spot{code: Id("page")}, []Code(nil)
	missing := func() { absent = append(absent, Add(at.code).Op("==").Nil()) }
	if op.Pagination.NilPage {
		missing()
	}
	for i, f := range path {
		at = spot{Add(at.code).Dot(f.Name.Go), f.Type.Form}
		list := f.Type.Type.Kind == spec.Slice
		if at.form == spec.Plain || i == len(path)-1 && !list {
			continue
		}
		at = spot{code: pointerTo(at)}
		missing()
		if list {
			at.code = Op("*").Add(at.code)
		}
	}
	signature := Func().Params(Id("page").Add(pageType(op))).Add(result)
	if absent == nil {
		return oneLiner(signature, read(at))
	}
	return signature.Block(If(anyOf(absent)).Block(Return(none)), Return(read(at)))
}

func anyOf(conditions []Code) *Statement {
	return Custom(Options{Separator: "||"}, conditions...)
}

// oneLiner prints a function that does no more than to return a value.
func oneLiner(signature *Statement, value Code) *Statement {
	return signature.Custom(Options{Open: "{", Close: "}"}, Return(value))
}
