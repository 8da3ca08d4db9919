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
func Unmarshal(data []byte, v any) error {
	if !holdsAny(reflect.TypeOf(v)) {
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

var anyHolders sync.Map // reflect.Type -> bool

// holdsAny reports whether encoding/json may put an any somewhere into a t. Types
// that decode themselves call Unmarshal in their turn.
func holdsAny(t reflect.Type) bool {
	if t == nil {
		return false
	}
	if holds, ok := anyHolders.Load(t); ok {
		return holds.(bool)
	}
	holds := searchAny(t, map[reflect.Type]bool{})
	anyHolders.Store(t, holds)
	return holds
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
