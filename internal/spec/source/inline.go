package source

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Large documents are kept in many files, and refer to them also where OpenAPI has
// no references: for an operation, a list of parameters, a map of properties, a
// text. kin-openapi sees empty operations there, or fails. So what is meant is put
// in the place of such a reference.

// inlined are the members that may not be references, but are taken for what they
// refer to.
var inlined = []string{
	"description", "summary", "title", "properties", "required", "enum", "parameters", "responses", "content", "headers", "tags",
	"security", "servers", "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
}

// nameMaps are the members whose own members have names of the user's choice.
var nameMaps = []string{
	"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas", "responses", "parameters", "headers",
	"content", "examples", "requestBodies", "securitySchemes", "links", "callbacks", "pathItems", "paths", "webhooks", "variables",
	"mapping", "scopes", "encoding",
}

// inline puts what is meant in the place of references that OpenAPI does not have.
// f has been read and not been decoded yet.
func (d *Documents) inline(f *file) error {
	i := inliner{documents: d, file: f}
	return i.walk(f.tree, false, 0)
}

// inliner inlines into one file.
type inliner struct {
	documents *Documents
	file      *file
	open      []*yaml.Node // what the node at hand was brought by, outermost first
}

// maxInlined bounds the nodes that references may bring: they may fan out.
const maxInlined = 500_000

// walk looks at the members of a node. Names are the user's where it is a map of
// names; the user's data are left alone.
func (i *inliner) walk(node *yaml.Node, names bool, depth int) error {
	if depth > maxDepth {
		return nil // which is reported elsewhere
	}
	for key, value := range Members(node) {
		switch {
		case !names && isData(key.Value):
			continue
		case !names && key.Value == "examples":
			i.examples(value)
			continue
		case !names && slices.Contains(texts, key.Value) && value.Kind != yaml.ScalarNode && text(value, "$ref") == "":
			*value = *scalar(value, "") // it changes nothing that is generated
			i.file.changed()
		case !names && slices.Contains(inlined, key.Value) && len(value.Content) == 2 && text(value, "$ref") != "":
			if err := i.replaceAndWalk(value, slices.Contains(nameMaps, key.Value), depth+1); err != nil {
				return err
			}
			continue
		}
		if err := i.walk(value, !names && slices.Contains(nameMaps, key.Value), depth+1); err != nil {
			return err
		}
	}
	if node.Kind == yaml.SequenceNode {
		for _, item := range node.Content {
			if err := i.walk(item, false, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts are the members that are prose.
var texts = []string{"description", "summary"}

// examples leaves out those that are not there: they change nothing either.
func (i *inliner) examples(node *yaml.Node) {
	for _, example := range Members(node) {
		if text(example, "$ref") == "" {
			continue
		}
		if _, err := i.documents.followed(place{file: i.file, node: example}); err != nil {
			i.documents.Notes = append(i.documents.Notes, err.(Diagnostics)...)
			*example = *mapping(example)
			i.file.changed()
		}
	}
}

// IsData reports whether a member of an element is the user's data, not OpenAPI.
func IsData(member string) bool { return isData(member) }

// HasNames reports whether the members of a member have names of the user's choice.
func HasNames(member string) bool { return slices.Contains(nameMaps, member) }

// isData reports whether a member is the user's data: a $ref in there is none.
func isData(key string) bool {
	return slices.Contains(dataMembers, key) || strings.HasPrefix(key, "x-")
}

var dataMembers = []string{"example", "default", "const", "value"}

// replaceAndWalk makes a reference what it leads to, and goes on in there.
func (i *inliner) replaceAndWalk(node *yaml.Node, names bool, depth int) error {
	d := i.documents
	_, ref := Member(node, "$ref")
	target, err := d.followed(place{file: i.file, node: node})
	if err == nil && slices.Contains(i.open, target.node) {
		err = one(d.posIn(i.file, ref), fmt.Sprintf("$ref %q leads to what it stands in", ref.Value), "break the circle")
	}
	if err == nil && d.inlined > maxInlined {
		err = one(d.posIn(i.file, ref), fmt.Sprintf("references bring more than %d elements", maxInlined), "")
	}
	var reasons Diagnostics
	switch {
	case err != nil && d.partial && errors.As(err, &reasons):
		d.cutOut(node, "", reasons[0])
		i.file.changed()
		return nil
	case err != nil:
		return err
	}
	*node = *d.moved(target, i.file)
	d.overlaid[node] = target.file.path
	d.brought[node] = true
	i.file.changed()
	i.open = append(i.open, target.node)
	defer func() { i.open = i.open[:len(i.open)-1] }()
	return i.walk(node, names, depth)
}

// followed is where an element's references lead; files are opened for it.
func (d *Documents) followed(at place) (place, error) {
	for hops := maxHops; ; hops-- {
		_, ref := Member(at.node, "$ref")
		if ref == nil || ref.Kind != yaml.ScalarNode {
			return at, nil
		}
		refuse := func(fix, why string) (place, error) {
			return place{}, one(d.posIn(at.file, ref), fmt.Sprintf("$ref %q %s", ref.Value, why), fix)
		}
		name, pointer := d.Resolve(at.file.name, ref.Value)
		u, err := url.Parse(ref.Value)
		if err != nil {
			return refuse("", "is not a reference")
		}
		if u.Scheme == "" && u.Host == "" {
			u = &url.URL{Path: d.name(name), RawQuery: u.RawQuery}
		}
		f, err := d.open(u)
		if err != nil {
			return refuse(refFix(err), err.Error())
		}
		next, found := d.locate(f.name, pointer)
		switch {
		case !found:
			return refuse(nearestPath(next.node, pointer), "leads nowhere")
		case hops == 0:
			return refuse("write what is meant in place of one of them", "leads to nothing but other references")
		}
		at = next
	}
}

// moved is a copy of an element for another file: its references lead where they
// did.
func (d *Documents) moved(from place, to *file) *yaml.Node {
	d.inlined++
	same := *from.node
	same.Content = make([]*yaml.Node, len(from.node.Content))
	for i, child := range from.node.Content {
		same.Content[i] = d.moved(place{file: from.file, node: child}, to)
	}
	if _, ref := Member(&same, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode {
		ref.Value = d.rebased(ref.Value, from.file, to)
	}
	if value(&same, "propertyName") != nil { // a discriminator
		for _, target := range Members(value(&same, "mapping")) {
			if strings.ContainsAny(target.Value, "#/") {
				target.Value = d.rebased(target.Value, from.file, to)
			}
		}
	}
	d.overlaid[&same] = from.file.path
	return &same
}

// rebased is a reference as another file writes it.
func (d *Documents) rebased(ref string, from, to *file) string {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return ref
	}
	name, pointer := d.Resolve(from.name, ref)
	if d.name(name) == to.name {
		return (&url.URL{Fragment: pointer}).String()
	}
	relative, err := filepath.Rel(filepath.Dir(to.name), d.name(name))
	if err != nil {
		return ref
	}
	return (&url.URL{Path: filepath.ToSlash(relative), Fragment: pointer}).String()
}
