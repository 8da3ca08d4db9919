package source

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Diagnostics is all that is wrong with a document. It is an error as soon as
// it is not empty; Err makes one of it.
type Diagnostics []Diagnostic

// Error is one message per line, in the order of the slice.
func (d Diagnostics) Error() string {
	lines := make([]string, len(d))
	for i, one := range d {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is nil when there is nothing to report; otherwise the diagnostics, sorted
// by position and without repetitions.
func (d Diagnostics) Err() error {
	if len(d) == 0 {
		return nil
	}
	return d.Sorted()
}

// Sorted is a copy sorted by file, line, column and message, without
// repetitions: what is reported must not depend on the order of the checks.
func (d Diagnostics) Sorted() Diagnostics {
	sorted := slices.Clone(d)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(sorted)
}

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// one is a single diagnostic as an error.
func one(pos Pos, message, fix string) Diagnostics {
	return Diagnostics{{Pos: pos, Message: message, Fix: fix}}
}

// Printable is a text that cannot control a terminal, nor show other text than
// it holds: it may quote a hostile document.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
