package wire

import "strings"

// PathString is s as (a part of) one path segment, percent-encoded: no value can
// add a segment, a query or a fragment. Dot segments stay as they are; the
// runtime refuses them.
func PathString(s string) string {
	if plain(s) {
		return s
	}
	return string(appendEscaped(make([]byte, 0, len(s)+8), s))
}

// PathArray is values in style simple: each one percent-encoded, joined by ",".
func PathArray(values []string) string {
	var b []byte
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEscaped(b, value)
	}
	return string(b)
}

// HeaderArray is values in style simple: joined by ",", not encoded, as headers
// are. The style knows no way to write a "," inside a value.
func HeaderArray(values []string) string {
	return strings.Join(values, ",")
}

// Query collects the parameters of a query in the order in which they are added.
// The zero value is an empty query.
type Query struct{ encoded []byte }

// Add adds name=value, both percent-encoded; a space becomes %20.
func (q *Query) Add(name, value string) {
	q.name(name)
	q.encoded = appendEscaped(q.encoded, value)
}

// Join adds name=a,b,c for the styles that write an array as one parameter; sep
// is "," for form, " " for spaceDelimited and "|" for pipeDelimited. A separator
// inside a value is percent-encoded. Without values nothing is added.
func (q *Query) Join(name, sep string, values []string) {
	if len(values) == 0 {
		return
	}
	q.name(name)
	for i, value := range values {
		switch {
		case i == 0:
		case sep == ",":
			q.encoded = append(q.encoded, ',')
		default:
			q.encoded = appendEscaped(q.encoded, sep)
		}
		q.encoded = appendEscaped(q.encoded, value)
	}
}

// String is the encoded query, without "?".
func (q *Query) String() string { return string(q.encoded) }

func (q *Query) name(name string) {
	if len(q.encoded) > 0 {
		q.encoded = append(q.encoded, '&')
	}
	q.encoded = append(appendEscaped(q.encoded, name), '=')
}

const hexDigits = "0123456789ABCDEF"

func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; unreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return b
}

func plain(s string) bool {
	for i := range len(s) {
		if !unreserved(s[i]) {
			return false
		}
	}
	return true
}

// unreserved follows RFC 3986, section 2.3.
func unreserved(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}
