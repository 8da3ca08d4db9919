package report

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Duration is d as people write it: "1m", "1.5s".
func Duration(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, tail) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// orNone is a duration whose zero has a meaning.
func orNone(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return Duration(d)
}

// number is f without trailing zeros.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// List is "a, b and c".
func List(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

func joined(list []int) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// Wrapped is a sentence on lines of a bounded width, but for words that are longer.
func Wrapped(indent, sentence string, width int) string {
	var lines strings.Builder
	line := indent
	for _, word := range strings.Fields(OneLine(sentence)) {
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	lines.WriteString(strings.TrimRight(line, " ") + "\n")
	return lines.String()
}
