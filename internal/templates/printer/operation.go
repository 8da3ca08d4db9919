package printer

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// operations prints contract and method of each operation, the one directly
// above the other.
func (p *printer) operations(g *Group, operations []*spec.Operation) {
	for _, op := range operations {
		contract(g, op)
		g.Line()
		operationComment(g, op)
		p.method(g, op)
		pagination(g, op)
	}
}

func operationComment(g *Group, op *spec.Operation) {
	var c comment
	if op.Further != nil {
		c.text(furtherText(op), noBody(op), semantics(op))
	} else {
		c.text(summary(op)...)
		c.text(op.Description, noBody(op), semantics(op))
	}
	c.deprecated(op.Deprecated, "operation")
	c.print(g)
}

// furtherText tells what a method for further content types differs in.
func furtherText(op *spec.Operation) string {
	var parts []string
	if sends := op.Further.Sends; sends != "" {
		parts = append(parts, "with a body of type "+oneLine(sends))
	}
	if reads := op.Further.Reads; reads != "" {
		parts = append(parts, "for an answer of type "+oneLine(reads))
	}
	return op.Name.Go + " is [Client." + op.Further.Of.Name.Go + "] " + strings.Join(parts, " and ") + "."
}

// func (c *Client) CreatePet(ctx context.Context, newPet NewPet, opts ...runtime.CallOption) (*Pet, error) {
func (p *printer) method(g *Group, op *spec.Operation) {
	g.Func().Params(Id("c").Op("*").Id("Client")).Add(signature(op)).BlockFunc(func(g *Group) { p.methodBody(g, op) }).Line()
}

// signature prints a method's name, parameters and results.
func signature(op *spec.Operation) *Statement {
	return id(op.Name.Go).Add(parameters(op), results(op))
}

func parameters(op *spec.Operation) *Statement {
	return ParamsFunc(func(g *Group) {
		g.Id("ctx").Qual("context", "Context")
		for _, a := range arguments(op) {
			g.Add(id(a.name), a.of)
		}
		g.Id("opts").Op("...").Add(rt("CallOption"))
	})
}

// declared is an argument of a method, between ctx and opts.
type declared struct {
	name string
	of   *Statement // its type
}

// arguments are those of a method, in their order.
func arguments(op *spec.Operation) (list []declared) {
	add := func(name string, of *Statement) { list = append(list, declared{name, of}) }
	for _, param := range op.PathParams {
		add(param.Name.Go, typeName(param.Type.Type))
	}
	if op.ParamsType != "" {
		add("params", id(op.ParamsType))
	}
	if op.Body != nil {
		add(op.Body.Arg, bodyType(op.Body))
	}
	if op.OnAmbiguous != "" {
		add(op.OnAmbiguous, onAmbiguousType(op))
	}
	return list
}

// onAmbiguousType is of the result of a method, where that can be answered.
func onAmbiguousType(op *spec.Operation) *Statement {
	of := rt("OnAmbiguous")
	switch list := typed(op); {
	case op.Stream != nil, len(list) == 0:
		return of.Types(rt("NoResult"))
	case op.ResultType != "":
		return of.Types(Op("*").Add(id(op.ResultType)))
	default:
		return of.Types(result(list[0]))
	}
}

// methodBody prints one call into runtime. A body that may be left out needs a
// request to put it in.
func (p *printer) methodBody(g *Group, op *spec.Operation) {
	s := argumentScope(op)
	path := path(g, s, op)
	request := rt("Request").Add(p.request(op, path))
	if body := op.Body; body != nil && !body.Required {
		variable := s.free("req")
		g.Id(variable).Op(":=").Add(request)
		g.If(id(body.Arg).Op("!=").Nil()).BlockFunc(func(g *Group) {
			g.Id(variable).Dot("Body").Op("=").Add(bodyValue(body))
			if p.validatesItself(body) {
				invalid := func() *Statement { return Id(variable).Dot("Invalid") }
				checks := []Code{Add(id(body.Arg)).Dot("Validate").Call()}
				if len(p.validations(op)) > 0 {
					checks = append([]Code{invalid()}, checks...)
				}
				g.Add(invalid()).Op("=").Add(joinErrors(checks))
			}
		})
		request = Id(variable)
	}
	g.Return(do(op).Call(Id("ctx"), Id("c").Dot("upstream"), Op("&").Add(id(op.Var)), request, id(op.ReadFunc), Id("opts")))
}

// do prints the function of runtime that makes the call.
func do(op *spec.Operation) *Statement {
	switch {
	case op.Stream != nil && op.Stream.Kind == spec.JSONValues:
		return rt("DoJSONStream").Types(result(&spec.Response{Type: op.Stream.Type}))
	case op.Stream != nil && op.Stream.Kind == spec.RawBytes:
		return rt("DoStream")
	case op.Stream != nil:
		return rt("DoEvents")
	case len(typed(op)) > 0:
		return rt("Do")
	}
	return rt("Exec")
}

// argumentScope holds the names that a method's body must not declare again.
func argumentScope(op *spec.Operation) scope {
	s := scope{"c": true, "ctx": true, "params": true, "opts": true, "i": true, "v": true, op.Var: true}
	for _, a := range arguments(op) {
		s[a.name] = true
	}
	return s
}

// request prints the literal of a request, in the order of its struct and
// without keys that say nothing.
func (p *printer) request(op *spec.Operation, path Code) Code {
	pairs := []pair{{"Path", path}}
	add := func(key string, value Code) { pairs = append(pairs, pair{key, value}) }
	if op.Server != nil {
		add("Server", Id("c").Dot(unexported(op.Server.Name.Go)))
	}
	switch {
	case len(op.Query) > 0:
		add("Query", Id("params").Dot("query").Call())
	case op.FixedQuery != "":
		add("Query", wire("RawQuery").Call(Lit(op.FixedQuery)))
	}
	if len(op.Headers) > 0 {
		add("Header", Id("params").Dot("header").Call())
	}
	if accept := accept(op); accept != "" {
		add("Accept", Lit(accept))
	}
	if types := others(op); op.Stream != nil && types != nil {
		add("Whole", texts(types))
	}
	if op.Contract.Key.Parts != nil {
		add("Key", key(op))
	}
	if op.Body != nil && op.Body.Required {
		add("Body", bodyValue(op.Body))
	}
	if auth := p.authOf[op]; auth != nil {
		add("Auth", Id("c").Dot(auth.field))
	}
	if op.OnAmbiguous != "" {
		add("Ask", Id(op.OnAmbiguous))
	}
	checks := p.validations(op)
	if body := op.Body; p.validatesItself(body) && body.Required {
		checks = append(checks, Add(id(body.Arg)).Dot("Validate").Call())
	}
	if len(checks) > 0 {
		add("Invalid", joinErrors(checks))
	}
	return fields(pairs...)
}

// validations are the checks of all arguments but a body that has a method for
// it.
func (p *printer) validations(op *spec.Operation) (checks []Code) {
	if name := p.argumentChecks[op]; name != "" {
		checks = append(checks, id(name).CallFunc(func(g *Group) {
			for _, param := range op.PathParams {
				if p.needs(param.Type.Type) {
					g.Add(id(param.Name.Go))
				}
			}
			if p.hasBodyRules(op.Body) {
				g.Add(id(op.Body.Arg))
			}
		}))
	}
	if p.hasParamRules(op) {
		checks = append(checks, Id("params").Dot("Validate").Call())
	}
	return checks
}

func joinErrors(checks []Code) Code {
	if len(checks) == 1 {
		return checks[0]
	}
	return Qual("errors", "Join").Call(checks...)
}

// path prints literals and values in turn, beginning with a literal.
func path(g *Group, s scope, op *spec.Operation) Code {
	var pieces []Code
	for _, part := range op.Path {
		if value := len(pieces)%2 == 1; value != (part.Param != nil) {
			pieces = append(pieces, Lit(""))
		}
		if part.Param == nil {
			pieces = append(pieces, Lit(part.Literal))
		} else {
			pieces = append(pieces, pathParam(g, s, part.Param))
		}
	}
	return Index().String().Values(pieces...)
}

func pathParam(g *Group, s scope, param *spec.Param) Code {
	value, t := id(param.Name.Go), param.Type.Type
	switch {
	case param.Style == spec.StyleJSON:
		return wire("PathJSON").Call(value)
	case param.Style == spec.StyleLabel:
		return wire("PathLabel").Call(Lit(param.Explode), value)
	case param.Style == spec.StyleMatrix:
		return wire("PathMatrix").Call(Lit(param.Name.Wire), Lit(param.Explode), value)
	case t.Scalar():
		return pathText(t, value)
	case t.Flat():
		return wire("PathArray").Call(list(g, s, t, value))
	}
	return wire("PathValue").Call(Lit(param.Explode), value)
}

// key prints the idempotency key in the same way, unencoded.
func key(op *spec.Operation) Code {
	var pieces []Code
	for _, part := range op.Contract.Key.Parts {
		literal := part.Param == nil && len(part.Fields) == 0
		if value := len(pieces)%2 == 1; value == literal {
			pieces = append(pieces, Lit(""))
		}
		switch {
		case literal:
			pieces = append(pieces, Lit(part.Literal))
		case part.Param != nil && part.Param.In == "path":
			pieces = append(pieces, text(part.Param.Type.Type, id(part.Param.Name.Go)))
		case part.Param != nil:
			pieces = append(pieces, text(part.Param.Type.Type, Id("params").Dot(part.Param.Name.Go)))
		default:
			value := id(op.Body.Arg)
			for _, field := range part.Fields {
				value = value.Dot(field.Name.Go)
			}
			pieces = append(pieces, text(part.Fields[len(part.Fields)-1].Type.Type, value))
		}
	}
	return Index().String().Values(pieces...)
}
