package printer

import (
	"strconv"
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// check is one value to validate.
type check struct {
	name     Code       // expression of its name in problems
	value    *Statement // expression of the value
	ref      *spec.Ref
	required bool
	pattern  string // variable of its regular expression, "" for none
	depth    int    // of loops around it
	before   int    // items of the array that are elsewhere
}

// length prints how many items a slice has; number, which one that at i is.
func (c check) length() *Statement { return c.after().Len(c.value) }

func (c check) number(i string) *Statement { return c.after().Id(i) }

func (c check) after() *Statement {
	if c.before == 0 {
		return &Statement{}
	}
	return Lit(c.before).Op("+")
}

// token is a property's name as a token of a JSON pointer (RFC 6901).
func pointerToken(name string) Code {
	return Lit(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// validator prints the body of a function that reports problems.
func (p *printer) validator(checks []check) func(*Group) {
	return func(g *Group) {
		g.Var().Id("problems").Add(validate("Problems"))
		for _, c := range checks {
			p.check(g, c)
		}
		g.Return(Id("problems").Dot("Err").Call())
	}
}

// validateMethod prints the Validate method of a type.
func (p *printer) validateMethod(g *Group, self, typeName string, checks []check) {
	var c comment
	c.text("Validate reports what the API's description forbids.")
	c.print(g)
	g.Func().Params(Id(self).Add(id(typeName))).Id("Validate").Params().Error().BlockFunc(p.validator(checks)).Line()
}

func (p *printer) paramsValidate(g *Group, op *spec.Operation) {
	if !p.hasParamRules(op) {
		return
	}
	var checks []check
	for _, param := range fieldParams(op) {
		checks = append(checks, check{
			name: pointerToken(param.Name.Wire), value: Id("p").Dot(param.Name.Go),
			ref: param.Type, required: param.Required, pattern: p.patterns[argument{op, param}],
		})
	}
	patternVars(g, checks)
	p.validateMethod(g, "p", op.ParamsType, checks)
}

// argumentsValidate prints the function that validates path parameters, and a
// body that has no Validate method.
func (p *printer) argumentsValidate(g *Group, op *spec.Operation) {
	name := p.argumentChecks[op]
	if name == "" {
		return
	}
	var checks []check
	var args []Code
	for _, param := range op.PathParams {
		if p.needs(param.Type.Type) {
			args = append(args, id(param.Name.Go).Add(typeName(param.Type.Type)))
			checks = append(checks, check{name: pointerToken(param.Name.Wire), value: id(param.Name.Go),
				ref: &spec.Ref{Type: param.Type.Type}, pattern: p.patterns[argument{op, param}]})
		}
	}
	if body := op.Body; p.hasBodyRules(body) {
		args = append(args, id(body.Arg).Add(bodyType(body)))
		checks = append(checks, check{name: Lit(""), value: id(body.Arg), ref: bodyRef(body),
			required: body.Required, pattern: p.patterns[body]})
	}
	patternVars(g, checks)
	g.Func().Add(id(name)).Params(args...).Error().BlockFunc(p.validator(checks)).Line()
}

// typeValidate prints the Validate method of a named type.
func (p *printer) typeValidate(g *Group, t *spec.Type) {
	if !p.checked[t] || t.Kind == spec.Union {
		return // a union has the method of wire.Union
	}
	checks := p.itemChecks(t)
	if t.Kind == spec.Struct {
		checks = p.fieldChecks(t)
	}
	patternVars(g, checks)
	p.validateMethod(g, receiver(t), t.Name.Go, checks)
}

func (p *printer) fieldChecks(t *spec.Type) (checks []check) {
	self := receiver(t)
	for _, field := range sentFields(t) {
		checks = append(checks, check{name: pointerToken(field.Name.Wire), value: Id(self).Dot(field.Name.Go),
			ref: field.Type, required: field.Required, pattern: p.patterns[field]})
	}
	if t.Extra != nil {
		extra := check{name: Lit(""), value: Id(self).Dot(t.ExtraField), ref: extraRef(t), pattern: p.patterns[t]}
		if t.Tuple {
			extra.before = len(t.Fields)
		}
		checks = append(checks, extra)
	}
	return checks
}

// itemChecks checks a named slice or map like one without a name.
func (p *printer) itemChecks(t *spec.Type) []check {
	anonymous := *t
	anonymous.Name = spec.Name{}
	return []check{{name: Lit(""), value: Id(receiver(t)), ref: &spec.Ref{Type: &anonymous}, pattern: p.patterns[t]}}
}

// patternVars prints the regular expressions of checks: they compile once.
func patternVars(g *Group, checks []check) {
	var vars []Code
	for _, c := range checks {
		if c.pattern != "" {
			vars = append(vars, id(c.pattern).Op("=").Qual("regexp", "MustCompile").Call(raw(leaf(c.ref).Rules.Pattern)))
		}
	}
	switch len(vars) {
	case 0:
	case 1:
		g.Var().Add(vars[0]).Line()
	default:
		g.Var().Defs(vars...).Line()
	}
}

// check prints one value's check, under an if where the value may be absent.
func (p *printer) check(g *Group, c check) {
	if c.required && mustBePresent(c.ref) {
		g.Id("problems").Dot("Required").Call(c.name, Add(c.value).Op("!=").Nil())
	}
	if !p.needs(c.ref.Type) {
		return
	}
	if c.ref.Form == spec.Plain && (!c.required || c.ref.NilIsNull) && c.ref.Type.Rules.MinItems != nil && c.depth == 0 && c.before == 0 {
		g.If(Add(c.value).Op("!=").Nil()).BlockFunc(func(g *Group) { p.rules(g, c) })
		return
	}
	if c.ref.Form == spec.Pointer && hasMethod(p, c.ref.Type) {
		g.If(Add(c.value).Op("!=").Nil()).BlockFunc(func(g *Group) { p.rules(g, c) })
		return
	}
	present(g, c.ref, c.value, func(g *Group, value *Statement) {
		c.value = value
		p.rules(g, c)
	})
}

func hasMethod(p *printer, t *spec.Type) bool { return t.Kind == spec.Enum || p.checked[t] }

// mustBePresent reports whether the zero value of a required property would be
// sent as null, where null is forbidden.
func mustBePresent(r *spec.Ref) bool {
	return r.Form == spec.Plain && !r.NilIsNull && nilable(r.Type) && r.Type.Kind != spec.Any
}

// rules prints the checks of a value that is there.
func (p *printer) rules(g *Group, c check) {
	problems := func(method string, args ...Code) {
		g.Id("problems").Dot(method).Call(append([]Code{c.name}, args...)...)
	}
	rules := &c.ref.Type.Rules
	switch t := c.ref.Type; {
	case p.checked[t]:
		problems("Nested", Add(c.value).Dot("Validate").Call())
	case t.Kind == spec.Enum:
		problems("Enum", Add(c.value).Dot("Known").Call())
	case t.Kind == spec.Slice:
		if rules.MinItems != nil || rules.MaxItems != nil {
			problems("Items", c.length(), least(rules.MinItems), most(rules.MaxItems))
		}
		if rules.UniqueItems {
			g.Add(validate("Unique")).Call(Op("&").Id("problems"), c.name, c.value)
		}
		p.elements(g, c, "Index")
	case t.Kind == spec.Map:
		if rules.MinProperties != nil || rules.MaxProperties != nil {
			problems("Properties", Len(c.value), least(rules.MinProperties), most(rules.MaxProperties))
		}
		p.elements(g, c, "Key")
	default:
		for _, statement := range scalar(c) {
			g.Add(statement)
		}
	}
}

// elements prints the loop over a slice or map. Its variables depend on the
// depth, because the names of inner values mention the outer ones.
func (p *printer) elements(g *Group, c check, name string) {
	elem := c.ref.Type.Elem
	if !p.needs(elem.Type) {
		return
	}
	key, value := loopVars(c.depth)
	g.For(List(Id(key), Id(value)).Op(":=").Range().Add(c.value)).BlockFunc(func(g *Group) {
		p.check(g, check{name: validate(name).Call(c.name, c.number(key)), value: Id(value), ref: elem,
			pattern: c.pattern, depth: c.depth + 1})
	})
}

func loopVars(depth int) (key, value string) {
	if depth < 3 {
		return "ijk"[depth : depth+1], "vwx"[depth : depth+1]
	}
	n := strconv.Itoa(depth)
	return "i" + n, "v" + n
}
