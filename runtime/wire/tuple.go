package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// MarshalTuple writes a struct as a JSON array. Fields that are tagged with numbers
// are its items, in their order; a slice that is tagged "rest" has those after them.
// An item that is zero and tagged omitzero is left out, and none may follow it.
//
//	type Point struct {
//		X     float64  `wire:"0"`
//		Y     float64  `wire:"1"`
//		Label *string  `wire:"2,omitzero"`
//		Rest  []string `wire:"rest"`
//	}
//
//	func (p Point) MarshalJSON() ([]byte, error) { return wire.MarshalTuple(p) }
func MarshalTuple(tuple any) ([]byte, error) {
	v := reflect.Indirect(reflect.ValueOf(tuple))
	items := []any{}
	missing := -1
	for i := range v.NumField() {
		field, tag := v.Field(i), itemTag(v.Type().Field(i))
		switch {
		case tag == "":
		case tag == restTag:
			for j := range field.Len() {
				items = append(items, field.Index(j).Interface())
			}
		case optionalItem(tag) && field.IsZero():
			if missing < 0 {
				missing = len(items)
			}
		default:
			items = append(items, field.Interface())
		}
	}
	if missing >= 0 && len(items) > missing {
		return nil, fmt.Errorf("item %d is missing, but a later one is there", missing)
	}
	return json.Marshal(items)
}

// UnmarshalTuple reads a JSON array into the struct that tuple points to; see
// [MarshalTuple]. Items for which there is no field are dropped, fields for which
// there is no item are zero: [CheckRequired] finds them. Like encoding/json, it
// leaves everything as it is when data is null.
func UnmarshalTuple(data []byte, tuple any) error {
	if string(data) == "null" {
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	v := reflect.ValueOf(tuple).Elem()
	v.SetZero()
	next := 0
	for i := range v.NumField() {
		switch field, tag := v.Field(i), itemTag(v.Type().Field(i)); {
		case tag == "" || next == len(items):
		case tag == restTag:
			rest := reflect.MakeSlice(field.Type(), len(items)-next, len(items)-next)
			for j := range rest.Len() {
				if err := unmarshalItem(items, next+j, rest.Index(j)); err != nil {
					return err
				}
			}
			field.Set(rest)
		default:
			if err := unmarshalItem(items, next, field); err != nil {
				return err
			}
			next++
		}
	}
	return nil
}

func unmarshalItem(items []json.RawMessage, i int, into reflect.Value) error {
	if err := Unmarshal(items[i], into.Addr().Interface()); err != nil {
		return fmt.Errorf("item %d: %w", i, err)
	}
	return nil
}

// tuple plans the items of a tuple.
func (b builder) tuple(p *plan, t reflect.Type) {
	for i := range t.NumField() {
		switch f, tag := t.Field(i), itemTag(t.Field(i)); tag {
		case "":
		case restTag:
			p.elem = b.plan(f.Type.Elem())
		default:
			p.items = append(p.items, b.plan(f.Type))
			if !optionalItem(tag) {
				p.least = len(p.items)
			}
		}
	}
}

// item is what there is to check of an item of a list.
func (p *plan) item(i int) *plan {
	if i < len(p.items) {
		return p.items[i]
	}
	return p.elem
}

const restTag = "rest"

// isTuple reports whether a struct is an array in JSON.
func isTuple(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && itemTag(t.Field(0)) != ""
}

// itemTag is the tag of an item of a tuple; "" for any other field.
func itemTag(f reflect.StructField) string {
	if tag := f.Tag.Get("wire"); tag == restTag || tag != "" && tag[0] >= '0' && tag[0] <= '9' {
		return tag
	}
	return ""
}

func optionalItem(tag string) bool { return strings.HasSuffix(tag, ",omitzero") }
