package runtime

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"strings"
)

// Documented is the one of the documented content types that the response has;
// the first, where it has none of them: what an upstream says of its answers is
// often wrong, and the answer right.
func (r *Response) Documented(types ...string) string {
	return documented(r.Header, types)
}

func documented(header http.Header, types []string) string {
	best, most := types[0], 0
	for _, t := range types {
		if n := fit(t, header.Get("Content-Type")); n > most {
			best, most = t, n
		}
	}
	return best
}

// fit tells how well a content type fits a documented one: 0 is not at all. Case,
// and parameters that are not documented, do not count.
func fit(documented, actual string) int {
	if strings.EqualFold(documented, actual) {
		return 100
	}
	want, params, _ := mime.ParseMediaType(documented)
	have, given, _ := mime.ParseMediaType(actual)
	front, back, isRange := strings.Cut(want, "*")
	switch {
	case have == "":
		return 0
	case isRange && strings.HasPrefix(have, front) && strings.HasSuffix(have, strings.TrimPrefix(back, "/*")):
		return 1
	case have != want:
		return 0
	}
	maps.DeleteFunc(params, func(name, _ string) bool { return name == "charset" })
	for name, value := range params {
		if !strings.EqualFold(given[name], value) {
			return 0
		}
	}
	return 2 + len(params)
}

// ReadOther is how a 2xx is read whose content type the document has too, but is
// not what was asked for. It keeps the body as an *E, for [ErrorBody], and returns
// the error that says so: the result has no place for it.
func ReadOther[E any](r *Response) error {
	_ = ReadError[E](r) // it returns none
	return r.other()
}

func (r *Response) other() error {
	return fmt.Errorf("it is %.100q, which the document has, too", r.Header.Get("Content-Type"))
}
