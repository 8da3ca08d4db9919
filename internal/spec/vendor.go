package spec

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file reads what documents say to other generators: the table "Keys of other
// generators" in docs/openapi.md. Those that name things and types are read where
// names and types are made.

// ignoredKeys are those that would change what is sent, and why they do not.
var ignoredKeys = []struct{ key, reason, fix string }{
	{"x-omitempty", "what is required is always sent, all else is left out where it has no value", "say required, or say it not"},
	{"x-omitzero", "what is required is always sent, all else is left out where it has no value", "say required, or say it not"},
	{"x-go-json-ignore", "it would hide a property that the upstream knows", "remove the property with an overlay"},
}

// noteIgnored notes the keys of a schema that have no effect.
func (l *loader) noteIgnored(c cursor) {
	for _, ignored := range ignoredKeys {
		if at := c.get(ignored.key); at.exists() {
			l.note(at, ignored.fix, "%s is ignored: %s", ignored.key, ignored.reason)
		}
	}
	l.noteReason(c)
}

// extension is a key of a schema, or of what it refers to.
func extension(c cursor, key string) cursor {
	if at := c.get(key); at.exists() {
		return at
	}
	return c.resolved().get(key)
}

// deprecation is what an element says of its own end.
func deprecation(c cursor) Deprecation {
	if !c.get("deprecated").flag() {
		return Deprecation{}
	}
	return Deprecation{Is: true, Reason: c.get("x-deprecated-reason").text()}
}

// noteReason notes a reason for nothing.
func (l *loader) noteReason(c cursor) {
	if reason := c.get("x-deprecated-reason"); reason.exists() && !c.get("deprecated").flag() {
		l.note(reason, "add deprecated: true", "x-deprecated-reason is ignored: nothing says that this is deprecated")
	}
}

// nearest is whether something is deprecated, with the reason that is said nearest
// to it.
func nearest(near, far Deprecation) Deprecation {
	return Deprecation{Is: near.Is || far.Is, Reason: cmp.Or(near.Reason, far.Reason)}
}

// ordered are the properties in the order that x-order gives; those without one are
// the last, as the document has them.
func (s *shape) ordered() []*prop {
	order := func(p *prop) int {
		n, err := strconv.Atoi(extension(p.schemas[0], "x-order").text())
		if err != nil {
			return len(s.props)
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(s.props), func(a, b *prop) int { return cmp.Compare(order(a), order(b)) })
}

// withoutPointer is how a scalar that may be absent is held where the document wants
// no pointer (x-go-type-skip-optional-pointer): its zero value is absent.
func (l *loader) withoutPointer(r *Ref, required bool, places ...cursor) *Ref {
	var skip cursor
	for _, at := range places {
		if !skip.exists() {
			skip = extension(at, "x-go-type-skip-optional-pointer")
		}
	}
	switch t := r.Type; {
	case !skip.flag() || r.Form == Plain:
		return r
	case r.Form == Pointer && !required && t.Scalar() && t.Import == "" && t.Go != "[]byte":
		return &Ref{Type: t, Form: Omitted}
	}
	l.note(skip, "", "x-go-type-skip-optional-pointer is ignored: only a string, number or boolean that may be absent, and is never null, goes without")
	return r
}

var tagKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// extraTags are the struct tags that a document asks for, sorted.
func (l *loader) extraTags(at cursor) []Name {
	var tags []Name
	for key, value := range extension(at, "x-oapi-codegen-extra-tags").members() {
		switch {
		case slices.Contains([]string{"json", "wire", "header"}, key):
			l.note(value, "", "the struct tag %q is ignored: it is what encodes the field", key)
		case !tagKey.MatchString(key) || !value.tagged("!!str"):
			l.note(value, "use a name and a string", "the struct tag %q is ignored: it is none that Go can read", key)
		default:
			tags = append(tags, Name{Wire: value.text(), Go: key})
		}
	}
	slices.SortFunc(tags, func(a, b Name) int { return strings.Compare(a.Go, b.Go) })
	return tags
}
