package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Parse reads one YAML or JSON document whose root is a mapping. The tree that
// it returns holds no aliases, no merge keys and no duplicate keys. Its errors
// are Diagnostics in the file that is named, and quote none of its text.
func Parse(file string, data []byte) (*yaml.Node, error) {
	root, _, err := parse(file, data)
	return root, err
}

// parse is Parse, and the comments that speak to retrygen, which JSON has none of.
func parse(file string, data []byte) (*yaml.Node, []Comment, error) {
	if root := parseJSON(data); root != nil {
		return root, nil, expand(file, root)
	}
	document, err := decode(file, data)
	if err != nil {
		return nil, nil, err
	}
	found := comments(file, data, document)
	return document.Content[0], found, expand(file, document.Content[0])
}

// decode reads the one document of a file, whose root is a mapping.
func decode(file string, data []byte) (*yaml.Node, error) {
	if bad := unreadable(data); bad >= 0 {
		return nil, one(offsetPos(file, data, bad), "this is neither UTF-8 text nor white space", "save the file as UTF-8, without control characters")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return nil, one(Pos{File: file, Line: 1, Col: 1}, "the file is empty", "")
	case err != nil:
		return nil, syntaxError(file, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, one(nodePos(file, &second), "a second YAML document starts here; only one is read", "remove the --- line, or split the file")
	case err != io.EOF:
		return nil, syntaxError(file, err)
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, one(nodePos(file, root), fmt.Sprintf("the document is %s; expected a mapping", KindName(root)), "")
	}
	return &document, nil
}

// unreadable is the offset of the first byte that is not UTF-8, or a control
// character that YAML forbids; -1 where there is none.
func unreadable(data []byte) int {
	for i := 0; i < len(data); {
		char, size := utf8.DecodeRune(data[i:])
		if char == utf8.RuneError && size == 1 || unicode.IsControl(char) && !strings.ContainsRune("\t\n\r\u0085", char) {
			return i
		}
		i += size
	}
	return -1
}

func offsetPos(file string, data []byte, offset int) Pos {
	before := data[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return Pos{File: file, Line: bytes.Count(before, []byte("\n")) + 1, Col: utf8.RuneCount(line) + 1}
}

func nodePos(file string, node *yaml.Node) Pos {
	return Pos{File: file, Line: node.Line, Col: node.Column}
}

// syntaxError is the YAML parser's complaint at its place.
func syntaxError(file string, err error) Diagnostics {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return one(Pos{File: file}, "not readable as YAML or JSON", "")
	}
	pos := Pos{File: file, Line: load.Mark.Line, Col: load.Mark.Column}
	return one(pos, "not readable as YAML or JSON: "+withoutValues(load.Message), "")
}

var quotedValue = regexp.MustCompile("(?s) ?`.*`")

// withoutValues drops what a parser's message quotes of the file: a reference
// may lead to a file that holds no document but secrets.
func withoutValues(message string) string {
	return quotedValue.ReplaceAllString(message, "")
}

// KindName is what a node is, in words.
func KindName(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	}
	return "a string"
}

// shown is a scalar, or what a node is in words, for a message.
func shown(node *yaml.Node) string {
	const most = 40
	if node.Kind != yaml.ScalarNode || node.ShortTag() == "!!null" || len(node.Value) > most {
		return KindName(node)
	}
	return fmt.Sprintf("%q", node.Value)
}
