package pool

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
)

// BodyError: the response body broke before its end.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return "response body: " + e.Err.Error() }
func (e *BodyError) Unwrap() error { return e.Err }

// RequestBodyError: the request body could not be read. Part of the request may
// have been sent.
type RequestBodyError struct{ Err error }

func (e *RequestBodyError) Error() string { return "request body: " + e.Err.Error() }
func (e *RequestBodyError) Unwrap() error { return e.Err }

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// memory is the type of a body that net/http may know to be in memory.
var memory = reflect.TypeOf(io.NopCloser(new(bytes.Reader)))

// inMemory reports whether net/http knows a body to be in memory, and so sends
// it in one packet with the head. Such a body must not be wrapped, and need not
// be: reading it does not fail.
func inMemory(body io.ReadCloser) bool {
	if reflect.TypeOf(body) != memory {
		return false
	}
	_, ok := reflect.ValueOf(body).Field(0).Interface().(*bytes.Reader)
	return ok
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// requestBody marks the errors of a request body as its own, and closes it once,
// whatever net/http does.
type requestBody struct {
	io.ReadCloser
	closing sync.Once
	err     error
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &RequestBodyError{err}
	}
	return n, err
}

func (b *requestBody) Close() error {
	if b.ReadCloser == nil {
		return nil
	}
	b.closing.Do(func() { b.err = b.ReadCloser.Close() })
	return b.err
}

// responseBody tells a broken body from the end of a whole one, and ends the
// attempt with it.
type responseBody struct {
	io.ReadCloser
	attempt *attempt
	closed  atomic.Bool
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	b.attempt.end()
	if err != io.EOF && !b.closed.Load() {
		err = &BodyError{err}
	}
	return n, err
}

func (b *responseBody) Close() error {
	b.closed.Store(true)
	err := b.ReadCloser.Close()
	b.attempt.end()
	return err
}
