package source

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// JSON is YAML, but for surrogate pairs and some control characters, and a YAML
// parser is no good reader of it: as a mapping in braces may be a key, the parser
// holds the tokens of the whole document before it makes the first node.

// parseJSON is the tree of a document that is a JSON object, as the YAML parser
// would make it, or nil. A lone surrogate becomes \uFFFD, as encoding/json reads it.
func parseJSON(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || !utf8.Valid(data) || !json.Valid(data) {
		return nil
	}
	r := jsonReader{text: string(data), line: 1, column: 1}
	return r.value()
}

// jsonReader reads text that is valid.
type jsonReader struct {
	text         string
	at           int
	marked       int // an offset, and where it is
	line, column int
}

// value reads the next value, or the next key, and what is before it.
func (r *jsonReader) value() *yaml.Node {
	r.skip()
	switch r.text[r.at] {
	case '{':
		return r.collection(yaml.MappingNode, "!!map")
	case '[':
		return r.collection(yaml.SequenceNode, "!!seq")
	case '"':
		return r.string()
	}
	n := r.node(yaml.ScalarNode, 0)
	n.Value = r.text[r.at : r.at+strings.IndexAny(r.text[r.at:], ",]} \t\r\n")]
	n.Tag = literalTag(n.Value)
	r.at += len(n.Value)
	return n
}

// skip goes to the next value or end of a collection. What separates them needs no
// attention in text that is valid.
func (r *jsonReader) skip() {
	for strings.IndexByte(" \t\r\n,:", r.text[r.at]) >= 0 {
		r.at++
	}
}

// collection reads keys and values in turn, or items.
func (r *jsonReader) collection(kind yaml.Kind, tag string) *yaml.Node {
	n := r.node(kind, yaml.FlowStyle)
	n.Tag = tag
	for r.at++; ; {
		if r.skip(); r.text[r.at] == '}' || r.text[r.at] == ']' {
			r.at++
			return n
		}
		n.Content = append(n.Content, r.value())
	}
}

func (r *jsonReader) string() *yaml.Node {
	n := r.node(yaml.ScalarNode, yaml.DoubleQuotedStyle)
	n.Tag = "!!str"
	start, escaped := r.at, false
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	n.Value = r.text[start+1 : r.at-1]
	if escaped {
		_ = json.Unmarshal([]byte(r.text[start:r.at]), &n.Value) // it is valid
	}
	return n
}

// node is a new one, at the reader's position.
func (r *jsonReader) node(kind yaml.Kind, style yaml.Style) *yaml.Node {
	passed := r.text[r.marked:r.at]
	if lines := strings.Count(passed, "\n"); lines > 0 {
		r.line += lines
		r.column = 1
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	r.column += utf8.RuneCountInString(passed)
	r.marked = r.at
	return &yaml.Node{Kind: kind, Style: style, Line: r.line, Column: r.column}
}

// literalTag is the type of what is written without quotes. A number that no float64
// holds is a string for YAML.
func literalTag(value string) string {
	switch value {
	case "null":
		return "!!null"
	case "true", "false":
		return "!!bool"
	case "-0": // no integer
		return "!!float"
	}
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		return "!!int"
	}
	if _, err := strconv.ParseUint(value, 10, 64); err == nil {
		return "!!int"
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return "!!float"
	}
	return "!!str"
}
