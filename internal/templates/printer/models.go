package printer

import (
	"strconv"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// models prints the named types.
func (p *printer) models(g *Group) {
	for _, t := range p.api.Types {
		typeComment(g, t)
		switch t.Kind {
		case spec.Struct:
			modelStruct(g, t)
		case spec.Enum:
			enum(g, t)
		case spec.Union:
			union(g, t)
		default:
			named(g, t)
		}
		p.typeValidate(g, t)
	}
}

func typeComment(g *Group, t *spec.Type) {
	var c comment
	c.text(subject(t.Name.Go, t.Description), unionText(t), tupleText(t))
	c.deprecated(t.Deprecated, "type")
	c.print(g)
}

// named prints a type that is no struct. A type of another package stays that
// type, with its methods.
func named(g *Group, t *spec.Type) {
	if t.Kind == spec.Primitive && t.Import != "" {
		g.Type().Add(id(t.Name.Go)).Op("=").Add(underlying(t)).Line()
		return
	}
	g.Type().Add(id(t.Name.Go), underlying(t)).Line()
}

func modelStruct(g *Group, t *spec.Type) {
	g.Type().Add(id(t.Name.Go)).StructFunc(func(g *Group) {
		for _, field := range t.Fields {
			var c comment
			c.text(field.Description, defaultText(field.Default))
			c.deprecated(field.Deprecated, "property")
			c.print(g)
			g.Add(id(field.Name.Go), refType(field.Type)).Tag(tag(t, field))
		}
		if t.Tuple {
			furtherItems(g, t)
		} else if t.Extra != nil {
			var c comment
			c.text(t.ExtraField + " are all others, by name.")
			c.print(g)
			g.Add(id(t.ExtraField)).Map(String()).Add(refType(t.Extra)).Tag(map[string]string{"json": "-", "wire": "extra"})
		}
	}).Line()
	switch {
	case t.Tuple:
		tupleMethods(g, t)
	case t.Extra != nil:
		extraMethods(g, t)
	}
}

// defaultText tells what the upstream takes for a value that is left out; it is
// never sent.
func defaultText(value string) string {
	if value == "" || len(value) > 80 {
		return ""
	}
	return "The default is " + oneLine(value) + "."
}

// tag is the field's json tag. What is not required is left out where it has no
// value; "-," is how a property is called "-". That of an item says where it is.
func tag(t *spec.Type, field *spec.Field) map[string]string {
	name := field.Name.Wire
	switch {
	case !field.Required:
		name += ",omitzero"
	case name == "-":
		name += ","
	}
	tags := map[string]string{"json": name}
	if t.Tuple {
		tags = map[string]string{"wire": name}
	}
	for _, more := range field.Tags {
		tags[more.Go] = more.Wire
	}
	return tags
}

// extraMethods prints how a struct with additional properties is encoded.
func extraMethods(g *Group, t *spec.Type) {
	self := receiver(t)
	fields := func(g *Group) { g.Type().Id("fields").Add(id(t.Name.Go)) }

	g.Comment("// MarshalJSON writes the additional properties beside the declared ones.")
	g.Func().Params(Id(self).Add(id(t.Name.Go))).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).BlockFunc(func(g *Group) {
		fields(g)
		g.Return(wire("MarshalExtra").Call(Id("fields").Call(Id(self)), Id(self).Dot(t.ExtraField)))
	}).Line()

	g.Comment("// UnmarshalJSON keeps the properties that are not declared.")
	g.Func().Params(Id(self).Op("*").Add(id(t.Name.Go))).Id("UnmarshalJSON").Params(Id("data").Index().Byte()).Error().BlockFunc(func(g *Group) {
		fields(g)
		g.Return(wire("UnmarshalExtra").Call(Id("data"), Parens(Op("*").Id("fields")).Call(Id(self)), Op("&").Id(self).Dot(t.ExtraField)))
	}).Line()
}

func extraRef(t *spec.Type) *spec.Ref {
	if t.Tuple {
		return &spec.Ref{Type: &spec.Type{Kind: spec.Slice, Elem: t.Extra, Rules: t.Rules}}
	}
	return &spec.Ref{Type: &spec.Type{Kind: spec.Map, Elem: t.Extra}}
}

// enum prints a type, its constants, and Known.
func enum(g *Group, t *spec.Type) {
	name, self := t.Name.Go, receiver(t)
	g.Type().Add(id(name), id(t.Go)).Line()
	if len(t.Values) > 0 {
		g.Comment(valuesText(t))
		g.Const().DefsFunc(func(g *Group) {
			for _, v := range t.Values {
				var c comment
				c.text(v.Description)
				c.print(g)
				g.Add(id(v.Name.Go), id(name)).Op("=").Add(enumLiteral(v.Literal))
			}
		}).Line()
	}
	if t.Constant != nil {
		constantMethods(g, t)
		return
	}
	g.Comment("// Known reports whether the API's description lists the value; an upstream may")
	g.Comment("// know newer ones.")
	g.Func().Params(Id(self).Add(id(name))).Id("Known").Params().Bool().BlockFunc(func(g *Group) {
		if len(t.Values) > 0 {
			g.Switch(Id(self)).Block(Case(ListFunc(func(g *Group) {
				for _, v := range t.Values {
					g.Add(id(v.Name.Go))
				}
			})).Block(Return(True())))
		}
		g.Return(False())
	}).Line()
}

func valuesText(t *spec.Type) string {
	if len(t.Values) == 1 {
		return "// The value of " + t.Name.Go + " that the API's description lists."
	}
	return "// The values of " + t.Name.Go + " that the API's description lists."
}

// constantMethods prints how a type with one value is sent: its zero value is that
// one.
func constantMethods(g *Group, t *spec.Type) {
	name, self := t.Name.Go, receiver(t)
	var c comment
	c.text("Known reports whether the value is " + t.Constant.Name.Go + ", as which the zero value is sent; an upstream may know newer ones.")
	c.print(g)
	g.Func().Params(Id(self).Add(id(name))).Id("Known").Params().Bool().Block(
		Return(constant(t, Id(self)).Op("==").Add(id(t.Constant.Name.Go))),
	).Line()

	c = comment{}
	c.text("MarshalJSON writes the zero value as " + t.Constant.Name.Go + ".")
	c.print(g)
	g.Func().Params(Id(self).Add(id(name))).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).Block(
		Return(Qual("encoding/json", "Marshal").Call(id(t.Go).Call(constant(t, Id(self))))),
	).Line()
}

// constant prints the value of a type that has one only: it, unless there is
// another.
func constant(t *spec.Type, value Code) *Statement {
	return Qual("cmp", "Or").Call(value, id(t.Constant.Name.Go))
}

// enumLiteral prints a literal that spec has prepared, once it is sure that it
// is one.
func enumLiteral(literal string) Code {
	if text, err := strconv.Unquote(literal); err == nil {
		return Lit(text)
	}
	if literal == "true" || literal == "false" {
		return id(literal)
	}
	return number(literal)
}
