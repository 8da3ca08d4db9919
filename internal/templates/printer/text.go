package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// text prints the expression that turns a value into its text, as it goes into a
// path, a query, a header or a key.
func text(t *spec.Type, value Code) *Statement {
	if t.Constant != nil {
		value = constant(t, value)
	}
	switch {
	case isBytes(t):
		return Qual("encoding/base64", "StdEncoding").Dot("EncodeToString").Call(value)
	case t.Import == "time":
		return Add(value).Dot("Format").Call(Qual("time", "RFC3339Nano"))
	case t.Import != "":
		return Add(value).Dot("String").Call()
	}
	named := t.Name.Go != ""
	as := func(base string) *Statement {
		if t.Go == base && !named {
			return Add(value)
		}
		return id(base).Call(value)
	}
	switch t.Go {
	case "string":
		return as("string")
	case "bool":
		return Qual("strconv", "FormatBool").Call(as("bool"))
	case "int":
		return Qual("strconv", "Itoa").Call(as("int"))
	case "int8", "int16", "int32", "int64":
		return Qual("strconv", "FormatInt").Call(as("int64"), Lit(10))
	case "uint", "uint8", "uint16", "uint32", "uint64":
		return Qual("strconv", "FormatUint").Call(as("uint64"), Lit(10))
	case "float32":
		return Qual("strconv", "FormatFloat").Call(as("float64"), LitRune('f'), Lit(-1), Lit(32))
	case "float64":
		return Qual("strconv", "FormatFloat").Call(as("float64"), LitRune('f'), Lit(-1), Lit(64))
	}
	panic("a " + t.Go + " has no text")
}

// pathText is text, encoded for a path where it can have characters that mean
// something there.
func pathText(t *spec.Type, value Code) *Statement {
	if t.Import == "" && t.Go != "string" && t.Go != "[]byte" || t.Import == wirePath {
		return text(t, value)
	}
	return wire("PathString").Call(text(t, value))
}

// list prints a []string of a slice's items. Items that are no strings are
// converted one by one before, in g.
func list(g *Group, s scope, t *spec.Type, value Code) *Statement {
	elem := t.Elem.Type
	if elem.Kind == spec.Primitive && elem.Name.Go == "" && elem.Import == "" && elem.Go == "string" {
		return Add(value)
	}
	texts := s.free("texts")
	g.Id(texts).Op(":=").Make(Index().String(), Len(value))
	g.For(List(Id("i"), Id("v")).Op(":=").Range().Add(value)).Block(
		Id(texts).Index(Id("i")).Op("=").Add(text(elem, Id("v"))),
	)
	return Id(texts)
}

// present prints do for a parameter's value where it is there: always, or in an
// if for one that may be absent.
func present(g *Group, r *spec.Ref, value *Statement, do func(*Group, *Statement)) {
	switch {
	case r.Form == spec.Pointer && nilable(r.Type):
		g.If(value.Clone().Op("!=").Nil()).BlockFunc(func(g *Group) { do(g, Parens(Op("*").Add(value))) })
	case r.Form == spec.Pointer:
		g.If(value.Clone().Op("!=").Nil()).BlockFunc(func(g *Group) { do(g, dereferenced(r.Type, value)) })
	case r.Form == spec.Omitted:
		g.If(notZero(r.Type, value)).BlockFunc(func(g *Group) { do(g, value) })
	case r.Form == spec.Nullable:
		g.If(List(Id("v"), Id("ok")).Op(":=").Add(value).Dot("Get").Call(), Id("ok")).BlockFunc(func(g *Group) {
			do(g, Id("v"))
		})
	default:
		do(g, value)
	}
}

// notZero prints whether a scalar is there where its zero value is none.
func notZero(t *spec.Type, value *Statement) *Statement {
	switch t.Go {
	case "bool":
		return value.Clone()
	case "string":
		return value.Clone().Op("!=").Lit("")
	}
	return value.Clone().Op("!=").Lit(0)
}

// dereferenced is *value, or value where Go dereferences by itself, before a
// method.
func dereferenced(t *spec.Type, value *Statement) *Statement {
	if t.Import != "" {
		return Add(value)
	}
	return Op("*").Add(value)
}
