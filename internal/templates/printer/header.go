package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// header prints the struct of an operation's response headers, and how it is read.
func header(g *Group, op *spec.Operation) {
	if op.HeaderType == "" || op.Further != nil {
		return
	}
	var c comment
	c.text(op.HeaderType + " are the headers of a successful response of " + op.Name.Go + ".")
	c.print(g)
	g.Type().Add(id(op.HeaderType)).StructFunc(func(g *Group) {
		for _, field := range op.Header {
			var c comment
			c.text(field.Description)
			c.deprecated(field.Deprecated, "header")
			c.print(g)
			g.Add(id(field.Name.Go), refType(field.Type)).Tag(map[string]string{"header": field.Name.Wire})
		}
	}).Line()

	c = comment{}
	c.text(op.HeaderFunc + " reads them from the Header of an outcome; see [runtime.Report].")
	c.print(g)
	g.Func().Add(id(op.HeaderFunc)).Params(Id("h").Qual("net/http", "Header")).Params(Id("header").Add(id(op.HeaderType)), Err().Error()).Block(
		Err().Op("=").Add(wire("ParseHeader")).Call(Id("h"), Op("&").Id("header")),
		Return(Id("header"), Err()),
	).Line()
}
