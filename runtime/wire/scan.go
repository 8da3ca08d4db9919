package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

var errSyntax = errors.New("not valid JSON")

// maxDepth bounds recursion; encoding/json refuses deeper documents, too.
const maxDepth = 10_000

// scanner walks over JSON that encoding/json has accepted already, so it looks
// for structure only. Given anything else it ends early; it never reads past the
// end and always moves on.
type scanner struct {
	data []byte
	i    int
}

// peek is the next byte that is no white space, without consuming it; 0 at the
// end.
func (s *scanner) peek() byte {
	for s.i < len(s.data) {
		c := s.data[s.i]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		s.i++
	}
	return 0
}

// take consumes c, if that is what comes next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

// takeAll consumes text, if that is what comes next.
func (s *scanner) takeAll(text []byte) bool {
	s.peek()
	if !bytes.HasPrefix(s.data[s.i:], text) {
		return false
	}
	s.i += len(text)
	return true
}

// text consumes a string and gives what is between its quotes.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for start, i := s.i, s.i; i < len(s.data); i++ {
		switch s.data[i] {
		case '"':
			s.i = i + 1
			return s.data[start:i], true
		case '\\':
			i++
		}
	}
	s.i = len(s.data)
	return nil, false
}

// key consumes the name of a member and its colon.
func (s *scanner) key() ([]byte, error) {
	key, ok := s.text()
	if !ok || !s.take(':') {
		return nil, errSyntax
	}
	return key, nil
}

// next consumes the comma after an element, or the closing bracket.
func (s *scanner) next(closing byte) (more bool, err error) {
	switch s.peek() {
	case ',':
		s.i++
		return true, nil
	case closing:
		s.i++
		return false, nil
	}
	return false, errSyntax
}

// skip consumes one value without recursion.
func (s *scanner) skip() error {
	switch s.peek() {
	case '"':
		if _, ok := s.text(); !ok {
			return errSyntax
		}
		return nil
	case '{', '[':
		return s.skipNested()
	}
	return s.skipWord()
}

func (s *scanner) skipNested() error {
	for depth := 0; s.i < len(s.data); {
		switch s.data[s.i] {
		case '"':
			if _, ok := s.text(); !ok {
				return errSyntax
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.i++
		if depth == 0 {
			return nil
		}
	}
	return errSyntax
}

// skipWord consumes a number, true, false or null.
func (s *scanner) skipWord() error {
	start := s.i
	for s.i < len(s.data) && wordByte(s.data[s.i]) {
		s.i++
	}
	if s.i == start {
		return errSyntax
	}
	return nil
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// unquoted decodes a key with escapes. Invalid UTF-8 is replaced, as
// encoding/json does.
func unquoted(key []byte) string {
	if verbatim(key) {
		return string(key)
	}
	var s string
	quoted := append(append([]byte{'"'}, key...), '"')
	if json.Unmarshal(quoted, &s) != nil {
		return string(key)
	}
	return s
}

// verbatim reports whether a key means what it says.
func verbatim(key []byte) bool {
	return bytes.IndexByte(key, '\\') < 0 && utf8.Valid(key)
}
