package runtime

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// Response is a whole response, as the functions that read it see it.
type Response struct {
	StatusCode int
	Header     http.Header
	Body       []byte // unpacked

	decoded any // by ReadError
}

// ReadJSON reads the body as T, a pointer to a generated struct, say. Properties
// that the document requires must be there; anything else is taken as it comes,
// so that a new enum value does not turn a success into a failure.
func ReadJSON[T any](r *Response) (T, error) {
	var none T
	data := r.text()
	if string(data) == "null" {
		return none, errors.New("the body is null")
	}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer || t.Name() != "" {
		return decodeAs[T](r, data)
	}
	v := reflect.New(t.Elem()).Interface() // spares the pointer to the pointer
	if err := r.decode(data, v); err != nil {
		return none, err
	}
	return v.(T), nil
}

// ReadNullableJSON is [ReadJSON] where the document permits null: T's zero value.
func ReadNullableJSON[T any](r *Response) (T, error) { return decodeAs[T](r, r.text()) }

func decodeAs[T any](r *Response, data []byte) (T, error) {
	var v T
	err := r.decode(data, &v)
	return v, err
}

func (r *Response) decode(data []byte, v any) error {
	if len(data) == 0 {
		return errors.New("the body is empty; JSON was expected")
	}
	err := wire.Decode(data, v)
	if err != nil && !errors.As(err, new(*wire.MissingError)) {
		return fmt.Errorf("the body is not the JSON that was expected%s: %w", r.otherwise(), err)
	}
	return err
}

// otherwise is what the response says of its body, where that is not JSON.
func (r *Response) otherwise() string {
	kind := r.Header.Get("Content-Type")
	if kind == "" || strings.Contains(kind, "json") {
		return ""
	}
	return fmt.Sprintf(", but %.100q", kind)
}

// ReadText reads the body as a T that is a scalar: a number, a boolean, a string,
// or what reads text itself, such as a time.
func ReadText[T any](r *Response) (T, error) {
	var v T
	text := string(r.Body)
	if reflect.TypeFor[T]().Kind() != reflect.String {
		text = string(r.text())
	}
	if err := wire.ParseText(text, &v); err != nil {
		return v, fmt.Errorf("the body is %w", err)
	}
	return v, nil
}

// text is the body without what may stand around JSON, a byte order mark included
// (RFC 8259, section 8.1).
func (r *Response) text() []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(r.Body, []byte("\ufeff")))
}

// ReadError keeps the body of an error response as an *E, for [ErrorBody]. A
// body that is something else is no further error: the status is the news, and
// the raw body is kept in any case. It always returns nil.
func ReadError[E any](r *Response) error {
	v := new(E)
	if wire.Unmarshal(r.text(), v) == nil {
		r.decoded = v
	}
	return nil
}

// Undocumented is how a status that the document does not list is read: a 2xx
// with an answer that nobody described is malformed; any other status speaks for
// itself.
func (r *Response) Undocumented() error {
	if r.StatusCode/100 != 2 {
		return nil
	}
	return fmt.Errorf("status %d is not documented", r.StatusCode)
}

// brokenBody marks a body that broke before its end (RULE-EVIDENCE).
type brokenBody struct{ error }

func (e brokenBody) Unwrap() error { return e.error }

// maxErrorBytes bounds the body of a response that is no 2xx. What lies beyond
// is not worth the wait: the connection is closed instead.
const maxErrorBytes = 256 << 10

// readBody reads a body to its end and closes it. The wire is read first and
// unpacked afterwards, so that what broke is told from what is no archive; one
// that ends too early broke somewhere on its way (RULE-EVIDENCE-PARTIAL).
func readBody(response *http.Response, limit int64) ([]byte, error) {
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return readErrorBody(response, min(limit, maxErrorBytes))
	}
	data, err := readAtMost(response.Body, response.ContentLength, limit)
	if err != nil && !errors.Is(err, errOversized) {
		return data, brokenBody{err}
	}
	if err != nil || !packed(response, data) {
		return data, err
	}
	data, err = unpack(response, data, limit)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return data, brokenBody{err}
	case err != nil && !errors.Is(err, errOversized):
		return data, malformed{err}
	}
	return data, err
}

// readErrorBody keeps what there is of a body: its status has said what counts.
func readErrorBody(response *http.Response, limit int64) ([]byte, error) {
	data, err := readAtMost(response.Body, response.ContentLength, limit)
	if err != nil && !errors.Is(err, errOversized) {
		return data, brokenBody{err}
	}
	if packed(response, data) {
		data, _ = unpack(response, data, limit)
	}
	return data, nil
}

func packed(response *http.Response, data []byte) bool {
	encoding := response.Header["Content-Encoding"]
	return len(data) > 0 && len(encoding) > 0 && strings.EqualFold(encoding[0], "gzip")
}

// unpack also takes back what the header says of the packed body.
func unpack(response *http.Response, data []byte, limit int64) ([]byte, error) {
	response.Header.Del("Content-Encoding")
	response.Header.Del("Content-Length")
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data, err
	}
	return readAtMost(reader, -1, limit)
}

// readAtMost reads to the end, or fails with errOversized beyond limit. The size
// is what the header promises, -1 where it promises nothing; it is a hint only.
func readAtMost(r io.Reader, size, limit int64) ([]byte, error) {
	if size < 0 || size > maxFirstRead {
		size = minFirstRead
	}
	data := make([]byte, 0, size+1) // one more, so that the end needs no growth
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return data[:limit], errOversized
		case err == io.EOF:
			return data, nil
		case err != nil:
			return data, err
		case len(data) == cap(data):
			data = slices.Grow(data, 1)
		}
	}
}

// A promise of length is believed up to maxFirstRead, so that a lie costs no
// memory.
const (
	minFirstRead = 512
	maxFirstRead = 1 << 20
)
