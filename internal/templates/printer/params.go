package printer

import (
	"slices"
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// params prints what the parameters of operations need: a struct for those of
// query and header, how it is encoded, and how parameters are validated.
func (p *printer) params(g *Group) {
	for _, op := range p.api.Operations {
		if op.ParamsType != "" && op.Further == nil {
			paramsStruct(g, op)
			p.paramsValidate(g, op)
			queryMethod(g, op)
			headerMethod(g, op)
		}
		if !p.checksAlike(op) {
			p.argumentsValidate(g, op)
		}
	}
}

// fieldParams are the parameters that are fields of the operation's struct.
func fieldParams(op *spec.Operation) []*spec.Param {
	return append(append([]*spec.Param(nil), op.Query...), op.Headers...)
}

// type ListPetsParams struct {
func paramsStruct(g *Group, op *spec.Operation) {
	var c comment
	c.text(op.ParamsType + " are the " + kinds(op) + " parameters of " + op.Name.Go + ".")
	c.print(g)
	g.Type().Add(id(op.ParamsType)).StructFunc(func(g *Group) {
		for _, param := range fieldParams(op) {
			var c comment
			c.text(param.Description, defaultText(param.Default))
			if param.Required {
				c.text(param.Name.Go + " is required.")
			}
			c.deprecated(param.Deprecated, "parameter")
			c.print(g)
			g.Add(id(param.Name.Go), refType(param.Type))
		}
	}).Line()
}

// kinds are the kinds of parameters that an operation's struct holds.
func kinds(op *spec.Operation) string {
	var words []string
	for _, kind := range []string{"query", "header", "cookie"} {
		if slices.ContainsFunc(fieldParams(op), func(p *spec.Param) bool { return p.In == kind }) {
			words = append(words, kind)
		}
	}
	if len(words) == 3 {
		return "query, header and cookie"
	}
	return strings.Join(words, " and ")
}

// func (p ListPetsParams) query() (q wire.Query) {
func queryMethod(g *Group, op *spec.Operation) {
	if len(op.Query) == 0 {
		return
	}
	collector(g, op, "query", "q", "Query", func(g *Group) {
		if op.FixedQuery != "" {
			g.Id("q").Dot("Raw").Call(Lit(op.FixedQuery))
		}
		for _, param := range op.Query {
			queryParam(g, param)
		}
	})
}

// func (p ListPetsParams) header() (h wire.Header) {
func headerMethod(g *Group, op *spec.Operation) {
	if len(op.Headers) == 0 {
		return
	}
	collector(g, op, "header", "h", "Header", func(g *Group) {
		for _, param := range op.Headers {
			if param.In == "cookie" {
				cookieParam(g, param)
			} else {
				headerParam(g, param)
			}
		}
	})
}

func collector(g *Group, op *spec.Operation, method, result, goType string, body func(*Group)) {
	g.Func().Params(Id("p").Add(id(op.ParamsType))).Id(method).Params().Params(Id(result).Add(wire(goType))).BlockFunc(func(g *Group) {
		body(g)
		g.Return(Id(result))
	}).Line()
}

func queryParam(g *Group, param *spec.Param) {
	name, t := Lit(param.Name.Wire), param.Type.Type
	value := Id("p").Dot(param.Name.Go)
	add := func(t *spec.Type, v Code) Code { return Id("q").Dot("Add").Call(name, text(t, v)) }
	switch separator := separators[param.Style]; {
	case t.Scalar() && param.Style != spec.StyleJSON:
		present(g, param.Type, value, func(g *Group, v *Statement) { g.Add(add(t, v)) })
	case !t.Flat() || separator == "":
		g.Id("q").Dot("Value").Call(name, style(param.Style, param.Explode), value)
	case param.Explode:
		present(g, param.Type, value, func(g *Group, v *Statement) {
			g.For(List(Id("_"), Id("v")).Op(":=").Range().Add(v)).Block(add(t.Elem.Type, Id("v")))
		})
	default:
		joined(g, param, value, func(list Code) Code { return Id("q").Dot("Join").Call(name, Lit(separator), list) })
	}
}

// separators are those of the styles that join a list.
var separators = map[spec.Style]string{spec.StyleForm: ",", spec.StyleSpaceDelimited: " ", spec.StylePipeDelimited: "|"}

// style prints the style of a value that the runtime takes apart.
func style(s spec.Style, explode bool) Code {
	switch {
	case s == spec.StyleSpaceDelimited:
		return wire("SpaceDelimited")
	case s == spec.StylePipeDelimited:
		return wire("PipeDelimited")
	case s == spec.StyleDeepObject:
		return wire("DeepObject")
	case s == spec.StyleJSON:
		return wire("JSON")
	case explode:
		return wire("FormExplode")
	}
	return wire("Form")
}

func headerParam(g *Group, param *spec.Param) {
	name, t := Lit(param.Name.Wire), param.Type.Type
	value := Id("p").Dot(param.Name.Go)
	set := func(v Code) Code { return Id("h").Dot("Set").Call(name, v) }
	switch {
	case param.Style == spec.StyleJSON:
		g.Id("h").Dot("JSON").Call(name, value)
	case t.Scalar():
		present(g, param.Type, value, func(g *Group, v *Statement) { g.Add(set(text(t, v))) })
	case t.Flat():
		joined(g, param, value, func(list Code) Code { return set(wire("HeaderArray").Call(list)) })
	default:
		g.Id("h").Dot("Value").Call(name, Lit(param.Explode), value)
	}
}

func cookieParam(g *Group, param *spec.Param) {
	name, value := Lit(param.Name.Wire), Id("p").Dot(param.Name.Go)
	if param.Type.Type.Scalar() && param.Style != spec.StyleJSON {
		present(g, param.Type, value, func(g *Group, v *Statement) {
			g.Id("h").Dot("Cookie").Call(name, text(param.Type.Type, v))
		})
		return
	}
	g.Id("h").Dot("CookieValue").Call(name, style(param.Style, param.Explode), value)
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
