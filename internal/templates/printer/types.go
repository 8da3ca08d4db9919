package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// refType prints a use of a type.
func refType(r *spec.Ref) *Statement {
	switch r.Form {
	case spec.Pointer:
		return Op("*").Add(typeName(r.Type))
	case spec.Nullable:
		return wire("Nullable").Types(typeName(r.Type))
	}
	return typeName(r.Type)
}

// typeName prints a type: its name, or its form if it has none.
func typeName(t *spec.Type) *Statement {
	if t.Name.Go != "" {
		return id(t.Name.Go)
	}
	return underlying(t)
}

// underlying prints what a named type is made of; structs are printed by models.
func underlying(t *spec.Type) *Statement {
	switch {
	case t.Kind == spec.Slice:
		return Index().Add(refType(t.Elem))
	case t.Kind == spec.Map:
		return Map(String()).Add(refType(t.Elem))
	case t.Kind == spec.Any:
		return Any()
	case t.Import != "":
		return Qual(t.Import, t.Go)
	case t.Go == "[]byte":
		return Index().Byte()
	}
	return id(t.Go)
}

// result prints the type that a method returns for a response: *Pet, []Pet,
// string.
func result(r *spec.Response) *Statement {
	if k := r.Type.Type.Kind; k == spec.Struct || k == spec.Union {
		return Op("*").Add(typeName(r.Type.Type))
	}
	return refType(r.Type)
}

// nilable reports whether nil is a value of the type.
func nilable(t *spec.Type) bool {
	return t.Kind == spec.Slice || t.Kind == spec.Map || t.Kind == spec.Any || isBytes(t) || t.Go == "RawMessage"
}

func isBytes(t *spec.Type) bool { return t.Kind == spec.Primitive && t.Go == "[]byte" }

// isString reports whether the type is string or a named form of it.
func isString(t *spec.Type) bool {
	return (t.Kind == spec.Primitive || t.Kind == spec.Enum) && t.Import == "" && t.Go == "string"
}

// zero prints the zero value of a method's result.
func zero(r *spec.Response) *Statement {
	if r.Type.Form != spec.Plain || r.Type.Type.Kind == spec.Struct || r.Type.Type.Kind == spec.Union || nilable(r.Type.Type) {
		return Nil()
	}
	switch t := r.Type.Type; {
	case t.Import != "":
		return typeName(t).Values()
	case t.Go == "string":
		return Lit("")
	case t.Go == "bool":
		return False()
	}
	return Lit(0)
}
