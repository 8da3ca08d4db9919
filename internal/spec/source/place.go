package source

import "go.yaml.in/yaml/v4"

// What kin-openapi has read of a file may have been printed: its positions are those
// of printed. The same element of the tree is meant: both have the same shape.

// placeOf is the element whose key, or item, is at or before a line and column of what
// kin-openapi has read.
func (d *Documents) placeOf(f *file, line, col int) place {
	s := placeSearch{line: line, col: col, found: f.tree, node: f.tree}
	s.search(f.asRead(), f.tree)
	return place{file: f, node: s.node, pos: d.posIn(f, s.found)}
}

// valueAt is the element whose value starts there.
func (d *Documents) valueAt(f *file, line, col int) place {
	s := placeSearch{line: line, col: col, values: true, found: f.tree, node: f.tree}
	s.search(f.asRead(), f.tree)
	return place{file: f, node: s.node, pos: d.posIn(f, s.found)}
}

// asRead is the tree of what kin-openapi has read.
func (f *file) asRead() *yaml.Node {
	if f.printed != nil {
		return f.printed
	}
	return f.tree
}

// placeSearch looks for the last element that starts at or before a position.
type placeSearch struct {
	line, col int
	values    bool       // whether an element starts where its value does, not its key
	found     *yaml.Node // the key or the item
	node      *yaml.Node // its value
	at        yaml.Node  // where found is in the printed tree
}

func (s *placeSearch) search(printed, tree *yaml.Node) {
	for i, p := range printed.Content {
		t := tree.Content[i]
		switch {
		case printed.Kind == yaml.MappingNode && i%2 == 0:
			if s.values {
				p = printed.Content[i+1]
			}
			s.offer(p, t, tree.Content[i+1])
		case printed.Kind == yaml.SequenceNode:
			s.offer(p, t, t)
			fallthrough
		default:
			s.search(p, t)
		}
	}
}

// offer takes an element if it is nearer to the position than the best so far.
// Of two elements that start at the same place the outer one is meant.
func (s *placeSearch) offer(printed, found, node *yaml.Node) {
	before := printed.Line < s.line || printed.Line == s.line && printed.Column <= s.col
	later := printed.Line > s.at.Line || printed.Line == s.at.Line && printed.Column > s.at.Column
	if before && later {
		s.found, s.node, s.at = found, node, *printed
	}
}
