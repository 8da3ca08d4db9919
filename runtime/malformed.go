package runtime

import "strings"

// malformed marks a response that arrived whole and makes no sense.
type malformed struct{ error }

func (e malformed) Unwrap() error { return e.error }

// malformedHead tells what is wrong with a head and not what it says: net/http
// quotes the line, which may be a cookie.
type malformedHead struct{ error }

func (e malformedHead) Error() string {
	text, _, _ := strings.Cut(e.error.Error(), `"`)
	text, _, _ = strings.Cut(text, "line: ")
	return strings.TrimRight(text, ": [")
}

func (e malformedHead) Unwrap() error { return e.error }
