package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"sync"
)

// Unmarshal is [encoding/json.Unmarshal], but for numbers that nobody has typed:
// in an any they are a [encoding/json.Number], which keeps all digits.
func Unmarshal(data []byte, v any) error { return unmarshal(data, v, factsOf(reflect.TypeOf(v))) }

// Decode is [Unmarshal] and, of what it has accepted, [CheckRequired].
func Decode(data []byte, v any) error {
	f := factsOf(reflect.TypeOf(v))
	if err := unmarshal(data, v, f); err != nil {
		return err
	}
	return check(data, f.plan)
}

func unmarshal(data []byte, v any, f *facts) error {
	if !f.holdsAny {
		return json.Unmarshal(data, v)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the JSON value")
	}
	return nil
}

// facts are what decoding asks of a type.
type facts struct {
	// holdsAny: encoding/json may put an any somewhere into it. Types that decode
	// themselves call Unmarshal in their turn.
	holdsAny bool
	plan     *plan
}

var known sync.Map // reflect.Type -> *facts

func factsOf(t reflect.Type) *facts {
	if t == nil {
		return new(facts)
	}
	if f, ok := known.Load(t); ok {
		return f.(*facts)
	}
	f := &facts{searchAny(t, map[reflect.Type]bool{}), planOf(t)}
	known.Store(t, f)
	return f
}

func searchAny(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return searchAny(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && searchAny(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
