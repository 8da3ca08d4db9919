package source

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// jsonPath is a parsed JSONPath of the subset of RFC 9535 that overlays need:
// names, indexes, wildcards, descendants, and filters that test or compare
// members.
type jsonPath []segment

// segment selects among the children of the nodes that the one before it has
// selected, or among all their descendants.
type segment struct {
	descendants bool
	selectors   []selector
}

// selector appends the children of a node that it selects.
type selector func(parent *yaml.Node, into []match) []match

// match is a selected node. parent is nil for the root.
type match struct {
	parent *yaml.Node
	node   *yaml.Node
}

// find is all nodes that the path selects, each once, in document order for
// each segment.
func (p jsonPath) find(root *yaml.Node) []match {
	found := []match{{node: root}}
	for _, s := range p {
		found = s.find(found)
	}
	return found
}

func (s segment) find(in []match) []match {
	var out []match
	visited := map[*yaml.Node]bool{}
	var visit func(parent *yaml.Node)
	visit = func(parent *yaml.Node) {
		if visited[parent] { // one input may be a descendant of another
			return
		}
		visited[parent] = true
		for _, selects := range s.selectors {
			out = selects(parent, out)
		}
		if s.descendants {
			for _, child := range everyChild(parent, nil) {
				visit(child.node)
			}
		}
	}
	for _, m := range in {
		visit(m.node)
	}
	return once(out)
}

// once drops repetitions: two selectors of one segment may select the same node.
func once(matches []match) []match {
	seen := make(map[*yaml.Node]bool, len(matches))
	return slices.DeleteFunc(matches, func(m match) bool {
		again := seen[m.node]
		seen[m.node] = true
		return again
	})
}

// everyChild is the selector *.
func everyChild(parent *yaml.Node, into []match) []match {
	if parent.Kind == yaml.SequenceNode {
		for _, item := range parent.Content {
			into = append(into, match{parent, item})
		}
	}
	for _, value := range Members(parent) {
		into = append(into, match{parent, value})
	}
	return into
}

// named selects one member.
func named(name string) selector {
	return func(parent *yaml.Node, into []match) []match {
		if _, value := Member(parent, name); value != nil {
			into = append(into, match{parent, value})
		}
		return into
	}
}

// indexed selects one item; -1 is the last.
func indexed(index int) selector {
	return func(parent *yaml.Node, into []match) []match {
		if parent.Kind != yaml.SequenceNode {
			return into
		}
		i := index
		if i < 0 {
			i += len(parent.Content)
		}
		if i >= 0 && i < len(parent.Content) {
			into = append(into, match{parent, parent.Content[i]})
		}
		return into
	}
}

// filtered selects the children for which a condition holds.
func filtered(holds condition) selector {
	return func(parent *yaml.Node, into []match) []match {
		for _, child := range everyChild(parent, nil) {
			if holds(child.node) {
				into = append(into, child)
			}
		}
		return into
	}
}

// condition is a filter's expression, for one current node.
type condition func(current *yaml.Node) bool

// operand is one side of a comparison: a literal, or a node, or nil where there
// is none.
type operand func(current *yaml.Node) *yaml.Node

// equal compares two operands as RFC 9535 does for scalars: numbers by value,
// nothing only with nothing. Mappings and lists equal nothing.
func equal(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != yaml.ScalarNode || b.Kind != yaml.ScalarNode {
		return false
	}
	if x, ok := float(a); ok {
		y, ok := float(b)
		return ok && x == y
	}
	switch tag := a.ShortTag(); tag {
	case "!!null":
		return b.ShortTag() == tag
	case "!!bool":
		return b.ShortTag() == tag && a.Value == b.Value
	}
	return b.ShortTag() == a.ShortTag() && a.Value == b.Value
}

func float(node *yaml.Node) (float64, bool) {
	if tag := node.ShortTag(); tag != "!!int" && tag != "!!float" {
		return 0, false
	}
	n, err := strconv.ParseFloat(node.Value, 64)
	return n, err == nil
}
