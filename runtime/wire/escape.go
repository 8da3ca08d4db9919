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

// PathValue is any value in style simple: a,b for an array, k,v for an object, k=v
// where it is exploded. A value that cannot be encoded, or is nil, is empty: the
// runtime refuses it.
func PathValue(explode bool, v any) string { return styledPath("", ",", "", explode, v) }

// PathLabel is any value in style label: .a.b where it is exploded, else .a,b.
func PathLabel(explode bool, v any) string {
	if explode {
		return styledPath(".", ".", "", true, v)
	}
	return styledPath(".", ",", "", false, v)
}

// PathMatrix is any value in style matrix: ;name=a;name=b where it is exploded,
// ;k=v for an exploded object, else ;name=a,b.
func PathMatrix(name string, explode bool, v any) string {
	name = PathString(name) + "="
	if !explode {
		return styledPath(";"+name, ",", "", false, v)
	}
	return styledPath(";", ";", name, true, v)
}

// PathJSON is any value as JSON.
func PathJSON(v any) string {
	value, err := valueOf(v)
	if err != nil || value.null {
		return ""
	}
	return PathString(value.json)
}

// styledPath joins a value behind a prefix. Every item that is not a pair begins
// with what each says.
func styledPath(prefix, separator, each string, explode bool, v any) string {
	value, err := valueOf(v)
	if err != nil || value.null {
		return ""
	}
	b := []byte(prefix)
	next := func(i int) {
		if i > 0 {
			b = append(b, separator...)
		}
	}
	if explode && value.kind == '{' {
		for i, m := range value.members {
			next(i)
			b = appendEscaped(b, m.name)
			b = appendEscaped(append(b, '='), m.value.plainText())
		}
	} else {
		for i, text := range value.list("") {
			next(i)
			b = appendEscaped(append(b, each...), text)
		}
	}
	if len(b) == len(prefix) {
		return ""
	}
	return string(b)
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
