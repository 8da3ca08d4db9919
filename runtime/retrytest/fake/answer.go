package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/retrygen/retrygen/runtime"
)

// Answer is what a handler answers. Generated functions make one of each response
// that the document describes; its fields are for what the document leaves out.
type Answer struct {
	Status int
	Header http.Header
	// Body writes the body; flush sends what was written so far. nil writes none.
	Body func(w io.Writer, flush func()) error

	err error // why it cannot be sent
}

func (a Answer) answer() Answer { return a }

// response is a generated type that holds an Answer.
type response interface{ answer() Answer }

func newAnswer(status int, contentType string, body func(w io.Writer, flush func()) error) Answer {
	a := Answer{Status: status, Header: http.Header{}, Body: body}
	if strings.Contains(contentType, "*") {
		contentType = "application/octet-stream" // a range names no type
	}
	if contentType != "" {
		a.Header.Set("Content-Type", contentType)
	}
	return a
}

func whole(status int, contentType string, data []byte, err error) Answer {
	a := newAnswer(status, contentType, func(w io.Writer, _ func()) error {
		_, err := w.Write(data)
		return err
	})
	a.err = err
	return a
}

// Empty is an answer without a body.
func Empty(status int) Answer { return newAnswer(status, "", nil) }

// JSON is an answer whose body is v as JSON. A list or a map that is nil is empty:
// null would be no answer.
func JSON(status int, contentType string, v any) Answer {
	data, err := json.Marshal(v)
	if v := reflect.ValueOf(v); string(data) == "null" && v.IsValid() {
		switch v.Kind() {
		case reflect.Slice:
			data = []byte("[]")
		case reflect.Map:
			data = []byte("{}")
		}
	}
	return whole(status, contentType, data, err)
}

// Text is an answer whose body is a scalar as text.
func Text(status int, contentType string, v any) Answer {
	text, err := textOf(v)
	return whole(status, contentType, []byte(text), err)
}

// Bytes is an answer with a body as it is.
func Bytes[T ~string | ~[]byte](status int, contentType string, body T) Answer {
	return whole(status, contentType, []byte(body), nil)
}

// Stream is an answer that is sent as r yields it.
func Stream(status int, contentType string, r io.Reader) Answer {
	var mu sync.Mutex
	var sent bytes.Buffer // for who asks once more
	return newAnswer(status, contentType, func(w io.Writer, flush func()) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := w.Write(sent.Bytes()); err != nil || r == nil {
			return err
		}
		_, err := io.Copy(flushing{w, flush}, io.TeeReader(r, &sent))
		return err
	})
}

// flushing sends what is written at once.
type flushing struct {
	io.Writer
	flush func()
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.flush()
	return n, err
}

// Events is an answer of server-sent events, each sent when it is yielded.
func Events(status int, contentType string, events iter.Seq[runtime.ServerSentEvent]) Answer {
	return each(status, contentType, events, func(e runtime.ServerSentEvent) ([]byte, error) {
		var b bytes.Buffer
		if e.ID != "" {
			fmt.Fprintf(&b, "id: %s\n", e.ID)
		}
		if e.Name != "" {
			fmt.Fprintf(&b, "event: %s\n", e.Name)
		}
		for line := range strings.SplitSeq(e.Data, "\n") {
			fmt.Fprintf(&b, "data: %s\n", line)
		}
		b.WriteByte('\n')
		return b.Bytes(), nil
	})
}

// Values is an answer of JSON values, each sent when it is yielded.
func Values[T any](status int, contentType string, values iter.Seq[T]) Answer {
	return each(status, contentType, values, func(v T) ([]byte, error) {
		data, err := json.Marshal(v)
		if mediaType(contentType) == "application/json-seq" {
			data = append([]byte{recordSeparator}, data...)
		}
		return append(data, '\n'), err
	})
}

const recordSeparator = 0x1e // RFC 7464

func each[T any](status int, contentType string, all iter.Seq[T], encode func(T) ([]byte, error)) Answer {
	return newAnswer(status, contentType, func(w io.Writer, flush func()) error {
		flush()
		if all == nil {
			return nil
		}
		for v := range all {
			data, err := encode(v)
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				return err
			}
			flush()
		}
		return nil
	})
}

// Within refuses a status that is not of the class.
func (a Answer) Within(class int) Answer {
	if a.Status/100 != class {
		a.err = fmt.Errorf("%d is no %dXX", a.Status, class)
	}
	return a
}

// With adds the headers of a generated struct, by its tags.
func (a Answer) With(headers any) Answer {
	a.Header = a.Header.Clone()
	v := reflect.ValueOf(headers)
	for i := range v.NumField() {
		text, err := headerText(v.Field(i))
		name := v.Type().Field(i).Tag.Get("header")
		switch {
		case err != nil:
			a.err = fmt.Errorf("header %s: %w", name, err)
		case !v.Field(i).IsZero():
			a.Header.Set(name, text)
		}
	}
	return a
}

// headerText is what runtime/wire.ParseHeader reads: a scalar as text, a list
// joined by commas, anything else as JSON.
func headerText(v reflect.Value) (string, error) {
	s, t := shapeOf(v.Type())
	if v.IsZero() {
		return "", nil
	}
	if s != list || t.Elem().Kind() == reflect.Uint8 {
		return textOf(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		text, err := textOf(v.Index(i).Interface())
		if err != nil {
			return "", err
		}
		items[i] = text
	}
	return strings.Join(items, ","), nil
}

// textOf is a value as text: a string without its quotes, anything else as JSON.
func textOf(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil || len(data) == 0 || data[0] != '"' {
		return string(data), err
	}
	var text string
	err = json.Unmarshal(data, &text)
	return text, err
}

// write sends an answer.
func (a Answer) write(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.WriteHeader(a.Status)
	if a.Body != nil {
		if a.Body(w, func() { _ = http.NewResponseController(w).Flush() }) != nil {
			panic(http.ErrAbortHandler) // the client sees a body that breaks
		}
	}
}
