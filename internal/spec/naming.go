package spec

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// naming gives all Go names, scope by scope.
type naming struct {
	*loader
	pkg    *scope
	unused bool // the types that no operation uses have their turn
}

// nameAll gives names in the order of their importance: schemas have theirs
// whatever the operations are called, and so on. Types that nothing uses come last:
// to ask for them changes no other name.
func (l *loader) nameAll() {
	n := naming{loader: l, pkg: newScope(declared, packages, keywords, predeclared, []string{l.options.Interface})}
	n.components()
	n.methods()
	n.operationTypes()
	n.partsOfTypes()
	n.unused = true
	n.components()
	n.partsOfTypes()
	n.fields()
	n.headerFields()
	n.results()
	n.arguments()
	n.config()
	l.collect()
}

// types are those whose turn it is.
func (n naming) types() []*named {
	return slices.DeleteFunc(slices.Clone(n.named), func(t *named) bool { return t.late != n.unused })
}

func (n naming) partsOfTypes() {
	n.inline()
	n.enumValues()
	n.variants()
}

func (n naming) batch(s *scope, wants []want) {
	for i, w := range wants {
		if w.wanted != "" {
			wants[i].set = func(name string) {
				w.set(name)
				if name != w.wanted {
					n.note(w.at, "", "the Go name %s of the document is taken or reserved; it is %s here", w.wanted, name)
				}
			}
		}
	}
	for _, w := range s.name(wants) {
		pos := w.at.pos()
		if w.option != "" {
			pos = n.options.Places[w.option]
		}
		n.refuseAt(pos, "", "choose another name", "the Go name %s for %q is taken or reserved", w.choices[0], w.wire)
		w.set(w.choices[0])
	}
}

// want is a wish for a name: the document's (x-go-name), or the user's will, which
// is Options.Names under one of the keys.
func (n naming) want(key, wire string, at, goName cursor, keys []string, choices ...string) want {
	w := want{key: key, wire: wire, at: at, choices: choices}
	for _, key := range keys {
		if name, ok := n.options.Names[key]; ok {
			option := "names." + key
			n.used[option] = true
			if !exportedName(name) {
				n.refuseOption(option, exportedFix, "%q is no exported Go name", name)
				return w
			}
			w.option = option
			return n.force(w, name)
		}
	}
	if goName.exists() {
		w.at = goName
		return n.prefer(w, goName.text())
	}
	return w
}

// prefer takes a name that the document has chosen, if it can be had.
func (n naming) prefer(w want, name string) want {
	if !exportedName(name) {
		n.refuse(w.at, exportedFix, "%q is no exported Go name", name)
		return w
	}
	w.wanted, w.choices = name, append([]string{name}, w.choices...)
	return w
}

const exportedFix = "use letters, digits and underscores, and begin with a capital"

func exportedName(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

func (n naming) force(w want, name string) want {
	if !exportedName(name) {
		n.refuse(w.at, exportedFix, "%q is no exported Go name", name)
		return w
	}
	w.forced, w.choices = true, []string{name}
	return w
}

func (t *named) needsName() bool {
	return t.needed || t.typ.Kind == Struct || t.typ.Kind == Enum || t.typ.Kind == Union
}

// components names the types that have a name in the document: those of the
// root document first.
func (n naming) components() {
	var root, other []want
	for _, t := range n.types() {
		if t.component == "" || !t.needsName() {
			continue
		}
		name := exported(t.component)
		choices := []string{name, spelled(t.component), name + "Schema"}
		if t.file != "" {
			choices = []string{name, exported(fileWord(t.file)) + name}
		}
		w := n.want(t.id, t.component, t.at, t.goName, []string{t.component}, choices...)
		w.set = t.setName(t.component)
		if t.file == "" {
			root = append(root, w)
		} else {
			other = append(other, w)
		}
	}
	n.batch(n.pkg, root)
	n.batch(n.pkg, other)
}

func (t *named) setName(wire string) func(string) {
	return func(name string) { t.typ.Name = Name{Wire: wire, Go: name} }
}

// methods names the methods of the client, and the variables and functions
// under them.
func (n naming) methods() {
	var wants []want
	var further []operationName
	for _, o := range n.operationNames {
		op := o.op
		if op.Further != nil {
			further = append(further, o)
			continue
		}
		method := exported(strings.ToLower(op.Method))
		name, exact := exported(op.Name.Wire), spelled(op.Name.Wire)
		if o.at.get("operationId").text() == "" {
			name, exact = method+exported(routeWords(op.Route)), method+spell(strings.TrimPrefix(op.Route, "/"))
		}
		choices := []string{name, exact, name + method, method + exported(routeWords(op.Route))}
		w := n.want(op.Method+" "+op.Route, op.Name.Wire, o.at, o.at.get("x-go-name"), []string{op.Name.Wire}, choices...)
		w.set = func(name string) { op.Name.Go = name }
		wants = append(wants, w)
	}
	s := newScope(clientMethods)
	n.batch(s, wants)
	n.furtherMethods(s, further)
	n.iterators(s)
	slices.SortFunc(n.api.Operations, func(a, b *Operation) int { return cmp.Compare(a.Name.Go, b.Name.Go) })
	var vars, reads []want
	for _, op := range n.api.Operations {
		name := unexported(op.Name.Go)
		choices := []string{name, name + "Operation"}
		if slices.Contains(methodLocals, name) { // which would hide it
			choices = choices[1:]
		}
		vars = append(vars, want{key: op.Name.Go, wire: op.Name.Wire, choices: choices, set: func(s string) { op.Var = s }})
		if !op.readsItself() {
			continue
		}
		reads = append(reads, want{key: op.Name.Go, choices: []string{"read" + op.Name.Go, "read" + op.Name.Go + "Response"}, set: func(s string) { op.ReadFunc = s }})
	}
	n.batch(n.pkg, vars)
	n.batch(n.pkg, reads)
	for _, op := range n.api.Operations {
		if !op.readsItself() {
			op.ReadFunc = op.Further.Reader.ReadFunc
		}
	}
}

// iterators names the methods over pages, after those of all operations.
func (n naming) iterators(methods *scope) {
	var wants []want
	for _, op := range n.api.Operations {
		p := op.Pagination
		if p == nil {
			continue
		}
		name := op.Name.Go
		wants = append(wants, want{key: name + " pages", choices: []string{name + "Pages", name + "EachPage"}, set: func(s string) { p.Pages = s }})
		if p.Item != nil {
			wants = append(wants, want{key: name + " all", choices: []string{name + "All", name + "EachItem"}, set: func(s string) { p.All = s }})
		}
	}
	n.batch(methods, wants)
}

// furtherMethods names the methods for further content types after those of their
// operations, which they take no name from.
func (n naming) furtherMethods(s *scope, further []operationName) {
	var wants []want
	for _, o := range further {
		op, f := o.op, o.op.Further
		name := f.Of.Name.Go
		w := n.want(op.Method+" "+op.Route+" "+f.key(), op.Name.Wire, o.at, o.at.get("x-go-name"), []string{f.key()},
			follow(name, o.suffix[0]), follow(name, o.suffix[1]))
		w.set = func(name string) { op.Name.Go = name }
		wants = append(wants, w)
	}
	n.batch(s, wants)
}

// readsItself reports whether an operation has a function that reads its
// responses.
func (op *Operation) readsItself() bool { return op.Further == nil || op.Further.Reader == nil }

// routeWords is a path in words: /users/{id} is users by id.
func routeWords(route string) string {
	if strings.Trim(route, "/") == "" {
		return "root"
	}
	return strings.NewReplacer("{", " by ", "}", " ").Replace(strings.TrimPrefix(route, "/"))
}

// operationTypes names the structs of parameters and results.
func (n naming) operationTypes() {
	var wants []want
	for _, op := range n.api.Operations {
		first, reads := op.Further == nil, op.readsItself()
		if first && len(op.Query)+len(op.Headers) > 0 {
			wants = append(wants, want{key: op.Name.Go + " params", choices: []string{op.Name.Go + "Params", op.Name.Go + "Parameters"}, set: func(s string) { op.ParamsType = s }})
		}
		if first && len(op.Header) > 0 {
			wants = append(wants,
				want{key: op.Name.Go + " header", choices: []string{op.Name.Go + "Header", op.Name.Go + "Headers"}, set: func(s string) { op.HeaderType = s }},
				want{key: op.Name.Go + " parse", choices: []string{"Parse" + op.Name.Go + "Header", "Parse" + op.Name.Go + "Headers"}, set: func(s string) { op.HeaderFunc = s }})
		}
		if reads && op.results() != nil {
			wants = append(wants, want{key: op.Name.Go + " result", choices: []string{op.Name.Go + "Result", op.Name.Go + "Results"}, set: func(s string) { op.ResultType = s }})
		}
	}
	n.batch(n.pkg, wants)
	for _, op := range n.api.Operations {
		if f := op.Further; f != nil {
			op.ParamsType, op.HeaderType, op.HeaderFunc = f.Of.ParamsType, f.Of.HeaderType, f.Of.HeaderFunc
			if f.Reader != nil {
				op.ResultType = f.Reader.ResultType
			}
		}
	}
}

// inline names types after what they stand in: outer ones first, as the inner
// ones bear their names.
func (n naming) inline() {
	waiting := slices.DeleteFunc(n.types(), func(t *named) bool { return t.component != "" || !t.needsName() })
	for len(waiting) > 0 {
		var wants []want
		var later []*named
		for _, t := range waiting {
			stem, ready := t.place.stem()
			if !ready {
				later = append(later, t)
				continue
			}
			name := follow(stem, bare(strings.TrimSpace(t.place.part)))
			kind := "Object"
			if t.typ.Kind == Enum {
				kind = "Enum"
			}
			w := n.want(t.id, "", t.at, t.goName, nil, name, name+kind)
			w.set = t.setName("")
			wants = append(wants, w)
		}
		n.batch(n.pkg, wants)
		if len(later) == len(waiting) {
			break
		}
		waiting = later
	}
}

// stem is the name that an inline type's name begins with.
func (p place) stem() (stem string, ready bool) {
	switch {
	case p.op != nil:
		return p.op.Name.Go, true
	case p.base != "":
		stem = exported(p.base)
		return strings.TrimSuffix(stem, strings.TrimSpace(p.part)), true
	case !p.parent.needsName():
		if p.parent.component != "" {
			return exported(p.parent.component), true
		}
		outer, ready := p.parent.place.stem()
		return follow(outer, bare(strings.TrimSpace(p.parent.place.part))), ready
	}
	return p.parent.typ.Name.Go, p.parent.typ.Name.Go != ""
}

// variants names the variants of unions, and the functions that make unions of
// them.
func (n naming) variants() {
	var wants []want
	for _, t := range n.types() {
		s := newScope()
		for i, v := range t.typ.Variants {
			v.Name = variantName(v.Type.Type)
			if short := strings.TrimPrefix(v.Name, t.typ.Name.Go); token.IsExported(short) {
				v.Name = short
			}
			if s.taken[v.Name] {
				v.Name += strconv.Itoa(i + 1)
			}
			s.taken[v.Name] = true
			name := t.typ.Name.Go + "From" + v.Name
			wants = append(wants, want{key: name, choices: []string{name, name + "Value"}, set: func(s string) { v.From = s }})
		}
	}
	n.batch(n.pkg, wants)
}

// enumValues names constants, which begin with the name of their type.
func (n naming) enumValues() {
	var wants []want
	for _, t := range n.types() {
		for i, v := range t.typ.Values {
			name := follow(t.typ.Name.Go, bare(v.Name.Wire))
			w := n.want(t.typ.Name.Go+" "+v.Name.Wire, v.Name.Wire, t.at, cursor{}, t.memberKeys(v.Name.Wire),
				name, follow(t.typ.Name.Go, spell(v.Name.Wire)), name+"Value")
			w.prefix = t.typ.Name.Go
			if !w.forced && len(t.varnames) == len(t.typ.Values) {
				w = n.prefer(w, varname(t.typ.Name.Go, t.varnames[i]))
			}
			w.set = func(s string) { v.Name.Go = s }
			wants = append(wants, w)
		}
	}
	n.batch(n.pkg, wants)
}

// memberKeys are the keys of Options.Names for a property or an enum value.
func (t *named) memberKeys(wire string) []string {
	keys := []string{t.typ.Name.Go + "." + wire}
	if t.component != "" {
		keys = append(keys, t.component+"."+wire)
	}
	return keys
}

// varname is a constant's name that x-enum-varnames gives, with its type's name.
func varname(typeName, name string) string {
	if strings.HasPrefix(name, typeName) {
		return name
	}
	return typeName + name
}

// fields names the fields of structs and of parameters.
func (n naming) fields() {
	for _, t := range n.named {
		s := newScope(structMethods)
		var wants []want
		for i, f := range t.typ.Fields {
			at := t.fields[i]
			choices := []string{exported(f.Name.Wire), spelled(f.Name.Wire), exported(f.Name.Wire) + "Field"}
			if t.typ.Tuple {
				choices = positionNames(at, i)
			}
			w := n.want(f.Name.Wire, f.Name.Wire, at, at.get("x-go-name"), t.memberKeys(f.Name.Wire), choices...)
			w.set = func(name string) { f.Name.Go = name }
			wants = append(wants, w)
		}
		n.batch(s, wants)
		if t.typ.Extra != nil {
			choices := []string{"AdditionalProperties", "ExtraProperties"}
			if t.typ.Tuple {
				choices = []string{"AdditionalItems", "ExtraItems"}
			}
			n.batch(s, []want{{key: "", choices: choices, set: func(name string) { t.typ.ExtraField = name }}})
		}
	}
	for _, op := range n.firsts() {
		var wants []want
		for _, p := range slices.Concat(op.Query, op.Headers) {
			name, at := exported(p.Name.Wire), n.params[p]
			w := n.want(p.In+" "+p.Name.Wire, p.Name.Wire, at, at.get("x-go-name"), []string{op.Name.Wire + "." + p.Name.Wire},
				name, name+exported(p.In), spelled(p.Name.Wire))
			w.set = func(s string) { p.Name.Go = s }
			wants = append(wants, w)
		}
		n.batch(newScope(structMethods), wants)
	}
}

// headerFields names the fields of the headers of responses.
func (n naming) headerFields() {
	for _, op := range n.firsts() {
		var wants []want
		for _, f := range op.Header {
			at := n.headers[f]
			w := n.want(f.Name.Wire, f.Name.Wire, at, at.get("x-go-name"), nil, exported(f.Name.Wire), spelled(f.Name.Wire))
			w.set = func(s string) { f.Name.Go = s }
			wants = append(wants, w)
		}
		n.batch(newScope(), wants)
	}
}

// results names the fields of results.
func (n naming) results() {
	for _, op := range n.api.Operations {
		var wants []want
		if !op.readsItself() {
			continue
		}
		for _, r := range op.results() {
			code := strconv.Itoa(r.Status.order())
			wants = append(wants, want{key: code, choices: []string{r.Status.fieldName(), "Status" + code}, set: func(s string) { r.Field = s }})
		}
		n.batch(newScope(resultFields), wants)
	}
}

// firsts are the operations without their further methods, which share parameters
// and headers with them.
func (n naming) firsts() []*Operation {
	return slices.DeleteFunc(slices.Clone(n.api.Operations), func(op *Operation) bool { return op.Further != nil })
}

// arguments names the arguments of methods. Those for further content types have
// the same path parameters.
func (n naming) arguments() {
	further := map[*Operation][]*Operation{}
	for _, op := range n.api.Operations {
		if op.Further != nil {
			further[op.Further.Of] = append(further[op.Further.Of], op)
		}
	}
	for _, op := range n.firsts() {
		methods := append([]*Operation{op}, further[op]...)
		s := newScope(locals, packages, keywords, predeclared)
		for _, method := range methods {
			s.taken[method.Var], s.taken[method.ReadFunc] = true, true
		}
		if op.Contract.OnAmbiguous.V {
			n.batch(s, []want{{key: "", choices: []string{"onAmbiguous", "whenAmbiguous"}, set: func(name string) {
				for _, method := range methods {
					method.OnAmbiguous = name
				}
			}}})
		}
		var wants []want
		for _, p := range op.PathParams {
			name := unexported(exported(p.Name.Wire))
			wants = append(wants, want{key: p.Name.Wire, wire: p.Name.Wire, choices: []string{name, name + "Param", unexported(spelled(p.Name.Wire))}, set: func(s string) { p.Name.Go = s }})
		}
		n.batch(s, wants)
		for _, method := range methods {
			if body := method.Body; body != nil {
				own := newScope(slices.Collect(maps.Keys(s.taken)))
				n.batch(own, []want{{key: "", choices: bodyArguments(body), set: func(s string) { body.Arg = s }}})
			}
		}
	}
}

// bodyArguments are the names that fit a body: its type's if it has one.
func bodyArguments(b *Body) []string {
	names := []string{"payload", "requestBody"}
	if b.Type != nil && b.Type.Type.Name.Go != "" {
		names = append([]string{unexported(b.Type.Type.Name.Go)}, names...)
	}
	return names
}

// config names the fields of Config: credentials, and variables of the first
// server.
func (n naming) config() {
	s := newScope(configFields)
	var wants []want
	for name, scheme := range n.schemes {
		if scheme == nil || !n.inUse(scheme) {
			continue
		}
		at := n.root.get("components").get("securitySchemes").get(name)
		w := n.want(name, name, at, at.get("x-go-name"), nil, exported(name), spelled(name), exported(name)+"Credential")
		w.set = func(s string) { scheme.Name.Go = s }
		wants = append(wants, w)
		n.api.Schemes = append(n.api.Schemes, scheme)
	}
	n.batch(s, wants)
	slices.SortFunc(n.api.Schemes, func(a, b *Scheme) int { return cmp.Compare(a.Name.Go, b.Name.Go) })
	wants = nil
	for _, other := range n.api.Others {
		short, long := exported(other.host(1))+"URL", exported(other.host(9))+"URL"
		wants = append(wants, want{key: other.Name.Wire, choices: []string{short, long}, set: func(s string) { other.Name.Go = s }})
	}
	n.batch(s, wants)
	slices.SortFunc(n.api.Others, func(a, b *OtherServer) int { return cmp.Compare(a.Name.Go, b.Name.Go) })
	for _, server := range n.api.Servers {
		own := newScope(slices.Collect(maps.Keys(s.taken)))
		var wants []want
		for _, v := range server.Variables {
			wants = append(wants, want{key: v.Name.Wire, wire: v.Name.Wire, choices: []string{exported(v.Name.Wire), exported(v.Name.Wire) + "Variable", spelled(v.Name.Wire)}, set: func(s string) { v.Name.Go = s }})
		}
		n.batch(own, wants)
	}
}

func (n naming) inUse(scheme *Scheme) bool {
	for _, op := range n.api.Operations {
		for _, r := range op.Security {
			if slices.Contains(r.Schemes, scheme) {
				return true
			}
		}
	}
	return false
}

// collect lists the named types.
func (l *loader) collect() {
	for _, t := range l.named {
		if t.typ.Name.Go != "" {
			l.api.Types = append(l.api.Types, t.typ)
		}
	}
	slices.SortFunc(l.api.Types, func(a, b *Type) int { return cmp.Compare(a.Name.Go, b.Name.Go) })
}
