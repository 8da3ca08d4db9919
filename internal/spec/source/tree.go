package source

import (
	"iter"

	"go.yaml.in/yaml/v4"
)

// Members yields the keys and values of a mapping in document order; nothing for
// any other node.
func Members(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if node == nil || node.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

// Member is the key and value of one member of a mapping, or nil.
func Member(node *yaml.Node, name string) (key, value *yaml.Node) {
	for key, value := range Members(node) {
		if key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// value is one member's value, or nil.
func value(node *yaml.Node, name string) *yaml.Node {
	_, v := Member(node, name)
	return v
}

// text is a member's value where it is a string, else "".
func text(node *yaml.Node, name string) string {
	if v := value(node, name); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		return v.Value
	}
	return ""
}
