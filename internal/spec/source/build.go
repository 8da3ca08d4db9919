package source

import (
	"strconv"

	"go.yaml.in/yaml/v4"
)

// What follows makes and changes trees. A new node has the position of one that is
// near, for messages.

func node(near *yaml.Node, kind yaml.Kind, tag, value string) *yaml.Node {
	n := &yaml.Node{Kind: kind, Tag: tag, Value: value}
	if near != nil {
		n.Line, n.Column = near.Line, near.Column
	}
	return n
}

func scalar(near *yaml.Node, value string) *yaml.Node {
	return node(near, yaml.ScalarNode, "!!str", value)
}

func boolean(near *yaml.Node, value bool) *yaml.Node {
	return node(near, yaml.ScalarNode, "!!bool", strconv.FormatBool(value))
}

func list(near *yaml.Node, items ...*yaml.Node) *yaml.Node {
	n := node(near, yaml.SequenceNode, "!!seq", "")
	n.Content = items
	return n
}

// mapping takes names and nodes in turn.
func mapping(near *yaml.Node, members ...any) *yaml.Node {
	n := node(near, yaml.MappingNode, "!!map", "")
	for i := 0; i < len(members); i += 2 {
		set(n, members[i].(string), members[i+1].(*yaml.Node))
	}
	return n
}

// set replaces a member, or adds it at the end.
func set(m *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			m.Content[i+1] = v
			return
		}
	}
	m.Content = append(m.Content, scalar(v, name), v)
}

// take removes a member and returns its value, or nil.
func take(m *yaml.Node, name string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			v := m.Content[i+1]
			m.Content = append(m.Content[:i:i], m.Content[i+2:]...)
			return v
		}
	}
	return nil
}

// copied is a mapping with the same members, to be changed.
func copied(m *yaml.Node) *yaml.Node {
	n := *m
	n.Content = append([]*yaml.Node(nil), m.Content...)
	return &n
}
