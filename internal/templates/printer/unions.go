package printer

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// unionText lists the variants of a union.
func unionText(t *spec.Type) string {
	if t.Kind != spec.Union {
		return ""
	}
	names := make([]string, len(t.Variants))
	for i, v := range t.Variants {
		names[i] = v.Name
	}
	text := "It is one of " + strings.Join(names, ", ")
	if t.Discriminator != "" {
		text += ", as its property " + quoted(t.Discriminator) + " says"
	}
	return text + ". What is read is kept as it is, also if it is none of them."
}

// union prints a type, how it is made of each variant, and how it is read as one.
func union(g *Group, t *spec.Type) {
	name, self := t.Name.Go, receiver(t)
	g.Type().Add(id(name)).Struct(wire("Union")).Line()
	for _, v := range t.Variants {
		from(g, t, v)
	}
	for _, v := range t.Variants {
		g.Comment("// As" + v.Name + " is the value as that type, or why it is none.")
		g.Func().Params(Id(self).Add(id(name))).Id("As"+v.Name).Params().Params(refType(v.Type), Error()).Block(
			Return(wire("As").Types(refType(v.Type)).Call(Id(self).Dot("Union"))),
		).Line()
	}
	if t.Discriminator != "" {
		discriminated(g, t)
	}
}

// func PetFromCat(v Cat) Pet {
func from(g *Group, t *spec.Type, v *spec.Variant) {
	text := "// " + v.From + " makes a " + t.Name.Go + "."
	if v.Preset != nil {
		text = "// " + v.From + " makes a " + t.Name.Go + ", with " + v.Preset.Name.Go + " " + quoted(v.Values[0]) + "."
	}
	g.Comment(text)
	g.Func().Add(id(v.From)).Params(Id("v").Add(refType(v.Type))).Add(id(t.Name.Go)).BlockFunc(func(g *Group) {
		if field := v.Preset; field != nil {
			preset(g, field, v.Values[0])
		}
		g.Return(id(t.Name.Go).Values(wire("UnionOf").Call(Id("v"))))
	}).Line()
}

func preset(g *Group, field *spec.Field, value string) {
	target := Id("v").Dot(field.Name.Go)
	typed := typeName(field.Type.Type).Call(Lit(value))
	if field.Type.Type.Kind == spec.Primitive {
		typed = Lit(value)
	}
	switch field.Type.Form {
	case spec.Pointer:
		g.Id("discriminator").Op(":=").Add(typed)
		g.Add(target).Op("=").Op("&").Id("discriminator")
	case spec.Nullable:
		g.Add(target).Op("=").Add(wire("Value").Types(typeName(field.Type.Type)).Call(Lit(value)))
	default:
		g.Add(target).Op("=").Lit(value)
	}
}

// discriminated prints how the discriminator is read, and what it means.
func discriminated(g *Group, t *spec.Type) {
	name, self := t.Name.Go, receiver(t)
	g.Comment("// Discriminator is the property " + quoted(t.Discriminator) + " of the value.")
	g.Func().Params(Id(self).Add(id(name))).Id("Discriminator").Params().String().Block(
		Return(Id(self).Dot("Property").Call(Lit(t.Discriminator))),
	).Line()

	g.Comment("// Value is the value as the type that Discriminator names; nil if it names none")
	g.Comment("// that is known.")
	g.Func().Params(Id(self).Add(id(name))).Id("Value").Params().Params(Any(), Error()).Block(
		Switch(Id(self).Dot("Discriminator").Call()).BlockFunc(func(g *Group) {
			for _, v := range t.Variants {
				var values []Code
				for _, value := range v.Values {
					values = append(values, Lit(value))
				}
				if values != nil {
					g.Case(values...).Block(Return(Id(self).Dot("As" + v.Name).Call()))
				}
			}
		}),
		Return(Nil(), Nil()),
	).Line()
}
