package printer

import (
	"fmt"
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// bodyType is the type of the argument that yields the body: its Go type shows
// whether it can be sent again.
func bodyType(body *spec.Body) *Statement {
	switch {
	case body.Encoding == spec.Own:
		return rt("Body")
	case body.Encoding == spec.Multipart:
		return refType(bodyRef(body))
	case body.Form == spec.Reopenable:
		return rt("Opener")
	case body.Form == spec.OneShot:
		return Qual("io", "Reader")
	case body.Encoding == spec.Raw:
		return Index().Byte()
	}
	return refType(bodyRef(body))
}

// bodyValue is the runtime.Body of the argument.
func bodyValue(body *spec.Body) *Statement {
	arg := id(body.Arg)
	switch {
	case body.Encoding == spec.Own:
		return arg
	case body.Encoding == spec.Multipart:
		return rt("MultipartForm").Call(append([]Code{Lit(mediaType(body)), arg}, partTypes(body)...)...)
	case body.Form == spec.Reopenable:
		return rt("Reopen").Call(Lit(body.ContentType), arg)
	case body.Form == spec.OneShot:
		return rt("Stream").Call(Lit(body.ContentType), arg)
	case body.Encoding == spec.Raw:
		return rt("Bytes").Call(Lit(body.ContentType), arg)
	case body.Encoding == spec.Text:
		return rt("Bytes").Call(Lit(body.ContentType), Index().Byte().Parens(bodyText(body)))
	case body.Encoding == spec.URLEncoded:
		return rt("Form").Call(append([]Code{arg}, propertyStyles(body)...)...)
	case body.ContentType != "application/json":
		return rt("JSONAs").Call(Lit(body.ContentType), arg)
	}
	return rt("JSON").Call(arg)
}

// bodyText prints a scalar body as text.
func bodyText(body *spec.Body) Code {
	value := id(body.Arg)
	if bodyRef(body).Form == spec.Pointer {
		value = dereferenced(body.Type.Type, value)
	}
	return text(body.Type.Type, value)
}

// mediaType is a body's media type without parameters: the boundary is added.
func mediaType(body *spec.Body) string {
	base, _, _ := strings.Cut(body.ContentType, ";")
	return strings.TrimSpace(base)
}

// propertyStyles prints how properties of a form are written, a style a line.
func propertyStyles(body *spec.Body) []Code {
	return grouped(body, "Styled", func(p *spec.PropertyEncoding) Code { return style(p.Style, p.Explode) })
}

func partTypes(body *spec.Body) []Code {
	return grouped(body, "Typed", func(p *spec.PropertyEncoding) Code { return Lit(p.ContentType) })
}

// grouped prints an encoding for each group of properties that have the same.
func grouped(body *spec.Body, function string, of func(*spec.PropertyEncoding) Code) (list []Code) {
	names := map[string][]Code{}
	var order []Code
	for _, p := range body.Properties {
		code := of(p)
		key := fmt.Sprintf("%#v", code)
		if names[key] == nil {
			order = append(order, code)
		}
		names[key] = append(names[key], Lit(p.Name))
	}
	for _, code := range order {
		list = append(list, wire(function).Call(append([]Code{code}, names[fmt.Sprintf("%#v", code)]...)...))
	}
	return list
}

// bodyRef is how the argument holds the body's type: a pointer for a value that
// may be left out.
func bodyRef(body *spec.Body) *spec.Ref {
	if body.Required || nilable(body.Type.Type) {
		return body.Type
	}
	return &spec.Ref{Type: body.Type.Type, Form: spec.Pointer}
}
