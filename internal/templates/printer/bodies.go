package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// bodyType is the type of the argument that yields the body: its Go type shows
// whether it can be sent again.
func bodyType(body *spec.Body) *Statement {
	switch {
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
	case body.Form == spec.Reopenable:
		return rt("Reopen").Call(Lit(body.ContentType), arg)
	case body.Form == spec.OneShot:
		return rt("Stream").Call(Lit(body.ContentType), arg)
	case body.Encoding == spec.Raw:
		return rt("Bytes").Call(Lit(body.ContentType), arg)
	}
	return rt("JSON").Call(arg)
}

// bodyRef is how the argument holds the body's type: a pointer for a value that
// may be left out.
func bodyRef(body *spec.Body) *spec.Ref {
	if body.Required || nilable(body.Type.Type) {
		return body.Type
	}
	return &spec.Ref{Type: body.Type.Type, Form: spec.Pointer}
}
