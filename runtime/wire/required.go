package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// MissingError says that a required property is not there.
type MissingError struct {
	Pointer string // JSON pointer of the property, "/owner/name"
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("required property %s is missing", shortened(e.Pointer))
}

// CheckRequired reports the first required property that data lacks, at any
// depth, as a [*MissingError]. A struct field is a required property unless its
// json tag says omitzero or omitempty; null is a value like any other. Names
// compare exactly; of a repeated name, every value is checked. Types that decode
// themselves are not looked into, other than [Nullable], structs with additional
// properties (see [UnmarshalExtra]), and tuples (see [UnmarshalTuple]).
//
// data must have been accepted by [encoding/json.Unmarshal]; of anything else,
// the result is some error or nil.
func CheckRequired(data []byte, t reflect.Type) error {
	return check(data, planOf(t))
}

func check(data []byte, p *plan) error {
	if p == nil {
		return nil
	}
	c := checker{scanner: scanner{data: data}}
	if err := c.value(p, 0); err != nil {
		return err
	}
	if c.missing {
		return &MissingError{Pointer: c.pointer()}
	}
	return nil
}

// checker walks over a document and a plan side by side.
type checker struct {
	scanner
	missing bool
	path    []string // of the missing property, innermost first
}

// value checks the next value. It returns early once something is missing.
func (c *checker) value(p *plan, depth int) error {
	if p == nil {
		return c.skip()
	}
	if depth > maxDepth {
		return errSyntax
	}
	switch first := c.peek(); {
	case first == '{' && p.kind == object:
		return c.object(p, depth)
	case first == '{' && p.kind == table:
		return c.table(p, depth)
	case first == '[' && p.kind == list:
		return c.list(p, depth)
	}
	return c.skip()
}

func (c *checker) object(p *plan, depth int) error {
	var few [4]uint64
	seen := bits(few[:])
	if words := (len(p.required) + 63) / 64; words > len(few) {
		seen = make(bits, words)
	}
	left := len(p.required)
	var m *member
	c.take('{')
	for more := !c.take('}'); more; {
		if left == 0 && !p.nested && depth == 0 {
			return nil // what follows is of no interest
		}
		key, declared, err := c.member(p, m)
		if err != nil {
			return err
		}
		below := p.elem
		if declared != nil {
			m, below = declared, declared.plan
			if m.bit != optional && !seen.has(m.bit) {
				seen.set(m.bit)
				left--
			}
		}
		if err := c.value(below, depth+1); err != nil {
			return err
		}
		if c.missing {
			c.path = append(c.path, unquoted(key))
			return nil
		}
		if more, err = c.next('}'); err != nil {
			return err
		}
	}
	for i, name := range p.required {
		if !seen.has(i) {
			c.missing, c.path = true, append(c.path, name)
			return nil
		}
	}
	return nil
}

// member consumes the key of a member and finds what p declares of it, if anything. Most
// upstreams keep an order, so the property after the last is tried first.
func (c *checker) member(p *plan, last *member) (key []byte, declared *member, err error) {
	if next := p.after(last); next != nil && c.takeAll(next.text) {
		return next.text[1 : len(next.text)-2], next, nil
	}
	if key, err = c.key(); err != nil {
		return nil, nil, err
	}
	return key, p.declared(key), nil
}

func (c *checker) table(p *plan, depth int) error {
	c.take('{')
	for more := !c.take('}'); more; {
		key, err := c.key()
		if err != nil {
			return err
		}
		if err := c.value(p.elem, depth+1); err != nil {
			return err
		}
		if c.missing {
			c.path = append(c.path, unquoted(key))
			return nil
		}
		if more, err = c.next('}'); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) list(p *plan, depth int) error {
	c.take('[')
	i := 0
	for more := !c.take(']'); more; i++ {
		err := c.value(p.item(i), depth+1)
		if err != nil {
			return err
		}
		if c.missing {
			c.path = append(c.path, strconv.Itoa(i))
			return nil
		}
		if more, err = c.next(']'); err != nil {
			return err
		}
	}
	if i < p.least {
		c.missing, c.path = true, append(c.path, strconv.Itoa(i))
	}
	return nil
}

var tokens = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901

func (c *checker) pointer() string {
	var b strings.Builder
	for _, token := range slices.Backward(c.path) {
		b.WriteByte('/')
		b.WriteString(tokens.Replace(token))
	}
	return b.String()
}

const maxShown = 200

// shortened is a pointer for a message: its names may come from the upstream.
func shortened(pointer string) string {
	if len(pointer) > maxShown {
		pointer = pointer[:maxShown] + "..."
	}
	return strconv.Quote(pointer)
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
