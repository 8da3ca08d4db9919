package printer

import (
	"fmt"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// Signature is what call sites see of an operation, as Go text.
type Signature struct {
	Method    string
	Arguments []string // between ctx and opts, "newPet NewPet"
	Params    []string // fields of the struct of parameters, "Limit *int64"
	Body      []string // fields of the struct that is the body, "Tag *string", "Name string, required"
	Result    string
}

// SignatureOf is the signature that method prints.
func SignatureOf(op *spec.Operation) Signature {
	s := Signature{Method: op.Name.Go, Result: goText(Var().Id("f").Func().Params().Add(results(op)))[len("var f func() "):]}
	for _, a := range arguments(op) {
		s.Arguments = append(s.Arguments, a.name+" "+goText(a.of))
	}
	for _, param := range fieldParams(op) {
		s.Params = append(s.Params, param.Name.Go+" "+goText(refType(param.Type)))
	}
	if op.Body != nil && op.Body.Type != nil {
		s.Body = bodyFields(op.Body.Type.Type)
	}
	return s
}

// bodyFields are those that a caller fills in; none of what is no struct.
func bodyFields(t *spec.Type) (fields []string) {
	if t.Kind != spec.Struct {
		return nil
	}
	for _, field := range t.Fields {
		text := field.Name.Go + " " + goText(refType(field.Type))
		if field.Required && !field.ReadOnly {
			text += ", required"
		}
		fields = append(fields, text)
	}
	return fields
}

func goText(code *Statement) string { return fmt.Sprintf("%#v", code) }
