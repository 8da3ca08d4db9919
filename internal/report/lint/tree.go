package lint

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// place is what an element of a document is to annotations.
type place struct {
	name      string   // "a parameter", for messages
	permitted []string // the annotations that have an effect on it
}

var (
	theRoot     = place{"the root", annotation.OfRoot}
	anItem      = place{"a path item", nil}
	anOperation = place{"an operation", annotation.OfOperation}
	aBody       = place{"a request body", annotation.OfBody}
	aProperty   = place{"a property", annotation.OfBody}
	elsewhere   = place{"this element", nil}
	// fragment is the top of a file that is not the document: what it is depends on
	// the references to it.
	fragment = place{"a fragment", slices.Concat(annotation.OfRoot, annotation.OfOperation)}
)

// element is a mapping of a document that is no map of names, and no user's data.
type element struct {
	place place
	key   *yaml.Node // nil for a file and for the item of a list
	node  *yaml.Node
	at    func(*yaml.Node) source.Pos
}

// elements visits all elements of all files.
func elements(docs *source.Documents, visit func(element)) {
	document := docs.Node("", "")
	for _, file := range docs.Files() {
		w := walker{at: docs.At(file), visit: visit}
		if root := docs.Node(file, ""); root == document {
			w.element(theRoot, nil, root)
		} else {
			w.element(fragment, nil, root)
		}
	}
}

type walker struct {
	at    func(*yaml.Node) source.Pos
	visit func(element)
}

func (w walker) element(p place, key, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		for _, item := range node.Content {
			w.element(p, nil, item)
		}
	}
	if node.Kind != yaml.MappingNode {
		return
	}
	w.visit(element{p, key, node, w.at})
	for key, value := range source.Members(node) {
		switch {
		case source.IsData(key.Value), key.Value == "enum", key.Value == "examples":
		case source.HasNames(key.Value) && value.Kind == yaml.MappingNode:
			for name, named := range source.Members(value) {
				w.element(within(p, key.Value), name, named)
			}
		default:
			w.element(below(p, key.Value), key, value)
		}
	}
}

// below is what a member of an element is.
func below(p place, member string) place {
	switch {
	case (p.name == anItem.name || p.name == fragment.name) && slices.Contains(source.Methods, member):
		return anOperation
	case (p.name == anOperation.name || p.name == fragment.name) && member == "requestBody":
		return aBody
	}
	return elsewhere
}

// within is what the members of a map of names are.
func within(p place, names string) place {
	switch {
	case names == "paths" && p.name == theRoot.name, names == "pathItems":
		return anItem
	case names == "requestBodies", names == "content" && (p.name == aBody.name || p.name == fragment.name):
		return aBody
	case names == "properties":
		return aProperty
	}
	return elsewhere
}

// misplaced finds annotations that have no effect where they stand, and misspelt
// ones, also where no client is made of it.
func misplaced(docs *source.Documents) (found source.Diagnostics) {
	elements(docs, func(e element) {
		found = append(found, annotation.CheckNames(e.place.name, e.place.permitted, e.node, e.at)...)
	})
	return found
}
