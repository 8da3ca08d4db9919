package printer

import (
	"slices"

	"github.com/retrygen/retrygen/internal/spec"
)

// findChecked finds the named types that get a Validate method: those that
// requests send and that have rules, or parts with rules. Types are recursive,
// so it repeats until nothing is new.
func (p *printer) findChecked() {
	sent := sentTypes(p.api)
	for found := true; found; {
		found = false
		for _, t := range p.api.Types {
			if sent[t] && composite(t) && !p.checked[t] && p.hasRules(t) {
				p.checked[t] = true
				found = true
			}
		}
	}
}

// sentTypes are the types of which requests are made.
func sentTypes(api *spec.API) map[*spec.Type]bool {
	sent := map[*spec.Type]bool{}
	var visit func(*spec.Ref)
	visit = func(r *spec.Ref) {
		if r == nil || sent[r.Type] {
			return
		}
		sent[r.Type] = true
		visit(r.Type.Elem)
		visit(r.Type.Extra)
		for _, v := range r.Type.Variants {
			visit(v.Type)
		}
		for _, field := range sentFields(r.Type) {
			visit(field.Type)
		}
	}
	for _, op := range api.Operations {
		for _, param := range append(fieldParams(op), op.PathParams...) {
			visit(param.Type)
		}
		if op.Body != nil {
			visit(op.Body.Type)
		}
	}
	return sent
}

// sentFields are the fields of a struct that belong into requests.
func sentFields(t *spec.Type) (fields []*spec.Field) {
	for _, field := range t.Fields {
		if !field.ReadOnly {
			fields = append(fields, field)
		}
	}
	return fields
}

// needs reports whether a value of the type is to be validated.
func (p *printer) needs(t *spec.Type) bool {
	if t.Name.Go != "" && composite(t) {
		return p.checked[t]
	}
	return p.hasRules(t)
}

func composite(t *spec.Type) bool {
	return t.Kind == spec.Struct || t.Kind == spec.Slice || t.Kind == spec.Map || t.Kind == spec.Union
}

// hasRules reports whether the type has rules of its own, or parts with rules.
func (p *printer) hasRules(t *spec.Type) bool {
	rules := &t.Rules
	switch t.Kind {
	case spec.Enum:
		return true
	case spec.Slice:
		return rules.MinItems != nil || rules.MaxItems != nil || rules.UniqueItems || p.needs(t.Elem.Type)
	case spec.Map:
		return rules.MinProperties != nil || rules.MaxProperties != nil || p.needs(t.Elem.Type)
	case spec.Struct:
		for _, field := range sentFields(t) {
			if p.needs(field.Type.Type) || field.Required && mustBePresent(field.Type) {
				return true
			}
		}
		return t.Extra != nil && p.hasRules(extraRef(t).Type)
	case spec.Union:
		return slices.ContainsFunc(t.Variants, func(v *spec.Variant) bool {
			named := v.Type.Type.Name.Go != "" && composite(v.Type.Type)
			return named && p.needs(v.Type.Type) // the others have no method to ask
		})
	}
	return len(scalar(check{ref: &spec.Ref{Type: t}, pattern: "pattern"})) > 0
}

func (p *printer) hasParamRules(op *spec.Operation) bool {
	for _, param := range fieldParams(op) {
		if p.needs(param.Type.Type) || param.Required && mustBePresent(param.Type) {
			return true
		}
	}
	return false
}

// validatesItself reports whether the body's argument has a Validate method that
// can be called: a nil that stands for null has none.
func (p *printer) validatesItself(body *spec.Body) bool {
	return body != nil && body.Type != nil && p.checked[body.Type.Type] && body.Type.Form == spec.Plain
}

// hasBodyRules reports whether the body is to be validated in another way.
func (p *printer) hasBodyRules(body *spec.Body) bool {
	return body != nil && body.Type != nil && !p.validatesItself(body) &&
		(p.needs(body.Type.Type) || body.Required && mustBePresent(body.Type))
}

// nameTypePatterns names the variables of the regular expressions of a type.
func (p *printer) nameTypePatterns(s scope, t *spec.Type) {
	if !p.checked[t] {
		return
	}
	name := unexported(t.Name.Go)
	for _, field := range sentFields(t) {
		p.namePattern(s, field, field.Type, name+field.Name.Go)
	}
	if t.Elem != nil {
		p.namePattern(s, t, t.Elem, name)
	}
	if t.Extra != nil {
		p.namePattern(s, t, t.Extra, name+t.ExtraField)
	}
}

// nameOperationChecks names what the validation of an operation's arguments
// declares.
func (p *printer) nameOperationChecks(s scope, op *spec.Operation) {
	if p.checksAlike(op) {
		p.argumentChecks[op] = p.argumentChecks[op.Further.Of]
		return
	}
	for _, param := range fieldParams(op) {
		p.namePattern(s, argument{op, param}, param.Type, op.Var+exported(param.Name.Go))
	}
	own := p.hasBodyRules(op.Body)
	if own {
		p.namePattern(s, op.Body, op.Body.Type, op.Var+exported(op.Body.Arg))
	}
	for _, param := range op.PathParams {
		p.namePattern(s, argument{op, param}, param.Type, op.Var+exported(param.Name.Go))
		own = own || p.needs(param.Type.Type)
	}
	if own {
		p.argumentChecks[op] = s.free("validate" + op.Name.Go)
	}
}

// checksAlike reports whether a method for further content types has the arguments
// to validate that its operation has.
func (p *printer) checksAlike(op *spec.Operation) bool {
	return op.Further != nil && !p.hasBodyRules(op.Body) && !p.hasBodyRules(op.Further.Of.Body)
}

// argument is a parameter of one operation: operations may share parameters.
type argument struct {
	op    *spec.Operation
	param *spec.Param
}

func (p *printer) namePattern(s scope, owner any, r *spec.Ref, name string) {
	if t := leaf(r); isString(t) && t.Kind == spec.Primitive && t.Rules.Pattern != "" {
		p.patterns[owner] = s.free(name + "Pattern")
	}
}

// leaf is what slices and maps without a name are made of.
func leaf(r *spec.Ref) *spec.Type {
	t := r.Type
	for t.Name.Go == "" && (t.Kind == spec.Slice || t.Kind == spec.Map) {
		t = t.Elem.Type
	}
	return t
}
