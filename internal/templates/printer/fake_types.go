package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// The types of the client's package, seen from outside of it.

func (f *faker) refType(r *spec.Ref) *Statement {
	switch r.Form {
	case spec.Pointer:
		return Op("*").Add(f.typeName(r.Type))
	case spec.Nullable:
		return wire("Nullable").Types(f.typeName(r.Type))
	}
	return f.typeName(r.Type)
}

func (f *faker) typeName(t *spec.Type) *Statement {
	switch {
	case t.Name.Go != "":
		return f.of(t.Name.Go)
	case t.Kind == spec.Slice:
		return Index().Add(f.refType(t.Elem))
	case t.Kind == spec.Map:
		return Map(String()).Add(f.refType(t.Elem))
	}
	return underlying(t)
}
