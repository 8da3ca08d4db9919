package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// MarshalExtra writes a struct with additional properties: fields is a struct
// whose own encoding is the default one, extra are the additional properties,
// which are written after them, sorted. A key of extra that is a declared
// property is an error, or the object would have it twice.
func MarshalExtra[T any](fields any, extra map[string]T) ([]byte, error) {
	data, err := json.Marshal(fields)
	if err != nil || len(extra) == 0 {
		return data, err
	}
	if !bytes.HasPrefix(data, []byte("{")) {
		return nil, errors.New("additional properties need an object")
	}
	for _, f := range fieldsOf(unwrapped(reflect.TypeOf(fields))) {
		if _, twice := extra[f.name]; twice {
			return nil, fmt.Errorf("the additional property %q is a declared property", f.name)
		}
	}
	more, err := json.Marshal(extra)
	if err != nil || len(data) == len("{}") {
		return more, err
	}
	data[len(data)-1] = ','
	return append(data, more[1:]...), nil
}

// UnmarshalExtra reads a struct with additional properties: fields is a pointer
// to a struct whose own decoding is the default one. Properties that it does not
// declare, by their exact names, go to extra, which is nil afterwards if there is nothing. Like
// encoding/json, it leaves everything as it is when data is null.
//
// The generated type tags the map, so that [CheckRequired] looks into it:
//
//	type Pet struct {
//		Name  string            `json:"name"`
//		Extra map[string]string `json:"-" wire:"extra"`
//	}
//
//	func (p *Pet) UnmarshalJSON(data []byte) error {
//		type fields Pet
//		return wire.UnmarshalExtra(data, (*fields)(p), &p.Extra)
//	}
func UnmarshalExtra[T any](data []byte, fields any, extra *map[string]T) error {
	if err := Unmarshal(data, fields); err != nil {
		return err
	}
	s := scanner{data: data}
	if !s.take('{') {
		return nil
	}
	*extra = nil
	object := planOf(reflect.TypeOf(fields))
	for more := !s.take('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		start := s.i
		if err := s.skip(); err != nil {
			return err
		}
		if object.declared(key) == nil {
			if err := addExtra(extra, unquoted(key), data[start:s.i]); err != nil {
				return err
			}
		}
		if more, err = s.next('}'); err != nil {
			return err
		}
	}
	return nil
}

func addExtra[T any](extra *map[string]T, key string, data []byte) error {
	var v T
	if err := Unmarshal(data, &v); err != nil {
		return fmt.Errorf("additional property %s: %w", shortened(key), err)
	}
	if *extra == nil {
		*extra = map[string]T{}
	}
	(*extra)[key] = v
	return nil
}
