package wire

import (
	"encoding/json"
	"reflect"
)

// Nullable is an optional property that may also be null: absent (its zero
// value), null, or a value. In a PATCH, absent keeps what is there and null
// deletes it. Fields of this type are tagged omitzero.
type Nullable[T any] struct {
	value T
	state state
}

type state uint8

const (
	absent state = iota
	null
	present
)

// Value is a property with a value.
func Value[T any](v T) Nullable[T] { return Nullable[T]{value: v, state: present} }

// Null is a property that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: null} }

// Get is the value and true; or false if the property is absent or null.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == present }

// Ptr is a pointer to a copy of the value; nil if the property is absent or null.
func (n Nullable[T]) Ptr() *T {
	if n.state != present {
		return nil
	}
	return &n.value
}

// IsNull reports whether the property is null; absent is not null.
func (n Nullable[T]) IsNull() bool { return n.state == null }

// IsZero reports whether the property is absent. The omitzero of encoding/json
// asks it.
func (n Nullable[T]) IsZero() bool { return n.state == absent }

// MarshalJSON writes the value, or null. An absent property outside of a field
// tagged omitzero has no other form than null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// UnmarshalJSON reads null or a value.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Null[T]()
		return nil
	}
	var v T
	if err := Unmarshal(data, &v); err != nil {
		return err
	}
	*n = Value(v)
	return nil
}

// nullableOf lets CheckRequired look inside.
func (Nullable[T]) nullableOf() reflect.Type { return reflect.TypeFor[T]() }
