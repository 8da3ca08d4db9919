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
	return s
}

func goText(code *Statement) string { return fmt.Sprintf("%#v", code) }
