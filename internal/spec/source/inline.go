package source

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v4"
)

// inlineOperations puts operations in the place of references to them. OpenAPI has
// no references there, and kin-openapi sees empty operations; but large documents
// are kept like that.
func (d *Documents) inlineOperations() error {
	var changed []*file
	for _, item := range Members(value(d.root().tree, "paths")) {
		at, err := d.followed(place{file: d.root(), node: item})
		if err != nil {
			return err
		}
		inlined, err := d.inlineInto(at)
		if err != nil {
			return err
		}
		if inlined && !slices.Contains(changed, at.file) {
			changed = append(changed, at.file)
		}
	}
	for _, f := range changed {
		again := func() error { return d.printFile(f) }
		if f == d.root() {
			again = d.print
		}
		if err := again(); err != nil {
			return err
		}
	}
	return nil
}

// inlineInto inlines the operations of one path item.
func (d *Documents) inlineInto(item place) (inlined bool, err error) {
	for key, operation := range Members(item.node) {
		if !slices.Contains(methods, key.Value) || text(operation, "$ref") == "" {
			continue
		}
		target, err := d.followed(place{file: item.file, node: operation})
		if err != nil {
			return false, err
		}
		*operation = *d.moved(target, item.file)
		d.overlaid[operation] = target.file.path
		inlined = true
	}
	return inlined, nil
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
			return refuse("write an operation in place of one of them", "leads to nothing but other references")
		}
		at = next
	}
}

// moved is a copy of an element for another file: its references lead where they
// did.
func (d *Documents) moved(from place, to *file) *yaml.Node {
	same := *from.node
	same.Content = make([]*yaml.Node, len(from.node.Content))
	for i, child := range from.node.Content {
		same.Content[i] = d.moved(place{file: from.file, node: child}, to)
	}
	if _, ref := Member(&same, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode {
		ref.Value = d.rebased(ref.Value, from.file, to)
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
