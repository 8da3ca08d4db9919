package spec

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// union fills a choice of several types. Alternatives that are the same Go type
// are one variant.
func (l *loader) union(n *named, s *shape) {
	n.typ.Kind = Union
	n.typ.Discriminator = s.discriminator.get("propertyName").text()
	for i, choice := range s.union.items() {
		if onlyNull(choice) || onlyRequires(choice) {
			continue
		}
		n.addVariant(l.variant(n, s, choice, i), l.discriminatorValues(s, choice))
	}
}

// variant is the type of an alternative, with the properties that stand beside the
// choice.
func (l *loader) variant(n *named, s *shape, choice cursor, i int) *Type {
	at := n.inner("Option " + strconv.Itoa(i+1))
	if title := choice.get("title").text(); title != "" && choice.ref() == "" && len(title) < 40 {
		at = n.inner(title)
	}
	if s.within(l.shape(choice, nil)) {
		t := l.typeOf([]cursor{choice}, at).typ
		if other := l.shape(choice, nil); t == n.typ && other != nil { // it only extends this union
			t = l.build(choice.resolved().id()+" alone", other, &named{place: at}).typ
		}
		return t
	}
	if name, _, ok := componentOf(choice.resolved()); ok {
		at = n.inner(name)
	}
	other := l.shape(choice, nil)
	if other == nil {
		return anyType
	}
	whole := newShape(s.at)
	l.merge(whole, s)
	whole.union = cursor{}
	l.merge(whole, other)
	return l.build(s.at.id()+" with "+choice.id(), whole, &named{place: at}).typ
}

// within reports whether another schema has the properties of this one, as one that
// extends it does.
func (s *shape) within(other *shape) bool {
	for _, p := range s.props {
		if other == nil {
			return false
		}
		if _, has := other.index[p.name]; !has || s.required[p.name] && !other.required[p.name] {
			return false
		}
	}
	return len(s.extra) == 0 || other != nil && len(other.extra) > 0
}

// mixed fills a value of several types without alternatives: one variant for each.
func (l *loader) mixed(n *named, s *shape) {
	n.typ.Kind = Union
	for _, kind := range s.possible() {
		one := *s
		one.types, one.nullable = []string{kind}, false
		if len(s.enum) > 0 {
			one.enum, one.varnames, one.valueTexts = s.valuesOf(kind), nil, nil
		}
		n.addVariant(l.build(s.at.id()+" as "+kind, &one, &named{place: n.inner(kind)}).typ, nil)
	}
}

func (n *named) addVariant(t *Type, values []string) {
	for _, v := range n.typ.Variants {
		if sameRef(v.Type, &Ref{Type: t}) {
			v.Values = append(v.Values, values...)
			return
		}
	}
	n.typ.Variants = append(n.typ.Variants, &Variant{Type: &Ref{Type: t}, Values: values})
}

// discriminatorValues are the values of the discriminator that mean an
// alternative: those of the mapping, else the name of the schema.
func (l *loader) discriminatorValues(s *shape, choice cursor) []string {
	if !s.discriminator.exists() || choice.ref() == "" {
		return nil
	}
	name := path.Base(choice.ref())
	var values []string
	for value, target := range s.discriminator.get("mapping").members() {
		if target.text() == choice.ref() || path.Base(target.text()) == name {
			values = append(values, value)
		}
	}
	if values == nil {
		return []string{strings.TrimSuffix(unescape.Replace(name), path.Ext(fileOnly(name)))}
	}
	return values
}

// fileOnly is the name of a file; "" for a name that only has dots.
func fileOnly(name string) string {
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" || ext == ".json" {
		return name
	}
	return ""
}

// finishUnions settles what depends on the fields of all types.
func (l *loader) finishUnions() {
	for _, n := range l.named {
		if t := n.typ; t.Kind == Union {
			if t.Discriminator == "" {
				t.inferDiscriminator()
			}
			t.uniqueValues()
			if !slices.ContainsFunc(t.Variants, func(v *Variant) bool { return len(v.Values) > 0 }) {
				t.Discriminator = ""
			}
			for _, v := range t.Variants {
				v.preset(t.Discriminator)
			}
		}
	}
}

// uniqueValues keeps the first of equal values: a document may say one twice.
func (t *Type) uniqueValues() {
	taken := map[string]bool{}
	for _, v := range t.Variants {
		v.Values = slices.DeleteFunc(v.Values, func(value string) bool {
			defer func() { taken[value] = true }()
			return taken[value]
		})
	}
}

// inferDiscriminator finds a property that is another constant in each variant.
func (t *Type) inferDiscriminator() {
	if len(t.Variants) == 0 {
		return
	}
	for _, f := range t.Variants[0].Type.Type.Fields {
		values := map[string]bool{}
		for _, v := range t.Variants {
			if value, ok := v.Type.Type.constant(f.Name.Wire); ok {
				values[value] = true
			}
		}
		if len(values) == len(t.Variants) {
			t.Discriminator = f.Name.Wire
			for _, v := range t.Variants {
				value, _ := v.Type.Type.constant(f.Name.Wire)
				v.Values = []string{value}
			}
			return
		}
	}
}

// constant is the only value that a string property may have.
func (t *Type) constant(name string) (string, bool) {
	if t.Tuple {
		return "", false
	}
	for _, f := range t.Fields {
		if e := f.Type.Type; f.Name.Wire == name && e.Kind == Enum && e.Go == "string" && len(e.Values) == 1 {
			return e.Values[0].Name.Wire, true
		}
	}
	return "", false
}

// preset finds the field that tells the variant from others, where there is one
// value for it. A constant that is required is sent anyway.
func (v *Variant) preset(discriminator string) {
	if len(v.Values) != 1 {
		return
	}
	for _, f := range v.Type.Type.Fields {
		if c := f.Type.Type.Constant; c != nil && f.Required && c.Name.Wire == v.Values[0] {
			continue
		}
		if t := f.Type.Type; f.Name.Wire == discriminator && t.Go == "string" && t.Import == "" && (t.Kind == Enum || t.Kind == Primitive) {
			v.Preset = f
		}
	}
}

// variantName is what a type is called as a variant: Cat, String, PetList.
func variantName(t *Type) string {
	switch {
	case t.Name.Go != "":
		return t.Name.Go
	case t.Kind == Slice:
		return variantName(t.Elem.Type) + "List"
	case t.Kind == Map:
		return variantName(t.Elem.Type) + "Map"
	case t.Go == "[]byte":
		return "Bytes"
	}
	return exported(t.Go)
}
