package wire

import (
	"errors"
	"slices"
)

// Encoding is how some properties of a form are written (OpenAPI, "Encoding
// Object"). [Styled] and [Typed] make them.
type Encoding struct {
	names       []string
	style       Style
	styled      bool
	contentType string
}

// Styled writes properties of a urlencoded form in a style.
func Styled(style Style, names ...string) Encoding {
	return Encoding{names: names, style: style, styled: true}
}

// Typed gives the parts of a multipart form a content type.
func Typed(contentType string, names ...string) Encoding {
	return Encoding{names: names, contentType: contentType}
}

// ContentType is the content type that encodings give a property, or "".
func ContentType(encodings []Encoding, name string) string {
	for _, e := range encodings {
		if e.contentType != "" && slices.Contains(e.names, name) {
			return e.contentType
		}
	}
	return ""
}

// EncodeForm writes an object as application/x-www-form-urlencoded. An array is
// name=a&name=b and an object is JSON, unless an encoding says otherwise.
func EncodeForm(v any, encodings ...Encoding) ([]byte, error) {
	form, err := valueOf(v)
	if err != nil {
		return nil, err
	}
	if form.kind != '{' {
		return nil, errors.New("only an object can be a form")
	}
	var q Query
	for _, m := range form.members {
		q.value(m.name, formStyle(encodings, m), m.value)
	}
	return q.encoded, q.err
}

func formStyle(encodings []Encoding, p pair) Style {
	if style, ok := StyleOf(encodings, p.name); ok {
		return style
	}
	if p.value.kind == '{' {
		return JSON
	}
	return FormExplode
}

// StyleOf is the style that encodings give a property, if they do.
func StyleOf(encodings []Encoding, name string) (style Style, ok bool) {
	for _, e := range encodings {
		if e.styled && slices.Contains(e.names, name) {
			return e.style, true
		}
	}
	return FormExplode, false
}
