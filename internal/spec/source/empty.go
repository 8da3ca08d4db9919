package source

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// located gives positions to what kin-openapi finds and cannot place. In general
// that is an element which is empty, where it must be a mapping: those are named
// in its stead.
func (d *Documents) located(found Diagnostics) Diagnostics {
	isNowhere := func(one Diagnostic) bool { return one.Pos.Line == 0 }
	if !slices.ContainsFunc(found, isNowhere) {
		return found
	}
	empty := d.empty()
	if empty == nil {
		for i := range found {
			if isNowhere(found[i]) {
				found[i].Pos.Line, found[i].Pos.Col = 1, 1
			}
		}
		return found
	}
	return append(slices.DeleteFunc(found, isNowhere), empty...)
}

// empty lists the values that are null where the document has elements of
// OpenAPI.
func (d *Documents) empty() (found Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		found = append(found, d.emptyIn(d.files[name], d.files[name].tree)...)
	}
	return found
}

// anyValue are the members whose value may be anything.
var anyValue = []string{"example", "examples", "default", "enum", "const", "value"}

func (d *Documents) emptyIn(f *file, node *yaml.Node) (found Diagnostics) {
	visit := func(key, child *yaml.Node) {
		if child.ShortTag() == "!!null" {
			found = append(found, one(d.posIn(f, key), "this is empty; expected a mapping", "write it, or remove it")...)
			return
		}
		found = append(found, d.emptyIn(f, child)...)
	}
	if node != nil && node.Kind != yaml.MappingNode {
		for _, child := range node.Content {
			visit(child, child)
		}
	}
	for key, child := range Members(node) {
		if !slices.Contains(anyValue, key.Value) && !strings.HasPrefix(key.Value, "x-") {
			visit(key, child)
		}
	}
	return found
}
