package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Union is a value of one of several types. What an upstream sends is kept as it
// is, whatever it turns out to be: no answer fails because it fits two types, or
// none that is known. Generated types embed a Union.
type Union struct {
	value any             // what the caller has set,
	raw   json.RawMessage // or what was read
}

// UnionOf is a union that holds v.
func UnionOf(v any) Union { return Union{value: v} }

// Raw is the value as JSON, or nil for no value.
func (u Union) Raw() json.RawMessage {
	if u.value == nil {
		return u.raw
	}
	raw, err := json.Marshal(u.value)
	if err != nil {
		return nil
	}
	return raw
}

// IsZero reports whether the union holds no value.
func (u Union) IsZero() bool { return u.value == nil && u.raw == nil }

// MarshalJSON writes the value; null for no value.
func (u Union) MarshalJSON() ([]byte, error) {
	switch {
	case u.value != nil:
		return json.Marshal(u.value)
	case u.raw != nil:
		return u.raw, nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON keeps a copy of data.
func (u *Union) UnmarshalJSON(data []byte) error {
	*u = Union{raw: bytes.Clone(data)}
	return nil
}

// Validate validates the value that the caller has set, if that can be.
func (u Union) Validate() error {
	if v, ok := u.value.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// As is the value as a T. It is an error if the JSON does not fit: if it is of
// another kind, or lacks a required property.
func As[T any](u Union) (T, error) {
	if v, ok := u.value.(T); ok {
		return v, nil
	}
	var v T
	raw := u.Raw()
	if raw == nil {
		return v, errors.New("there is no value")
	}
	err := Decode(raw, &v)
	return v, err
}

// Property is the text of a string property of the value, or "".
func (u Union) Property(name string) string {
	var properties map[string]json.RawMessage
	if json.Unmarshal(u.Raw(), &properties) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(properties[name], &text) != nil {
		return ""
	}
	return text
}
