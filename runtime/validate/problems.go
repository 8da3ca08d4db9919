package validate

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problems collects what is wrong with one value. The zero value has none.
//
// The name that every check takes says where: a JSON pointer without its first
// "/". A plain property name is one, once "~" is written ~0 and "/" is written
// ~1; [Index] and [Key] go deeper; "" is the value itself.
type Problems struct{ list []Problem }

// Index is the name of an item: "tags/3".
func Index(name string, i int) string {
	return join(name, strconv.Itoa(i))
}

var tokens = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901

// Key is the name of a map's value: "labels/color". Any key will do.
func Key(name, key string) string {
	return join(name, tokens.Replace(key))
}

func join(name, token string) string {
	if name == "" {
		return token
	}
	return name + "/" + token
}

// Err is nil without problems, and an [*Error] otherwise.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &Error{Problems: p.list}
}

// Required reports a value that is not there.
func (p *Problems) Required(name string, present bool) {
	if !present {
		p.add(name, "is required")
	}
}

// Length reports a string of fewer than least or more than most characters
// (code points, as JSON Schema counts). A negative most is no limit.
func (p *Problems) Length(name, value string, least, most int) {
	p.size(name, utf8.RuneCountInString(value), least, most, "character", "characters")
}

// Pattern reports a string that does not match.
func (p *Problems) Pattern(name, value string, re *regexp.Regexp) {
	if !re.MatchString(value) {
		p.add(name, "must match the pattern %q", re)
	}
}

// Items reports an array of n items if that is too few or too many. A negative
// most is no limit.
func (p *Problems) Items(name string, n, least, most int) {
	p.size(name, n, least, most, "item", "items")
}

// Properties is Items for the properties of an object.
func (p *Problems) Properties(name string, n, least, most int) {
	p.size(name, n, least, most, "property", "properties")
}

// Enum reports a value that is not known.
func (p *Problems) Enum(name string, known bool) {
	if !known {
		p.add(name, "is not one of the permitted values")
	}
}

// Nested takes over what is wrong with a part of the value; nil is nothing.
func (p *Problems) Nested(name string, err error) {
	if err == nil {
		return
	}
	nested, ok := errors.AsType[*Error](err)
	if !ok {
		p.add(name, "%v", err)
		return
	}
	for _, problem := range nested.Problems {
		p.list = append(p.list, Problem{Pointer: pointer(name) + problem.Pointer, Message: problem.Message})
	}
}

func (p *Problems) size(name string, n, least, most int, one, many string) {
	switch {
	case n < least:
		p.add(name, "must have at least %s, has %d", counted(least, one, many), n)
	case most >= 0 && n > most:
		p.add(name, "must have at most %s, has %d", counted(most, one, many), n)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (p *Problems) add(name, format string, args ...any) {
	p.list = append(p.list, Problem{Pointer: pointer(name), Message: fmt.Sprintf(format, args...)})
}

func pointer(name string) string {
	if name == "" {
		return ""
	}
	return "/" + name
}
