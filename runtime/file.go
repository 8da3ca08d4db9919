package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// File is a file in memory, as a part of a multipart form.
type File struct {
	Name        string // as the upstream sees it; empty: the property's name
	ContentType string // empty: what the API's description says, else application/octet-stream
	Data        []byte
}

// FileOpener is [File] for a file that is opened anew for every attempt.
type FileOpener struct {
	Name        string
	ContentType string
	Open        Opener
}

// FileReader is [File] for a file that can be read once: there is no second
// attempt after one has begun to read it.
type FileReader struct {
	Name        string
	ContentType string
	Reader      io.Reader
}

// file is what the three have in common.
type file interface {
	part(name, contentType string) Part
}

func (f File) part(name, contentType string) Part {
	return Part{name, cmp.Or(f.Name, name), Bytes(cmp.Or(f.ContentType, contentType), f.Data)}
}

func (f FileOpener) part(name, contentType string) Part {
	return Part{name, cmp.Or(f.Name, name), Reopen(cmp.Or(f.ContentType, contentType), f.Open)}
}

func (f FileReader) part(name, contentType string) Part {
	return Part{name, cmp.Or(f.Name, name), Stream(cmp.Or(f.ContentType, contentType), f.Reader)}
}

// MultipartForm makes a multipart body of a struct, whose fields have json tags:
// a [File], [FileOpener] or [FileReader] is a file, an array is one part for each
// item, a scalar is text, anything else JSON. What is zero and tagged omitzero is
// left out. The body is as replayable as its weakest part (RULE-BODY-WEAKEST).
func MultipartForm(mediaType string, form any, encodings ...wire.Encoding) Body {
	v := reflect.Indirect(reflect.ValueOf(form))
	f := multipartForm{encodings: encodings}
	err := f.addStruct(v)
	body := multipartOf(mediaType, f.parts)
	body.multipart.err = err
	return body
}

// multipartForm collects the parts of a form.
type multipartForm struct {
	encodings []wire.Encoding
	parts     []Part
}

func (f *multipartForm) addStruct(v reflect.Value) error {
	if v.Kind() != reflect.Struct {
		return fmt.Errorf("%v is no struct, which a multipart form must be", v.Kind())
	}
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if err := f.addField(field, name, options, value); err != nil {
			return fmt.Errorf("part %q: %w", name, err)
		}
	}
	return nil
}

func (f *multipartForm) addField(field reflect.StructField, name, options string, v reflect.Value) error {
	switch {
	case field.Tag.Get("wire") == "extra":
		return f.addExtra(v)
	case name == "-" && options == "", strings.Contains(options, "omitzero") && v.IsZero():
		return nil
	}
	return f.add(name, v)
}

func (f *multipartForm) addExtra(v reflect.Value) error {
	names := v.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, name := range names {
		if err := f.add(name.String(), v.MapIndex(name)); err != nil {
			return err
		}
	}
	return nil
}

// add adds the parts of one property.
func (f *multipartForm) add(name string, v reflect.Value) error {
	v = reflect.Indirect(v)
	if !v.IsValid() {
		return nil
	}
	if file, ok := v.Interface().(file); ok {
		f.parts = append(f.parts, file.part(name, cmp.Or(concrete(wire.ContentType(f.encodings, name)), "application/octet-stream")))
		return nil
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Implements(reflect.TypeFor[file]()) {
		for i := range v.Len() {
			if err := f.add(name, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	return f.addJSON(name, data)
}

// addJSON adds a value that is known by its JSON.
func (f *multipartForm) addJSON(name string, data []byte) error {
	contentType := concrete(wire.ContentType(f.encodings, name))
	switch data[0] {
	case '[':
		if strings.HasSuffix(contentType, "json") {
			break
		}
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return err
		}
		for _, item := range items {
			if err := f.addJSON(name, item); err != nil {
				return err
			}
		}
		return nil
	case '{':
		contentType = cmp.Or(contentType, "application/json")
	case '"':
		if strings.HasSuffix(contentType, "json") {
			break
		}
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		data = []byte(text)
	case 'n':
		return nil
	}
	f.parts = append(f.parts, Part{Name: name, Body: Bytes(contentType, data)})
	return nil
}

// concrete is a content type that names one type; a range or a list of choices
// names none.
func concrete(contentType string) string {
	if strings.ContainsAny(contentType, "*,") {
		return ""
	}
	return contentType
}
