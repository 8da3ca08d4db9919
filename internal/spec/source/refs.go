package source

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Methods are the members of a path item that are operations.
var Methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// badRefs looks for the references that lead nowhere, or to something of another
// kind, when kin-openapi has refused one without saying where it stands. It follows
// references into other files.
func (d *Documents) badRefs() Diagnostics {
	c := refChecker{documents: d, checked: map[*file]bool{}}
	c.check(d.root())
	return c.found
}

type refChecker struct {
	documents *Documents
	checked   map[*file]bool
	found     Diagnostics
	broken    []brokenRef
}

// brokenRef is an element that stands in for nothing.
type brokenRef struct {
	file   *file
	node   *yaml.Node // the element with the $ref
	kind   string     // what was expected: a section of components, or ""
	reason Diagnostic
}

func (c *refChecker) check(f *file) {
	if !c.checked[f] {
		c.checked[f] = true
		c.walk(f, f.tree, "", false)
	}
}

// kinds are the sections of components that the value of a member, or its members
// and items, may be references to.
var kinds = map[string]string{
	"requestBody": "requestBodies", "schema": "schemas", "items": "schemas", "prefixItems": "schemas", "additionalProperties": "schemas", "not": "schemas",
	"responses": "responses", "parameters": "parameters", "headers": "headers", "properties": "schemas", "schemas": "schemas",
	"allOf": "schemas", "oneOf": "schemas", "anyOf": "schemas", "requestBodies": "requestBodies",
}

// walk checks all references below a node; kind is what a reference here must lead
// to, and inside whether that is meant of the node's members. Examples, defaults
// and extensions are the user's data: a $ref in them is none.
func (c *refChecker) walk(f *file, node *yaml.Node, kind string, inside bool) {
	for key, value := range Members(node) {
		switch {
		case inside:
			c.walk(f, value, kind, false)
		case key.Value == "$ref" && value.Kind == yaml.ScalarNode:
			c.ref(f, node, value, kind)
		case isData(key.Value), key.Value == "enum": // an enum that is itself a reference is inlined by now
		default:
			c.walk(f, value, kinds[key.Value], slices.Contains(nameMaps, key.Value))
		}
	}
	if node.Kind == yaml.SequenceNode {
		for _, item := range node.Content {
			c.walk(f, item, kind, false)
		}
	}
}

// ref checks one reference, and the file that it leads to.
func (c *refChecker) ref(f *file, node, ref *yaml.Node, kind string) {
	report := func(fix, format string, args ...any) {
		reason := Diagnostic{
			Pos:     c.documents.posIn(f, ref),
			Message: fmt.Sprintf("$ref %q ", ref.Value) + fmt.Sprintf(format, args...),
			Fix:     fix,
		}
		c.found = append(c.found, reason)
		c.broken = append(c.broken, brokenRef{f, node, kind, reason})
	}
	u, err := url.Parse(ref.Value)
	if err != nil {
		report("", "is not a reference")
		return
	}
	if u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") {
		_, err = c.documents.open(u)
	}
	name, pointer := c.documents.Resolve(f.name, ref.Value)
	var target *file
	if err == nil {
		target, err = c.documents.open(&url.URL{Path: c.documents.name(name), RawQuery: u.RawQuery})
	}
	var inside Diagnostics
	switch {
	case errors.As(err, &inside):
		c.found = append(c.found, inside...)
		return
	case err != nil:
		report(refFix(err), "%s", err)
		return
	}
	section, isComponent := componentSection(pointer)
	if pointer != "" && !strings.HasPrefix(pointer, "/") {
		report("", "is not understood; expected #/ and a path")
	} else if at, found := c.documents.locate(name, pointer); !found {
		report(nearestPath(at.node, pointer), "leads nowhere")
	} else if isComponent && kind != "" && section != kind {
		report("", "leads to one of %s; one of %s is expected here", section, kind)
	}
	c.check(target)
}

// componentSection is the section of components that a pointer leads to.
func componentSection(pointer string) (string, bool) {
	parts := strings.Split(pointer, "/")
	if len(parts) != 4 || parts[1] != "components" {
		return "", false
	}
	return parts[2], true
}

// chain is a reference and those that it leads to, until they repeat.
func (d *Documents) chain(f *file, ref string) string {
	text, seen := ref, map[string]bool{}
	for f != nil {
		name, pointer := d.Resolve(f.name, ref)
		at, found := d.locate(name, pointer)
		_, next := Member(at.node, "$ref")
		if !found || next == nil || seen[name+pointer] {
			break
		}
		seen[name+pointer] = true
		f, ref = at.file, next.Value
		text += " -> " + ref
	}
	return text
}

// refFix is what to do about a reference that is refused.
func refFix(err error) string {
	switch err {
	case errOutside:
		return "move the file into the folder, or add its folder to the roots"
	case errNetwork:
		return "put a copy of the file beside the document"
	}
	return ""
}

// nearestPath suggests another name for the last part of a pointer.
func nearestPath(parent *yaml.Node, pointer string) string {
	var names []string
	for key := range Members(parent) {
		names = append(names, key.Value)
	}
	last := pointerUnescaper.Replace(pointer[strings.LastIndex(pointer, "/")+1:])
	return DidYouMean(last, names, "")
}
