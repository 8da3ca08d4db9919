package report

import (
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// Code is a text of a document as a code span of Markdown, on one line, fit for a
// cell of a table. Whatever it holds is shown, and does nothing: no markup, no
// HTML, no link, no mention of a person.
func Code(text string) string {
	text = OneLine(text)
	switch {
	case text == "":
		return ""
	case strings.ContainsAny(text, "`|\\"):
		// No code span of a table can hold these in every place.
		return "<code>" + entities(text) + "</code>"
	}
	return "`" + text + "`"
}

// OneLine is a text of a document without line breaks and controls.
func OneLine(text string) string {
	return source.Printable(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
}

// entities writes all that Markdown or HTML may take for markup as a number.
func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 && r != ' ' && !('0' <= r && r <= '9') && !('A' <= r && r <= 'Z') && !('a' <= r && r <= 'z') {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TableRow is a row of a Markdown table. Its cells are not padded: a longer cell
// must change no other line.
func TableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// TableHead is the head of a Markdown table.
func TableHead(cells ...string) string {
	return TableRow(cells...) + "|" + strings.Repeat("---|", len(cells)) + "\n"
}

// Prose is a sentence of ours that may quote words of a document. A word that
// could be more than a word becomes code: only there it is no mention and no link.
func Prose(sentence string) string {
	words := strings.Fields(OneLine(sentence))
	for i, word := range words {
		if strings.ContainsAny(word, "\\`*_{}[]<>&|@#~!^$") || strings.Contains(word, "//") || strings.Contains(word, "www.") {
			bare := strings.TrimRight(word, ",.;:")
			words[i] = Code(bare) + word[len(bare):]
		}
	}
	return strings.Join(words, " ")
}
