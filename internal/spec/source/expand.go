package source

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	// maxDepth bounds every recursion over a tree, ours and kin-openapi's. Real
	// documents stay below 60.
	maxDepth = 400
	// maxCopies bounds the nodes that the aliases of one file may add, so that a
	// kilobyte of nested aliases cannot become a gigabyte.
	maxCopies = 200_000
)

// expand replaces each alias by a copy of what it stands for, merges merge keys,
// and refuses duplicate keys, so that whoever walks the tree afterwards needs to
// know none of them. It drops comments.
func expand(file string, root *yaml.Node) error {
	e := expander{file: file, open: map[*yaml.Node]bool{}, copies: maxCopies}
	return e.expand(root, 1)
}

type expander struct {
	file   string
	open   map[*yaml.Node]bool // anchored nodes on the way from the root to here
	copies int                 // how many more nodes may be copied
}

func (e *expander) expand(node *yaml.Node, depth int) error {
	if depth > maxDepth {
		return one(nodePos(e.file, node), fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
	}
	node.HeadComment, node.LineComment, node.FootComment = "", "", ""
	if node.Kind == yaml.ScalarNode {
		node.Anchor = ""
		return e.scalar(node)
	}
	if node.Anchor != "" {
		e.open[node] = true
		defer func() {
			delete(e.open, node)
			node.Anchor = ""
		}()
	}
	for i, child := range node.Content {
		if child.Kind == yaml.AliasNode {
			expanded, err := e.follow(child, depth+1)
			if err != nil {
				return err
			}
			node.Content[i] = expanded
			continue
		}
		if err := e.expand(child, depth+1); err != nil {
			return err
		}
	}
	if node.Kind == yaml.MappingNode {
		return e.keys(node)
	}
	return nil
}

// scalar makes a string of what JSON has no type for, as kin-openapi does: of a date,
// and of what has a tag of the user's own.
func (e *expander) scalar(node *yaml.Node) error {
	switch tag := node.ShortTag(); {
	case tag == "!!timestamp", strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!"):
		node.Tag = "!!str"
	case tag == "!!float" && notFinite.MatchString(node.Value):
		return one(nodePos(e.file, node), fmt.Sprintf("found %s; expected a number that JSON can write", node.Value), "")
	}
	return nil
}

var notFinite = regexp.MustCompile(`(?i)^[-+]?\.(inf|nan)$`)

// follow is a copy of an alias's target. An anchor stands before its aliases, so
// the target is already expanded, unless the alias is inside it.
func (e *expander) follow(alias *yaml.Node, depth int) (*yaml.Node, error) {
	if e.open[alias.Alias] {
		return nil, one(nodePos(e.file, alias), fmt.Sprintf("the alias *%s is inside of what it stands for", alias.Value), "")
	}
	target := e.copy(alias.Alias, depth)
	if target == nil {
		return nil, one(nodePos(e.file, alias), "the aliases expand to an excessive size or depth", "write the repeated parts once, under components, and use $ref")
	}
	return target, nil
}

// copy is a deep copy, or nil when it would be too large.
func (e *expander) copy(node *yaml.Node, depth int) *yaml.Node {
	if e.copies--; e.copies < 0 || depth > maxDepth {
		return nil
	}
	same := *node
	same.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		if same.Content[i] = e.copy(child, depth+1); same.Content[i] == nil {
			return nil
		}
	}
	return &same
}

// keys checks the keys of a mapping and merges what its merge keys bring: a key
// that is written wins over one that is merged, an earlier merge over a later.
func (e *expander) keys(mapping *yaml.Node) error {
	seen := make(map[string]*yaml.Node, len(mapping.Content)/2)
	var content, merged []*yaml.Node
	for key, value := range Members(mapping) {
		switch {
		case key.Kind != yaml.ScalarNode:
			return one(nodePos(e.file, key), fmt.Sprintf("a key is %s; expected a string", KindName(key)), "")
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
			continue
		case key.ShortTag() == "!!null":
			return one(nodePos(e.file, key), "a key is empty; expected a string", "write it in quotes if that is its name")
		}
		key.Tag = "!!str"
		if first := seen[key.Value]; first != nil {
			return one(nodePos(e.file, key), fmt.Sprintf("duplicate key %q; the first one is at %s", key.Value, nodePos(e.file, first)), "remove one of the two")
		}
		seen[key.Value] = key
		content = append(content, key, value)
	}
	if len(merged) == 0 {
		return nil
	}
	for _, value := range merged {
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			if source.Kind != yaml.MappingNode {
				return one(nodePos(e.file, source), fmt.Sprintf("a merge key (<<) holds %s; expected a mapping", KindName(source)), "")
			}
			for key, value := range Members(source) {
				if seen[key.Value] == nil {
					seen[key.Value] = key
					content = append(content, key, value)
				}
			}
		}
	}
	mapping.Content = content
	return nil
}
