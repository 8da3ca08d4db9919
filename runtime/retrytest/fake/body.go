package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
)

// take reports whether there is a body to decode, and whether it is of the media
// type that the document names; contentType may be empty, for any.
func (in *Input) take(contentType string, v any) bool {
	if in.unread {
		return false
	}
	got := in.http.Header.Get("Content-Type")
	if len(in.body) == 0 && got == "" {
		in.note("the body", v, errAbsent)
		return false
	}
	if contentType == "" || strings.Contains(contentType, "*") || mediaType(got) == mediaType(contentType) {
		return true
	}
	in.errs = append(in.errs, fmt.Errorf("the body is of type %q; the document describes %s", got, contentType))
	return false
}

func mediaType(contentType string) string {
	base, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		base, _, _ = strings.Cut(contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(base))
}

func (in *Input) noteBody(v any, err error) { in.note("the body", v, err) }

// JSON decodes a body of JSON.
func (in *Input) JSON(contentType string, v any) {
	if !in.take(contentType, v) {
		return
	}
	in.noteBody(v, wire.Decode(in.body, v))
}

// Text decodes a body that is the text of a scalar.
func (in *Input) Text(contentType string, v any) {
	if in.take(contentType, v) {
		_, t := shapeOf(reflect.TypeOf(v).Elem())
		in.noteBody(v, set(v, leaf(t, string(in.body))))
	}
}

// Bytes takes a body as it is.
func (in *Input) Bytes(contentType string, v *[]byte) {
	if in.take(contentType, v) {
		*v = in.body
	}
}

// Form decodes a body of type application/x-www-form-urlencoded; see
// [wire.EncodeForm].
func (in *Input) Form(v any, encodings ...wire.Encoding) {
	if !in.take("application/x-www-form-urlencoded", v) {
		return
	}
	form := parseFields(string(in.body), "&")
	_, t := shapeOf(reflect.TypeOf(v).Elem())
	var members []json.RawMessage
	for _, name := range form.properties(t, encodings) {
		inner := reflect.TypeFor[any]()
		if known, ok := memberOf(t, name); ok {
			inner = known
		}
		data, err := form.json(name, formStyle(encodings, name, inner), inner)
		if err == nil {
			members = append(members, slices.Concat(quoted(name), []byte(":"), data))
		}
	}
	in.noteBody(v, set(v, joined('{', members, '}')))
}

// properties are those that a form may have: the declared ones, and others that
// are there if the type takes them.
func (f *fields) properties(t reflect.Type, encodings []wire.Encoding) []string {
	names := properties(t)
	if t.Kind() == reflect.Struct && !takesOthers(t) {
		return names
	}
	for _, p := range f.list {
		name, _, _ := strings.Cut(p.name, "[")
		if style, _ := wire.StyleOf(encodings, name); style != wire.DeepObject {
			name = p.name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func memberOf(t reflect.Type, name string) (reflect.Type, bool) {
	if s, _ := shapeOf(t); s != object {
		return nil, false
	}
	return member(t, name)
}

func formStyle(encodings []wire.Encoding, name string, t reflect.Type) wire.Style {
	style, ok := wire.StyleOf(encodings, name)
	if s, _ := shapeOf(t); !ok && s == object {
		return wire.JSON
	}
	return style
}

// Multipart decodes a form of parts; see [runtime.MultipartForm]. Files are in
// memory, whatever they were for the client.
func (in *Input) Multipart(contentType string, v any) {
	if !in.take(contentType, v) {
		return
	}
	parts, err := in.parts()
	if err != nil {
		in.noteBody(v, err)
		return
	}
	target := reflect.ValueOf(v).Elem()
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	for _, f := range reflect.VisibleFields(target.Type()) {
		if name, ok := propertyName(f); ok {
			in.note("part "+name, target.FieldByIndex(f.Index).Addr().Interface(), setParts(target.FieldByIndex(f.Index), parts[name]))
			delete(parts, name)
		}
	}
	if extra, ok := extraOf(target.Type()); ok && len(parts) > 0 {
		in.noteBody(v, setExtra(target.FieldByIndex(extra.Index), parts))
	}
}

// part is one part of a form.
type part struct {
	name, filename, contentType string
	data                        []byte
}

// parts are the parts of the body by their names.
func (in *Input) parts() (map[string][]part, error) {
	_, params, err := mime.ParseMediaType(in.http.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	parts := map[string][]part{}
	for r := multipart.NewReader(bytes.NewReader(in.body), params["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		name := p.FormName()
		parts[name] = append(parts[name], part{name, p.FileName(), p.Header.Get("Content-Type"), data})
	}
}

// setParts decodes the parts of one property.
func setParts(target reflect.Value, parts []part) error {
	t := target.Type()
	s, inner := shapeOf(t)
	switch {
	case len(parts) == 0:
		return errAbsent
	case parts[0].file(unwrapped(t)).IsValid():
		return setFile(target, parts[0].file(unwrapped(t)))
	case s == list && parts[0].file(inner.Elem()).IsValid():
		for _, p := range parts {
			target.Set(reflect.Append(target, p.file(inner.Elem())))
		}
		return nil
	case s == list && !(isJSON(parts[0].contentType) && bytes.HasPrefix(parts[0].data, []byte("["))): // a part for each item
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = string(p.data)
		}
		return set(target.Addr().Interface(), array(inner, texts))
	case isJSON(parts[0].contentType):
		return wire.Unmarshal(parts[0].data, target.Addr().Interface())
	}
	return set(target.Addr().Interface(), leaf(t, string(parts[0].data)))
}

func setExtra(target reflect.Value, parts map[string][]part) error {
	target.Set(reflect.MakeMap(target.Type()))
	for name, list := range parts {
		value := reflect.New(target.Type().Elem()).Elem()
		if err := setParts(value, list); err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		target.SetMapIndex(reflect.ValueOf(name), value)
	}
	return nil
}

func isJSON(contentType string) bool { return strings.HasSuffix(mediaType(contentType), "json") }

// file is the part as one of the types of files; no value for any other type.
func (p part) file(t reflect.Type) reflect.Value {
	var file any
	switch t {
	case reflect.TypeFor[runtime.File]():
		file = runtime.File{Name: p.filename, ContentType: p.contentType, Data: p.data}
	case reflect.TypeFor[runtime.FileOpener]():
		file = runtime.FileOpener{Name: p.filename, ContentType: p.contentType, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(p.data)), nil
		}}
	case reflect.TypeFor[runtime.FileReader]():
		//retryvet:ignore it is what a handler receives, and is never sent
		file = runtime.FileReader{Name: p.filename, ContentType: p.contentType, Reader: bytes.NewReader(p.data)}
	default:
		return reflect.Value{}
	}
	return reflect.ValueOf(file)
}

func setFile(target, file reflect.Value) error {
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	target.Set(file)
	return nil
}
