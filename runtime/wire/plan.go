package wire

import (
	"encoding/json"
	"reflect"
	"sync"
)

// plan is what CheckRequired knows of a type. A nil plan has nothing to check.
type plan struct {
	kind     kind
	members  map[string]*member // object
	order    []*member          // object: as they are declared
	required []string           // object: a member's bit is its index here
	nested   bool               // object: there is more to check below it
	elem     *plan              // list, table; object: of additional properties
	items    []*plan            // list: of the first items, where they are not like elem
	least    int                // list: how many items must be there
}

type kind uint8

const (
	object kind = iota // a struct
	table              // a map
	list               // a slice, an array or a tuple
)

// member is one property of an object.
type member struct {
	text []byte // "name": as it stands in most documents; a name needs no escapes (validName)
	at   int    // its index in plan.order
	bit  int    // its index in plan.required, or optional
	plan *plan
}

const optional = -1

var plans sync.Map // reflect.Type -> *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	b := builder{}
	p := b.plan(t)
	plans.Store(t, p)
	for t, p := range b { // all of them are complete now
		plans.Store(t, p)
	}
	return p
}

// builder holds the plans of one build, unfinished ones too: a recursive type
// meets its own plan there.
type builder map[reflect.Type]*plan

func (b builder) plan(t reflect.Type) *plan {
	t = unwrapped(t)
	if p, ok := b[t]; ok {
		return p
	}
	b[t] = nil
	if opaque(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		b.container(t, list)
	case reflect.Map:
		b.container(t, table)
	case reflect.Struct:
		if isTuple(t) {
			p := &plan{kind: list}
			b[t] = p
			b.tuple(p, t)
			break
		}
		p := &plan{kind: object, members: map[string]*member{}}
		b[t] = p
		b.object(p, t)
	}
	return b[t]
}

// maxWrappers bounds types such as type P *P.
const maxWrappers = 16

// unwrapped is the type whose JSON stands for t: what pointers and Nullable hold.
func unwrapped(t reflect.Type) reflect.Type {
	for range maxWrappers {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
			continue
		}
		n, ok := reflect.Zero(t).Interface().(interface{ nullableOf() reflect.Type })
		if !ok || t.Kind() != reflect.Struct {
			break
		}
		t = n.nullableOf()
	}
	return t
}

func (b builder) container(t reflect.Type, k kind) {
	p := &plan{kind: k}
	b[t] = p
	if p.elem = b.plan(t.Elem()); p.elem == nil {
		b[t] = nil
	}
}

func (b builder) object(p *plan, t reflect.Type) {
	for _, f := range fieldsOf(t) {
		m := &member{text: []byte(`"` + f.name + `":`), at: len(p.order), bit: optional, plan: b.plan(f.Type)}
		if f.required {
			m.bit = len(p.required)
			p.required = append(p.required, f.name)
		}
		p.members[f.name] = m
		p.order = append(p.order, m)
		p.nested = p.nested || m.plan != nil
	}
	if extra, ok := extraOf(t); ok {
		p.elem = b.plan(extra.Type.Elem())
		p.nested = p.nested || p.elem != nil
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// opaque reports whether a type decodes itself, so that its JSON need not look
// like its fields. That of structs with additional properties and of tuples does.
// Types that read text stand for a JSON string, in which there is nothing to check.
func opaque(t reflect.Type) bool {
	if _, ok := extraOf(t); ok || isTuple(t) || t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false
	}
	return reflect.PointerTo(t).Implements(unmarshaler)
}

// extraOf is the field that holds additional properties: a map tagged
// `json:"-" wire:"extra"`.
func extraOf(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("wire") == "extra" && f.Type.Kind() == reflect.Map {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// after is the property that is declared after m, first without m; nil after the last.
func (p *plan) after(m *member) *member {
	next := 0
	if m != nil {
		next = m.at + 1
	}
	if next == len(p.order) {
		return nil
	}
	return p.order[next]
}

// declared is the property that a key, as it stands in the JSON, names; nil
// without one.
func (p *plan) declared(key []byte) *member {
	m := p.members[string(key)]
	if m == nil && !verbatim(key) {
		m = p.members[unquoted(key)]
	}
	return m
}
