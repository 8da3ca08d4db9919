package fake

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// Input is what a request bears, on its way into a typed request. Each method
// decodes one part into what v points to. Generated code calls them.
type Input struct {
	http    *http.Request
	path    map[string]string // values of the path's parameters, as they were sent
	query   fields
	cookies fields
	body    []byte
	unread  bool // a fault has struck before the body was read
	later   []func()
	errs    []error
}

func newInput(r *http.Request, path map[string]string, body []byte) *Input {
	return &Input{
		http:    r,
		path:    path,
		query:   parseFields(r.URL.RawQuery, "&"),
		cookies: parseFields(strings.Join(r.Header.Values("Cookie"), "; "), "; "),
		body:    body,
	}
}

// finish is what was wrong with the request.
func (in *Input) finish() error {
	for _, decode := range in.later {
		decode()
	}
	return errors.Join(in.errs...)
}

// note keeps what is wrong with a part.
func (in *Input) note(part string, v any, err error) {
	switch {
	case err == errAbsent && mayBeAbsent(v):
	case err == errAbsent:
		in.errs = append(in.errs, fmt.Errorf("%s is missing", part))
	case err != nil:
		in.errs = append(in.errs, fmt.Errorf("%s is not what the document describes: %w", part, err))
	}
}

// Path decodes a parameter of the path.
func (in *Input) Path(name string, style PathStyle, explode bool, v any) {
	in.note("path parameter "+name, v, setPath(name, in.path[name], style, explode, v))
}

// Query decodes a parameter of the query.
func (in *Input) Query(name string, style wire.Style, v any) {
	in.field(&in.query, "query parameter "+name, name, style, v)
}

// Cookie decodes a parameter in a cookie.
func (in *Input) Cookie(name string, style wire.Style, v any) {
	in.field(&in.cookies, "cookie "+name, name, style, v)
}

func (in *Input) field(f *fields, part, name string, style wire.Style, v any) {
	decode := func() {
		data, err := f.json(name, style, reflect.TypeOf(v).Elem())
		if err == nil {
			err = set(v, data)
		}
		in.note(part, v, err)
	}
	if _, t := shapeOf(reflect.TypeOf(v).Elem()); style == wire.FormExplode && takesOthers(t) {
		in.later = append(in.later, decode) // it gets what the others leave
		return
	}
	decode()
}

// Header decodes a header in style simple.
func (in *Input) Header(name string, explode bool, v any) {
	in.note("header "+name, v, setHeader(in.http.Header.Values(name), explode, v))
}

// HeaderJSON decodes a header whose value is JSON.
func (in *Input) HeaderJSON(name string, v any) {
	err := errAbsent
	if values := in.http.Header.Values(name); len(values) > 0 {
		err = wire.Unmarshal([]byte(values[0]), v)
	}
	in.note("header "+name, v, err)
}

func setHeader(values []string, explode bool, v any) error {
	if len(values) == 0 {
		return errAbsent
	}
	text := strings.Join(values, ",")
	s, t := shapeOf(reflect.TypeOf(v).Elem())
	switch items := strings.Split(text, ","); {
	case s == scalar:
		return set(v, leaf(t, text))
	case s == list:
		return set(v, array(t, mapped(items, strings.TrimSpace)))
	case explode:
		return set(v, structure(t, pairs(items, func(s string) string { return s })))
	default:
		return set(v, structure(t, inTurn(items)))
	}
}

// PathStyle is how a parameter of a path writes its value.
type PathStyle uint8

const (
	Simple   PathStyle = iota // a,b
	Label                     // .a.b
	Matrix                    // ;name=a;name=b
	PathJSON                  // the value as JSON
)

func setPath(name, text string, style PathStyle, explode bool, v any) error {
	separator, each := ",", ""
	switch {
	case style == PathJSON:
		return wire.Unmarshal([]byte(pathUnescaped(text)), v)
	case style == Label:
		text = strings.TrimPrefix(text, ".")
		if explode {
			separator = "."
		}
	case style == Matrix && explode:
		text, separator, each = strings.TrimPrefix(text, ";"), ";", wire.PathString(name)+"="
	case style == Matrix:
		text = strings.TrimPrefix(text, ";"+wire.PathString(name)+"=")
	}
	s, t := shapeOf(reflect.TypeOf(v).Elem())
	if s == scalar {
		return set(v, leaf(t, pathUnescaped(strings.TrimPrefix(text, each))))
	}
	items := strings.Split(text, separator)
	if s == object && explode {
		return set(v, structure(t, pairs(items, pathUnescaped)))
	}
	for i, item := range items {
		items[i] = pathUnescaped(strings.TrimPrefix(item, each))
	}
	if s == object {
		return set(v, structure(t, inTurn(items)))
	}
	return set(v, array(t, items))
}

func pathUnescaped(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// pairs splits items of the form name=value.
func pairs(items []string, unescape func(string) string) (list []property) {
	for _, item := range items {
		name, value, _ := strings.Cut(item, "=")
		list = append(list, property{unescape(name), unescape(value)})
	}
	return list
}
