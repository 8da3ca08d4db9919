package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// value is a JSON value in the order in which it was encoded. Objects and arrays
// in parameters are what their JSON says, written in another way: so names,
// optional properties and formats are the same everywhere.
type value struct {
	kind    byte    // '{', '[' or 's' for a scalar
	text    string  // of a scalar, without quotes; "" for null
	null    bool    // the scalar null
	json    string  // the value as JSON
	members []pair  // of an object
	items   []value // of an array
}

type pair struct {
	name  string
	value value
}

// valueOf encodes v.
func valueOf(v any) (value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return value{}, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readValue(d, data)
}

func readValue(d *json.Decoder, data []byte) (value, error) {
	token, err := d.Token()
	if err != nil {
		return value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		start := d.InputOffset() - 1
		v := value{kind: byte(token)}
		if token == '{' {
			err = v.readMembers(d, data)
		} else {
			err = v.readItems(d, data)
		}
		v.json = string(data[start:d.InputOffset()])
		return v, err
	case string:
		quoted, err := json.Marshal(token)
		return value{kind: 's', text: token, json: string(quoted)}, err
	case nil:
		return value{kind: 's', null: true, json: "null"}, nil
	}
	text := fmt.Sprint(token) // a number as it is written, or a boolean
	return value{kind: 's', text: text, json: text}, nil
}

func (v *value) readMembers(d *json.Decoder, data []byte) error {
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		inner, err := readValue(d, data)
		if err != nil {
			return err
		}
		v.members = append(v.members, pair{name.(string), inner})
	}
	return closed(d)
}

func (v *value) readItems(d *json.Decoder, data []byte) error {
	for d.More() {
		inner, err := readValue(d, data)
		if err != nil {
			return err
		}
		v.items = append(v.items, inner)
	}
	return closed(d)
}

func closed(d *json.Decoder) error {
	_, err := d.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// plainText is a value inside a style that has no way to nest: a scalar as text,
// anything else as JSON.
func (v value) plainText() string {
	if v.kind == 's' {
		return v.text
	}
	return v.json
}

// list is what the styles join: the items of an array; the names and values of an
// object in turn, or as pairs; a scalar alone.
func (v value) list(pairs string) (texts []string) {
	for _, m := range v.members {
		if pairs != "" {
			texts = append(texts, m.name+pairs+m.value.plainText())
		} else {
			texts = append(texts, m.name, m.value.plainText())
		}
	}
	for _, item := range v.items {
		texts = append(texts, item.plainText())
	}
	if v.kind == 's' {
		texts = append(texts, v.text)
	}
	return texts
}
