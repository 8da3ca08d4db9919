package wire

import (
	"fmt"
	"strconv"
)

// Query collects the parameters of a query, or the fields of a form, in the order
// in which they are added. The zero value is an empty query.
type Query struct {
	encoded []byte
	err     error
}

// Add adds name=value, both percent-encoded; a space becomes %20.
func (q *Query) Add(name, value string) {
	q.name(name)
	q.encoded = appendEscaped(q.encoded, value)
}

// Join adds name=a,b,c for the styles that write an array as one parameter; sep
// is "," for form, " " for spaceDelimited and "|" for pipeDelimited. A separator
// inside a value is percent-encoded. Without values nothing is added.
func (q *Query) Join(name, sep string, values []string) {
	if len(values) == 0 {
		return
	}
	q.name(name)
	for i, value := range values {
		switch {
		case i == 0:
		case sep == ",":
			q.encoded = append(q.encoded, ',')
		default:
			q.encoded = appendEscaped(q.encoded, sep)
		}
		q.encoded = appendEscaped(q.encoded, value)
	}
}

// Value adds any value in a style. It is taken as its JSON says; what a style
// cannot nest is written as JSON. A nil v is absent; null inside an object is an
// empty value.
func (q *Query) Value(name string, style Style, v any) {
	value, err := valueOf(v)
	switch {
	case err != nil:
		q.fail(name, err)
	case value.null:
	default:
		q.value(name, style, value)
	}
}

func (q *Query) value(name string, style Style, v value) {
	switch {
	case style == JSON:
		q.Add(name, v.json)
	case style == DeepObject:
		q.deep(name, v)
	case style == FormExplode && v.kind == '{':
		for _, m := range v.members {
			q.Add(m.name, m.value.plainText())
		}
	case style == FormExplode || v.kind == 's':
		for _, text := range v.list("") {
			q.Add(name, text)
		}
	default:
		q.Join(name, style.separator(), v.list(""))
	}
}

func (q *Query) deep(name string, v value) {
	for _, m := range v.members {
		q.deep(name+"["+m.name+"]", m.value)
	}
	for i, item := range v.items {
		q.deep(name+"["+strconv.Itoa(i)+"]", item)
	}
	if v.kind == 's' {
		q.Add(name, v.text)
	}
}

// Raw adds what is encoded already.
func (q *Query) Raw(encoded string) {
	if encoded == "" {
		return
	}
	if len(q.encoded) > 0 {
		q.encoded = append(q.encoded, '&')
	}
	q.encoded = append(q.encoded, encoded...)
}

// RawQuery is a query that is encoded already.
func RawQuery(encoded string) (q Query) {
	q.Raw(encoded)
	return q
}

// String is the encoded query, without "?".
func (q *Query) String() string { return string(q.encoded) }

// Err is why a value could not be encoded.
func (q *Query) Err() error { return q.err }

func (q *Query) fail(name string, err error) {
	if q.err == nil {
		q.err = fmt.Errorf("%s: %w", name, err)
	}
}

func (q *Query) name(name string) {
	if len(q.encoded) > 0 {
		q.encoded = append(q.encoded, '&')
	}
	q.encoded = append(appendEscaped(q.encoded, name), '=')
}
