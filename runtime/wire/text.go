package wire

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// ParseText reads a scalar from its text into what v points to: a number, a
// boolean, a string, or what reads text itself, such as a time.
func ParseText(text string, v any) error {
	if u, ok := v.(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(strings.TrimSpace(text)))
	}
	target := reflect.ValueOf(v).Elem()
	if target.Kind() == reflect.String {
		target.SetString(text)
		return nil
	}
	if err := Unmarshal([]byte(strings.TrimSpace(text)), v); err != nil {
		return fmt.Errorf("not the text of %s: %w", target.Type(), err)
	}
	return nil
}

// ParseHeader reads headers into the fields of the struct that v points to, by
// their tags: `header:"X-Rate-Limit"`. What is absent is nil; a list is split at
// its commas; what is no scalar is JSON. The error names all that could not be
// read.
func ParseHeader(h http.Header, v any) error {
	target := reflect.ValueOf(v).Elem()
	var errs []error
	for i := range target.NumField() {
		name := target.Type().Field(i).Tag.Get("header")
		values := h.Values(name)
		if len(values) == 0 {
			continue
		}
		if err := parseField(target.Field(i), strings.Join(values, ",")); err != nil {
			errs = append(errs, fmt.Errorf("header %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func parseField(field reflect.Value, text string) error {
	switch elem := field.Type(); {
	case elem.Kind() == reflect.Pointer:
		value := reflect.New(elem.Elem())
		if err := ParseText(text, value.Interface()); err != nil {
			return err
		}
		field.Set(value)
		return nil
	case elem.Kind() == reflect.Slice && elem.Elem().Kind() != reflect.Uint8:
		return parseList(field, text)
	case elem.Kind() == reflect.Slice:
		return json.Unmarshal([]byte(`"`+text+`"`), field.Addr().Interface())
	}
	return ParseText(text, field.Addr().Interface())
}

func parseList(field reflect.Value, text string) error {
	for item := range strings.SplitSeq(text, ",") {
		value := reflect.New(field.Type().Elem())
		if err := ParseText(strings.TrimSpace(item), value.Interface()); err != nil {
			return err
		}
		field.Set(reflect.Append(field, value.Elem()))
	}
	return nil
}
