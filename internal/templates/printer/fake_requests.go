package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// requests prints the typed request of each operation, and how it is decoded.
func (f *faker) requests(g *Group) {
	for _, op := range f.api.Operations {
		f.requestType(g, op)
		f.decodeFunc(g, op)
	}
}

// type CreatePetRequest struct {
func (f *faker) requestType(g *Group, op *spec.Operation) {
	var c comment
	c.text(op.Fake.RequestType + " is a request of " + op.Name.Go + ", " + op.Method + " " + op.Route + ".")
	c.print(g)
	g.Type().Add(id(op.Fake.RequestType)).StructFunc(func(g *Group) {
		g.Add(fake("Request"))
		for i, param := range op.PathParams {
			g.Add(id(op.Fake.PathFields[i]), f.refType(param.Type))
		}
		if op.ParamsType != "" {
			g.Id("Params").Add(f.of(op.ParamsType))
		}
		if op.Body != nil {
			g.Id("Body").Add(f.bodyType(op.Body))
		}
	}).Line()
}

// bodyType is the type that the client takes, and bytes where it takes what yields
// them.
func (f *faker) bodyType(body *spec.Body) *Statement {
	if asBytes(body) {
		return Index().Byte()
	}
	return f.refType(bodyRef(body))
}

func asBytes(body *spec.Body) bool {
	return body.Encoding == spec.Raw || body.Encoding == spec.Own || body.Encoding != spec.Multipart && body.Form != spec.Replayable
}

// func decodeCreatePet(in *fake.Input, r *CreatePetRequest) {
func (f *faker) decodeFunc(g *Group, op *spec.Operation) {
	g.Func().Add(id(op.Fake.DecodeFunc)).Params(
		Id("in").Op("*").Add(fake("Input")), Id("r").Op("*").Add(id(op.Fake.RequestType))).BlockFunc(func(g *Group) {
		g.Id("r").Dot("Request").Op("=").Add(fake("NewRequest")).Call(Id("in"))
		for i, param := range op.PathParams {
			decode(g, "Path", Lit(param.Name.Wire), pathStyle(param), Lit(param.Explode), target(op.Fake.PathFields[i]))
		}
		for _, param := range op.Query {
			decode(g, "Query", Lit(param.Name.Wire), sentStyle(param), target("Params", param.Name.Go))
		}
		for _, param := range op.Headers {
			f.decodeHeader(g, param)
		}
		if op.Body != nil {
			decodeBody(g, op.Body)
		}
	}).Line()
}

func decode(g *Group, method string, args ...Code) { g.Id("in").Dot(method).Call(args...) }

// target prints &r.Params.Limit.
func target(path ...string) *Statement {
	s := Op("&").Id("r")
	for _, name := range path {
		s.Dot(name)
	}
	return s
}

func (f *faker) decodeHeader(g *Group, param *spec.Param) {
	name, field := Lit(param.Name.Wire), target("Params", param.Name.Go)
	switch {
	case param.In == "cookie":
		decode(g, "Cookie", name, sentStyle(param), field)
	case param.Style == spec.StyleJSON:
		decode(g, "HeaderJSON", name, field)
	default:
		decode(g, "Header", name, Lit(param.Explode), field)
	}
}

// sentStyle is the style in which the client writes a parameter of a query or a
// cookie: a list that is exploded is a name for each item, whatever its style.
func sentStyle(param *spec.Param) Code {
	scalar := param.Type.Type.Scalar() && param.Style != spec.StyleJSON
	if scalar || param.In == "query" && param.Type.Type.Flat() && param.Explode && separators[param.Style] != "" {
		return wire("FormExplode")
	}
	return style(param.Style, param.Explode)
}

func pathStyle(param *spec.Param) Code {
	switch param.Style {
	case spec.StyleJSON:
		return fake("PathJSON")
	case spec.StyleLabel:
		return fake("Label")
	case spec.StyleMatrix:
		return fake("Matrix")
	}
	return fake("Simple")
}

func decodeBody(g *Group, body *spec.Body) {
	media, field := Lit(body.ContentType), target("Body")
	switch {
	case asBytes(body):
		decode(g, "Bytes", media, field)
	case body.Encoding == spec.Multipart:
		decode(g, "Multipart", Lit(mediaType(body)), field)
	case body.Encoding == spec.URLEncoded:
		decode(g, "Form", append([]Code{field}, propertyStyles(body)...)...)
	case body.Encoding == spec.Text:
		decode(g, "Text", media, field)
	default:
		decode(g, "JSON", media, field)
	}
}
