package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// keyOf is the declared key, without the values that its template names.
func keyOf(declared annotation.Idempotent) Key {
	if declared.Key == nil {
		return Key{}
	}
	k := Key{
		Header:    ownValue(declared.Key.Header),
		Retention: ownValue(declared.Key.Retention),
	}
	if template := declared.Key.Template; template.Set {
		k.Template = Value[string]{V: templateText(template.Value), Origin: FromOperation, Pos: template.Pos}
	}
	return k
}

func ownValue[T any](f annotation.Field[T]) Value[T] {
	v := Value[T]{V: f.Value, Pos: f.Pos}
	if f.Set {
		v.Origin = FromOperation
	}
	return v
}

func templateText(parts []annotation.Part) string {
	var b strings.Builder
	for _, part := range parts {
		if part.Name != "" {
			b.WriteString("{" + part.Name + "}")
			continue
		}
		b.WriteString(part.Literal)
	}
	return b.String()
}

// bindKeys finds the value of each name in the key templates.
func (l *loader) bindKeys() {
	for _, n := range l.operationNames {
		key := n.declared.Idempotent.Key
		if key == nil || !key.Template.Set {
			continue
		}
		for _, part := range key.Template.Value {
			bound := KeyPart{Literal: part.Literal}
			if part.Name != "" {
				var err error
				if bound, err = n.op.keyPart(part.Name); err != nil {
					if f := n.op.Further; f != nil {
						l.faulty[f.what()] = source.Diagnostic{Pos: key.Template.Pos, Message: "its body has no key: " + err.Error()}
						break
					}
					l.refuseAt(key.Template.Pos, annotation.RuleKeyTemplate, "name a required parameter or body field", "key template of operation %q: %s", n.op.Name.Wire, err)
					break
				}
			}
			n.op.Contract.Key.Parts = append(n.op.Contract.Key.Parts, bound)
		}
	}
}

// keyPart is the value that a name in a template stands for. It must be there
// in every call and have one spelling (RULE-KEY-INJECTIVE).
func (op *Operation) keyPart(name string) (KeyPart, error) {
	param, err := op.keyParam(name)
	if err != nil {
		return KeyPart{}, err
	}
	fields, missing := op.keyFields(name)
	switch {
	case param != nil && fields != nil:
		return KeyPart{}, fmt.Errorf("{%s} is a parameter and a field of the body", name)
	case param != nil:
		return KeyPart{Param: param}, checkKeyType(name, param.Required, param.Type)
	case fields == nil:
		return KeyPart{}, missing
	}
	for i, f := range fields {
		path := strings.Join(strings.Split(name, ".")[:i+1], ".")
		if !f.Required || f.Type.Form != Plain {
			return KeyPart{}, fmt.Errorf("{%s} needs the body field %s, which is optional or may be null", name, path)
		}
	}
	if !op.Body.Required || op.Body.Type.Form != Plain {
		return KeyPart{}, fmt.Errorf("{%s} is a field of the body, which is optional or may be null", name)
	}
	last := fields[len(fields)-1]
	return KeyPart{Fields: fields}, checkKeyType(name, true, last.Type)
}

func (op *Operation) keyParam(name string) (*Param, error) {
	var found *Param
	for _, p := range slices.Concat(op.PathParams, op.Query, op.Headers) {
		if p.Name.Wire != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("{%s} is a parameter in %s and in %s", name, found.In, p.In)
		}
		found = p
	}
	return found, nil
}

// keyFields is the path to a field of the body, or why there is none.
func (op *Operation) keyFields(name string) ([]*Field, error) {
	exists := op.keyNames()
	missing := fmt.Errorf("{%s} is neither a parameter nor a field of the body; there are %s", name, strings.Join(exists, ", "))
	if len(exists) == 0 {
		missing = fmt.Errorf("{%s} is neither a parameter nor a field of the body; there are none", name)
	}
	if op.Body == nil || op.Body.Type == nil {
		return nil, missing
	}
	path, found := fieldPath(op.Body.Type.Type, name)
	if !found {
		return nil, missing
	}
	return path, nil
}

// fieldPath is the path to a field of a struct, or of one in it, as far as it
// goes.
func fieldPath(t *Type, name string) (path []*Field, found bool) {
	for _, step := range fieldSteps(t, name) {
		i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name.Wire == step })
		if i < 0 {
			return path, false
		}
		path = append(path, t.Fields[i])
		t = t.Fields[i].Type.Type
	}
	return path, true
}

// fieldSteps splits a dotted path, unless a field has the whole name.
func fieldSteps(t *Type, name string) []string {
	if slices.ContainsFunc(t.Fields, func(f *Field) bool { return f.Name.Wire == name }) {
		return []string{name}
	}
	return strings.Split(name, ".")
}

// keyNames are the names that a template can use.
func (op *Operation) keyNames() []string {
	var names []string
	for _, p := range slices.Concat(op.PathParams, op.Query, op.Headers) {
		names = append(names, p.Name.Wire)
	}
	if op.Body != nil && op.Body.Type != nil {
		for _, f := range op.Body.Type.Type.Fields {
			names = append(names, f.Name.Wire)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkKeyType accepts values that have exactly one spelling.
func checkKeyType(name string, required bool, r *Ref) error {
	if !required || r.Form != Plain {
		return fmt.Errorf("{%s} is optional; without a value different calls would share a key", name)
	}
	switch t := r.Type; {
	case t.Kind == Enum, t.Kind == Primitive && (t.Go == "string" || strings.Contains(t.Go, "int") && t.Import == ""):
		return nil
	}
	return fmt.Errorf("{%s} is neither a string nor an integer", name)
}

// refuseAt is refuse for a position that is already known, and a kind of mistake.
func (l *loader) refuseAt(pos source.Pos, rule, fix, format string, args ...any) {
	l.found = append(l.found, source.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...), Fix: fix, Rule: rule})
}

// blamed is the position of the value that was set nearer to the operation.
func blamed[A, B any](e endpoint, a Value[A], b Value[B]) source.Pos {
	return cmp.Or(Nearer(a, b), e.op.pos())
}
