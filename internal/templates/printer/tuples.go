package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

func tupleText(t *spec.Type) string {
	if !t.Tuple {
		return ""
	}
	return "It is an array in JSON, of its fields in this order."
}

// furtherItems prints the field of the items after those that have their own.
func furtherItems(g *Group, t *spec.Type) {
	if t.Extra == nil {
		return
	}
	var c comment
	c.text(t.ExtraField + " are all items after those.")
	c.print(g)
	g.Add(id(t.ExtraField)).Index().Add(refType(t.Extra)).Tag(map[string]string{"wire": "rest"})
}

// tupleMethods prints how a struct is encoded as an array.
func tupleMethods(g *Group, t *spec.Type) {
	self := receiver(t)
	g.Comment("// MarshalJSON writes the fields as an array.")
	g.Func().Params(Id(self).Add(id(t.Name.Go))).Id("MarshalJSON").Params().Params(Index().Byte(), Error()).Block(
		Return(wire("MarshalTuple").Call(Id(self))),
	).Line()

	g.Comment("// UnmarshalJSON reads them from an array.")
	g.Func().Params(Id(self).Op("*").Add(id(t.Name.Go))).Id("UnmarshalJSON").Params(Id("data").Index().Byte()).Error().Block(
		Return(wire("UnmarshalTuple").Call(Id("data"), Id(self))),
	).Line()
}
