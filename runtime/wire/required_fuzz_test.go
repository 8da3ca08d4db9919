package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzCheckRequired(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"name":"n"}`, `{"id":1}`, `{"owner":{"uuid":1},"id":1,"name":1}`, `{"\u0069d":1,"name":"\""}`,
		`{"id":1,"name":"n","toys":[{},{"kind":{}}],"marks":{"a":{}}}`, `{"id":1,"name":"n","labels":{"name":"","x":{}}}`,
		`{"id":1,"name":"n","parent":{"id":1,"parent":null}}`, `{"id":1,"id":2,"name":"\\"}`, `{`, `{"`, `{"a"`, `{"a":`, `]`, `{"a":1`,
	} {
		f.Add([]byte(s))
	}
	t := reflect.TypeFor[*pet]()
	f.Fuzz(func(test *testing.T, data []byte) {
		err := CheckRequired(data, t) // of any bytes: no panic
		if json.Unmarshal(data, new(pet)) != nil || hasTwins(data) {
			return
		}
		var v any
		require.NoError(test, json.Unmarshal(data, &v))
		pointers := lacking(v, t, "")
		if len(pointers) == 0 {
			require.NoError(test, err)
			return
		}
		var missing *MissingError
		require.ErrorAs(test, err, &missing)
		require.Contains(test, pointers, missing.Pointer)
	})
}

// hasTwins reports whether an object has a key twice. A map has room for one of
// the two values only, so the oracle cannot judge.
func hasTwins(data []byte) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return true
	}
	members := 0
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := decoder.Token(); err != nil {
			break
		}
		members++
	}
	return members != tokensOf(v)
}

// tokensOf counts what a decoder would report for v.
func tokensOf(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		n = 2
		for _, value := range v {
			n += 1 + tokensOf(value)
		}
	case []any:
		n = 2
		for _, value := range v {
			n += tokensOf(value)
		}
	}
	return n
}

// lacking is the oracle: every required property that v lacks, by the fields
// that the test's types really have.
func lacking(v any, t reflect.Type, at string) (pointers []string) {
	switch t {
	case reflect.TypeFor[Nullable[chip]]():
		t = reflect.TypeFor[chip]()
	case reflect.TypeFor[Nullable[[]*pet]]():
		t = reflect.TypeFor[[]*pet]()
	}
	if t.Kind() == reflect.Pointer {
		return lacking(v, t.Elem(), at)
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			for i, item := range v {
				pointers = append(pointers, lacking(item, t.Elem(), at+"/"+strconv.Itoa(i))...)
			}
		}
	case map[string]any:
		known := map[string]reflect.Type{}
		for name, member := range membersOf(t) {
			known[name] = member.Type
			if _, ok := v[name]; !ok && member.Tag.Get("json") == name {
				pointers = append(pointers, at+"/"+name)
			}
		}
		for name, value := range v {
			if member, ok := known[name]; ok {
				pointers = append(pointers, lacking(value, member, at+"/"+name)...)
			} else if elem := elemOf(t); elem != nil {
				pointers = append(pointers, lacking(value, elem, at+"/"+tokens.Replace(name))...)
			}
		}
	}
	return pointers
}

func membersOf(t reflect.Type) map[string]reflect.StructField {
	members := map[string]reflect.StructField{}
	switch t {
	case reflect.TypeFor[pet](), reflect.TypeFor[owner](), reflect.TypeFor[base](), reflect.TypeFor[toy](),
		reflect.TypeFor[chip](), reflect.TypeFor[tag](), reflect.TypeFor[labelled]():
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := bytes.Cut([]byte(f.Tag.Get("json")), []byte(",")); len(name) > 0 && string(name) != "-" {
				members[string(name)] = f
			}
		}
	}
	return members
}

func elemOf(t reflect.Type) reflect.Type {
	switch {
	case t == reflect.TypeFor[labelled]():
		return reflect.TypeFor[tag]()
	case t.Kind() == reflect.Map:
		return t.Elem()
	}
	return nil
}
