package wire

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is a struct field as encoding/json sees it.
type field struct {
	reflect.StructField
	name     string
	tagged   bool
	required bool // neither omitzero nor omitempty
}

// fieldsOf lists the fields of a struct, those of embedded structs included. It
// follows encoding/json: the shallowest field of a name wins; at equal depth the
// only tagged one, or the only one; otherwise none.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	taken := map[string]bool{}
	visited := map[reflect.Type]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		var found []field
		var deeper []reflect.Type
		for _, t := range level {
			if !visited[t] {
				own, embedded := directFields(t)
				found, deeper = append(found, own...), append(deeper, embedded...)
			}
		}
		for _, t := range level {
			visited[t] = true
		}
		fields = append(fields, dominant(found, taken)...)
		for _, f := range found {
			taken[f.name] = true
		}
		level = deeper
	}
	return fields
}

// dominant picks the fields of one depth that win their names.
func dominant(level []field, taken map[string]bool) []field {
	type rivals struct{ tagged, untagged int }
	count := map[string]rivals{}
	for _, f := range level {
		r := count[f.name]
		if f.tagged {
			r.tagged++
		} else {
			r.untagged++
		}
		count[f.name] = r
	}
	var winners []field
	for _, f := range level {
		r := count[f.name]
		alone := r.tagged == 1 && f.tagged || r.tagged == 0 && r.untagged == 1
		if alone && !taken[f.name] {
			winners = append(winners, f)
		}
	}
	return winners
}

// directFields are the fields that t itself names, and the structs it embeds.
func directFields(t reflect.Type) (own []field, embedded []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = ""
		}
		base := f.Type
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		embeds := f.Anonymous && base.Kind() == reflect.Struct
		switch {
		case tag == "-", !f.IsExported() && !embeds:
		case embeds && name == "":
			embedded = append(embedded, base)
		case f.IsExported():
			own = append(own, newField(f, name, strings.Split(options, ",")))
		}
	}
	return own, embedded
}

func newField(f reflect.StructField, name string, options []string) field {
	return field{
		StructField: f,
		name:        cmp.Or(name, f.Name),
		tagged:      name != "",
		required:    !slices.Contains(options, "omitzero") && !slices.Contains(options, "omitempty"),
	}
}

// validName reports whether encoding/json takes a name from a tag. Otherwise it
// uses the name of the Go field.
func validName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}
