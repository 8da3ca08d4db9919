package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// params prints what the parameters of operations need: a struct for those of
// query and header, how it is encoded, and how parameters are validated.
func (p *printer) params(g *Group) {
	for _, op := range p.api.Operations {
		if op.ParamsType != "" {
			paramsStruct(g, op)
			p.paramsValidate(g, op)
			queryMethod(g, op)
			headerMethod(g, op)
		}
		p.argumentsValidate(g, op)
	}
}

// fieldParams are the parameters that are fields of the operation's struct.
func fieldParams(op *spec.Operation) []*spec.Param {
	return append(append([]*spec.Param(nil), op.Query...), op.Headers...)
}

// type ListPetsParams struct {
func paramsStruct(g *Group, op *spec.Operation) {
	kinds := "query and header"
	switch {
	case len(op.Headers) == 0:
		kinds = "query"
	case len(op.Query) == 0:
		kinds = "header"
	}
	var c comment
	c.text(op.ParamsType + " are the " + kinds + " parameters of " + op.Name.Go + ".")
	c.print(g)
	g.Type().Add(id(op.ParamsType)).StructFunc(func(g *Group) {
		for _, param := range fieldParams(op) {
			var c comment
			c.text(param.Description)
			if param.Required {
				c.text(param.Name.Go + " is required.")
			}
			c.deprecated(param.Deprecated, "parameter")
			c.print(g)
			g.Add(id(param.Name.Go), refType(param.Type))
		}
	}).Line()
}

// func (p ListPetsParams) query() string {
func queryMethod(g *Group, op *spec.Operation) {
	if len(op.Query) == 0 {
		return
	}
	g.Func().Params(Id("p").Add(id(op.ParamsType))).Id("query").Params().String().BlockFunc(func(g *Group) {
		g.Var().Id("q").Add(wire("Query"))
		for _, param := range op.Query {
			queryParam(g, param)
		}
		g.Return(Id("q").Dot("String").Call())
	}).Line()
}

func queryParam(g *Group, param *spec.Param) {
	name, t := Lit(param.Name.Wire), param.Type.Type
	value := Id("p").Dot(param.Name.Go)
	add := func(t *spec.Type, v Code) Code { return Id("q").Dot("Add").Call(name, text(t, v)) }
	switch {
	case t.Kind == spec.Slice && param.Explode:
		present(g, param.Type, value, func(g *Group, v *Statement) {
			g.For(List(Id("_"), Id("v")).Op(":=").Range().Add(v)).Block(add(t.Elem.Type, Id("v")))
		})
	case t.Kind == spec.Slice:
		joined(g, param, value, func(list Code) Code { return Id("q").Dot("Join").Call(name, Lit(","), list) })
	default:
		present(g, param.Type, value, func(g *Group, v *Statement) { g.Add(add(t, v)) })
	}
}

// func (p ListPetsParams) header() http.Header {
func headerMethod(g *Group, op *spec.Operation) {
	if len(op.Headers) == 0 {
		return
	}
	header := func() *Statement { return Qual("net/http", "Header") }
	g.Func().Params(Id("p").Add(id(op.ParamsType))).Id("header").Params().Add(header()).BlockFunc(func(g *Group) {
		g.Id("h").Op(":=").Add(header()).Values()
		for _, param := range op.Headers {
			headerParam(g, param)
		}
		g.Return(Id("h"))
	}).Line()
}

func headerParam(g *Group, param *spec.Param) {
	value := Id("p").Dot(param.Name.Go)
	set := func(v Code) Code { return Id("h").Dot("Set").Call(Lit(param.Name.Wire), v) }
	if param.Type.Type.Kind == spec.Slice {
		joined(g, param, value, func(list Code) Code { return set(wire("HeaderArray").Call(list)) })
		return
	}
	present(g, param.Type, value, func(g *Group, v *Statement) { g.Add(set(text(param.Type.Type, v))) })
}

// joined prints an array that is one value on the wire. A nil one is absent.
func joined(g *Group, param *spec.Param, value *Statement, use func(Code) Code) {
	present(g, param.Type, value, func(g *Group, v *Statement) {
		if param.Type.Form != spec.Plain {
			g.Add(use(list(g, scope{}, param.Type.Type, v)))
			return
		}
		g.If(Add(v).Op("!=").Nil()).BlockFunc(func(g *Group) {
			g.Add(use(list(g, scope{}, param.Type.Type, v)))
		})
	})
}
