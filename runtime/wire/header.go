package wire

import (
	"fmt"
	"net/http"
	"strings"
)

// Header collects the header and cookie parameters of a request. The zero value
// is an empty header.
type Header struct {
	values http.Header
	err    error
}

// Set sets a header.
func (h *Header) Set(name, value string) {
	if h.values == nil {
		h.values = http.Header{}
	}
	h.values.Set(name, value)
}

// Value sets a header to any value in style simple: a,b for an array, k,v for an
// object, k=v where it is exploded. A nil v is absent.
func (h *Header) Value(name string, explode bool, v any) {
	value, err := valueOf(v)
	switch {
	case err != nil:
		h.fail(name, err)
	case value.null:
	case explode:
		h.Set(name, HeaderArray(value.list("=")))
	default:
		h.Set(name, HeaderArray(value.list("")))
	}
}

// JSON sets a header to a value as JSON. A nil v is absent.
func (h *Header) JSON(name string, v any) {
	value, err := valueOf(v)
	switch {
	case err != nil:
		h.fail(name, err)
	case value.null:
	default:
		h.Set(name, value.json)
	}
}

// Cookie adds a cookie with a percent-encoded value.
func (h *Header) Cookie(name, value string) {
	h.cookies(PathString(name) + "=" + PathString(value))
}

// CookieValue adds any value as a cookie, or as several: style is Form,
// FormExplode or JSON. A nil v is absent.
func (h *Header) CookieValue(name string, style Style, v any) {
	var q Query
	q.Value(name, style, v)
	if q.err != nil {
		h.fail(name, q.err)
	}
	if q.encoded != nil {
		h.cookies(strings.ReplaceAll(q.String(), "&", "; "))
	}
}

func (h *Header) cookies(pairs string) {
	if have := h.Values().Get("Cookie"); have != "" {
		pairs = have + "; " + pairs
	}
	h.Set("Cookie", pairs)
}

// Values are the headers, nil without any.
func (h *Header) Values() http.Header { return h.values }

// Err is why a value could not be encoded.
func (h *Header) Err() error { return h.err }

func (h *Header) fail(name string, err error) {
	if h.err == nil {
		h.err = fmt.Errorf("%s: %w", name, err)
	}
}
