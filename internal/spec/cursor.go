package spec

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// cursor is one element of the document: its value, and where that is written.
// The zero cursor is an element that is not there; all reads of it are empty.
// Everything is read from the nodes of the document and not from kin-openapi's
// structs: nodes keep exact numbers, the order of keys, and their positions.
type cursor struct {
	docs    *source.Documents
	file    string // "" for the root document
	pointer string
	key     *yaml.Node // nil for an item of a list and for a whole file
	node    *yaml.Node
}

func fileCursor(docs *source.Documents, file string) cursor {
	return cursor{docs: docs, file: file, node: docs.Node(file, "")}
}

func (c cursor) exists() bool { return c.node != nil }

// id identifies the element.
func (c cursor) id() string { return c.file + "#" + c.pointer }

// pos is the position of the element's key, or of its value where it has none.
func (c cursor) pos() source.Pos {
	if c.docs == nil {
		return source.Pos{}
	}
	if c.key != nil {
		return c.docs.At(c.file)(c.key)
	}
	return c.docs.At(c.file)(c.node)
}

// get is a member of a mapping or an item of a list.
func (c cursor) get(name string) cursor {
	if c.node == nil {
		return cursor{}
	}
	if c.node.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(c.node.Content) {
			return cursor{}
		}
		return c.below(name, nil, c.node.Content[i])
	}
	key, value := source.Member(c.node, name)
	if value == nil {
		return cursor{}
	}
	return c.below(name, key, value)
}

func (c cursor) below(name string, key, value *yaml.Node) cursor {
	return cursor{docs: c.docs, file: c.file, pointer: c.pointer + source.Pointer(name), key: key, node: value}
}

// members yields the members of a mapping in document order.
func (c cursor) members() iter.Seq2[string, cursor] {
	return func(yield func(string, cursor) bool) {
		for key, value := range source.Members(c.node) {
			if !yield(key.Value, c.below(key.Value, key, value)) {
				return
			}
		}
	}
}

// items are the items of a list.
func (c cursor) items() []cursor {
	if c.node == nil || c.node.Kind != yaml.SequenceNode {
		return nil
	}
	items := make([]cursor, len(c.node.Content))
	for i, node := range c.node.Content {
		items[i] = c.below(strconv.Itoa(i), nil, node)
	}
	return items
}

// text is the text of a scalar: of a number as it is written.
func (c cursor) text() string {
	if c.node == nil || c.node.Kind != yaml.ScalarNode || c.isNull() {
		return ""
	}
	return c.node.Value
}

// flag reports whether the element is true.
func (c cursor) flag() bool {
	return c.tagged("!!bool") && strings.EqualFold(c.node.Value, "true")
}

func (c cursor) isNull() bool    { return c.tagged("!!null") }
func (c cursor) isMapping() bool { return c.node != nil && c.node.Kind == yaml.MappingNode }

func (c cursor) tagged(tag string) bool {
	return c.node != nil && c.node.Kind == yaml.ScalarNode && c.node.ShortTag() == tag
}

// texts are the texts of a list's scalars.
func (c cursor) texts() []string {
	var texts []string
	for _, item := range c.items() {
		texts = append(texts, item.text())
	}
	return texts
}

// ref is the reference that stands in place of the element, or "".
func (c cursor) ref() string {
	if ref := c.get("$ref"); ref.tagged("!!str") {
		return ref.node.Value
	}
	return ""
}

// maxHops bounds how many references in a row are followed.
const maxHops = 64

// target is the element that a reference leads to; it may be a reference too.
func (c cursor) target(hops int) cursor {
	if hops <= 0 {
		return cursor{}
	}
	file, pointer := c.docs.Resolve(c.file, c.ref())
	at := fileCursor(c.docs, file)
	if pointer == "" {
		return at
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name = unescape.Replace(name)
		next := at.get(name)
		for ; !next.exists() && at.ref() != "" && hops > 0; hops-- {
			at = at.target(hops - 1)
			next = at.get(name)
		}
		at = next
	}
	return at
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// resolved follows references to the element that is meant. It is the zero
// cursor where they lead nowhere or in a circle.
func (c cursor) resolved() cursor {
	for hops := maxHops; c.ref() != ""; hops-- {
		if c = c.target(hops); hops <= 0 {
			return cursor{}
		}
	}
	return c
}
