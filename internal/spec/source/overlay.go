package source

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxOverlaid bounds the nodes that overlays may bring: an update is copied to
// every node that its target selects.
const maxOverlaid = 1_000_000

var overlayVersion = regexp.MustCompile(`^1\.[01]\.\d+$`)

// applyOverlays changes the root document's tree.
func (d *Documents) applyOverlays(names []string) error {
	if len(names) == 0 {
		return nil
	}
	left := maxOverlaid
	for _, name := range names {
		o := overlay{documents: d, path: DisplayPath(name), left: &left}
		data, err := d.folders.readPath(name)
		if err != nil {
			return one(Pos{File: o.path}, "the overlay "+err.Error(), "")
		}
		tree, err := d.parse(o.path, data)
		if err != nil {
			return err
		}
		if err := o.apply(tree); err != nil {
			return err
		}
	}
	if err := d.checkDepth(); err != nil {
		return err
	}
	if err := d.checkVersion(); err != nil {
		return err
	}
	d.root().changed()
	return nil
}

// checkDepth is expand's bound once more: updates and copies make a tree deeper.
func (d *Documents) checkDepth() error {
	root := d.root()
	var walk func(node *yaml.Node, depth int) error
	walk = func(node *yaml.Node, depth int) error {
		if depth > maxDepth {
			return one(d.posIn(root, node), fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
		}
		for _, child := range node.Content {
			if err := walk(child, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root.tree, 1)
}

// overlay is an OpenAPI overlay, version 1.0 or 1.1.
type overlay struct {
	documents *Documents
	path      string
	left      *int // how many more nodes may be brought
}

func (o *overlay) fail(node *yaml.Node, fix, format string, args ...any) error {
	return one(nodePos(o.path, node), fmt.Sprintf(format, args...), fix)
}

func (o *overlay) apply(tree *yaml.Node) error {
	if err := o.known(tree, "an overlay", "overlay", "info", "extends", "actions"); err != nil {
		return err
	}
	if version := value(tree, "overlay"); version == nil {
		return o.fail(tree, `write overlay: "1.0.0" at the top if that is what this is`, "there is no overlay key that names the version; Overlay 1.0.x and 1.1.x are supported")
	} else if !overlayVersion.MatchString(version.Value) {
		return o.fail(version, "", "overlay is %q; Overlay 1.0.x and 1.1.x are supported", version.Value)
	}
	actions := value(tree, "actions")
	if actions == nil || actions.Kind != yaml.SequenceNode || len(actions.Content) == 0 {
		return o.fail(tree, "", "an overlay has a list of actions, at least one")
	}
	o.own(actions)
	for _, action := range actions.Content {
		if err := o.act(action); err != nil {
			return err
		}
	}
	return nil
}

// known refuses members that an object does not have.
func (o *overlay) known(node *yaml.Node, what string, names ...string) error {
	if node.Kind != yaml.MappingNode {
		return o.fail(node, "", "%s is %s; expected a mapping", what, KindName(node))
	}
	for key := range Members(node) {
		if !slices.Contains(names, key.Value) && !strings.HasPrefix(key.Value, "x-") {
			return o.fail(key, DidYouMean(key.Value, names, ""), "unknown key %q in %s; expected one of %s", key.Value, what, strings.Join(names, ", "))
		}
	}
	return nil
}

// act carries out one action.
func (o *overlay) act(action *yaml.Node) error {
	if err := o.known(action, "an action", "target", "description", "update", "remove", "copy"); err != nil {
		return err
	}
	found, err := o.find(action, "target")
	if err != nil {
		return err
	}
	update, from, remove := value(action, "update"), value(action, "copy"), value(action, "remove")
	switch {
	case remove != nil && remove.ShortTag() != "!!bool":
		return o.fail(remove, "", "remove is %s; expected true or false", KindName(remove))
	case remove != nil && remove.Value == "true":
		return o.remove(action, found)
	case update != nil && from != nil:
		return o.fail(from, "split them into two actions", "an action has either update or copy")
	case update != nil:
		return o.updateAll(action, found, update)
	case from != nil:
		sources, err := o.find(action, "copy")
		if err != nil {
			return err
		}
		if len(sources) > 1 {
			return o.fail(from, "", "copy selects %d elements; expected one", len(sources))
		}
		return o.updateAll(action, found, sources[0].node)
	}
	return o.fail(action, "", "an action has one of update, remove and copy")
}

// find is what the path in a member of an action selects: at least one element,
// as an overlay that has no effect is a mistake.
func (o *overlay) find(action *yaml.Node, name string) ([]match, error) {
	target := value(action, name)
	if target == nil || text(action, name) == "" {
		return nil, o.fail(action, "", "an action needs a %s, a JSONPath", name)
	}
	path, err := parseJSONPath(target.Value)
	if err != nil {
		pos := nodePos(o.path, target)
		var bad *pathError
		if errors.As(err, &bad) {
			pos.Col += offsetInScalar(target, bad.offset)
		}
		return nil, one(pos, fmt.Sprintf("%s %q: %s", name, target.Value, err), "supported are names, indexes, *, .., and filters such as [?@.operationId == 'a']")
	}
	found := path.find(o.documents.root().tree)
	if len(found) == 0 {
		return nil, o.fail(target, "", "%s %q selects nothing in %s", name, target.Value, o.documents.root().path)
	}
	return found, nil
}

// offsetInScalar is the column of a byte of a scalar, relative to its start; 0
// where a multi-line style hides it.
func offsetInScalar(scalar *yaml.Node, offset int) int {
	switch scalar.Style &^ yaml.TaggedStyle {
	case 0:
		return len([]rune(scalar.Value[:offset]))
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		return len([]rune(scalar.Value[:offset])) + 1
	}
	return 0
}

// remove takes elements out of their parents.
func (o *overlay) remove(action *yaml.Node, found []match) error {
	doomed := make(map[*yaml.Node]bool, len(found))
	parents := map[*yaml.Node]bool{}
	for _, m := range found {
		if m.parent == nil {
			return o.fail(value(action, "target"), "", "the whole document cannot be removed")
		}
		doomed[m.node] = true
		parents[m.parent] = true
	}
	for parent := range maps.Keys(parents) {
		if parent.Kind == yaml.SequenceNode {
			parent.Content = slices.DeleteFunc(parent.Content, func(n *yaml.Node) bool { return doomed[n] })
			continue
		}
		var kept []*yaml.Node
		for key, value := range Members(parent) {
			if !doomed[value] {
				kept = append(kept, key, value)
			}
		}
		parent.Content = kept
	}
	return nil
}

// updateAll merges an update into every element that was found.
func (o *overlay) updateAll(action *yaml.Node, found []match, update *yaml.Node) error {
	update = o.bring(update) // the update may be a copy of what it changes
	for _, m := range found {
		if update != nil && m.node.Kind != update.Kind && m.node.Kind != yaml.SequenceNode {
			return o.fail(value(action, "target"), "", "the target at %s is %s, and the update is %s",
				o.documents.posIn(o.documents.root(), m.node), KindName(m.node), KindName(update))
		}
		if update == nil || !o.merge(m.node, update) {
			return o.fail(action, "", "the overlays bring more than %d elements", maxOverlaid)
		}
		o.citeKey(m, update)
	}
	return nil
}

// merge changes a node as an update says: members are merged, items added, a
// scalar replaced. It is false when there is no room for more nodes.
func (o *overlay) merge(node, update *yaml.Node) bool {
	switch {
	case node.Kind == yaml.SequenceNode && update.Kind == yaml.SequenceNode:
		for _, item := range update.Content {
			if !o.add(node, item) {
				return false
			}
		}
		return true
	case node.Kind == yaml.SequenceNode:
		return o.add(node, update)
	case node.Kind == yaml.ScalarNode:
		*node = *update
		o.cite(node, update)
		return true
	}
	for key, value := range Members(update) {
		i := memberIndex(node, key.Value)
		switch {
		case i < 0:
			if !o.add(node, key) || !o.add(node, value) {
				return false
			}
		case node.Content[i+1].Kind == value.Kind && value.Kind != yaml.ScalarNode:
			if !o.merge(node.Content[i+1], value) {
				return false
			}
		default: // the key too, so that its position says who wrote the value
			newKey, newValue := o.bring(key), o.bring(value)
			if newKey == nil || newValue == nil {
				return false
			}
			node.Content[i], node.Content[i+1] = newKey, newValue
		}
	}
	return true
}

// memberIndex is the index of a member's key in Content, or -1.
func memberIndex(mapping *yaml.Node, name string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func (o *overlay) add(parent, child *yaml.Node) bool {
	brought := o.bring(child)
	if brought == nil {
		return false
	}
	parent.Content = append(parent.Content, brought)
	return true
}

// bring is a copy of a node, with the position of the original; nil when there
// is no room for more.
func (o *overlay) bring(node *yaml.Node) *yaml.Node {
	if *o.left--; *o.left < 0 {
		return nil
	}
	same := *node
	same.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		if same.Content[i] = o.bring(child); same.Content[i] == nil {
			return nil
		}
	}
	o.cite(&same, node)
	return &same
}

// cite remembers which file a copy's position is in: a node of the document that
// an action copies keeps its own.
func (o *overlay) cite(to, from *yaml.Node) {
	if path, ok := o.documents.overlaid[from]; ok {
		o.documents.overlaid[to] = path
	} else {
		delete(o.documents.overlaid, to)
	}
}

// citeKey moves the position of a replaced scalar's key to whoever wrote the
// scalar.
func (o *overlay) citeKey(m match, update *yaml.Node) {
	if m.node.Kind != yaml.ScalarNode {
		return
	}
	for key, value := range Members(m.parent) {
		if value == m.node {
			key.Line, key.Column = update.Line, update.Column
			o.cite(key, update)
		}
	}
}

// own notes that all nodes of an overlay are in its file.
func (o *overlay) own(node *yaml.Node) {
	o.documents.overlaid[node] = o.path
	for _, child := range node.Content {
		o.own(child)
	}
}
