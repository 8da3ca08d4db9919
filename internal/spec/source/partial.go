package source

import (
	"cmp"

	"go.yaml.in/yaml/v4"
)

// cut puts nothing in the place of references that lead nowhere, so that the rest
// of the document can be read, and notes each of them.
func (d *Documents) cut() bool {
	c := refChecker{documents: d, checked: map[*file]bool{}}
	c.check(d.root())
	for _, b := range c.broken {
		d.cutOut(b.node, b.kind, b.reason)
		b.file.changed()
	}
	return len(c.broken) > 0 && len(c.broken) == len(c.found)
}

// cutOut makes an element nothing, of the kind that is expected.
func (d *Documents) cutOut(node *yaml.Node, kind string, reason Diagnostic) {
	near := *node
	placeholder := mapping(&near)
	switch kind {
	case "parameters":
		placeholder = mapping(&near, "name", scalar(&near, "missing"), "in", scalar(&near, "query"), "schema", mapping(&near))
	case "responses":
		placeholder = mapping(&near, "description", scalar(&near, ""))
	case "requestBodies":
		placeholder = mapping(&near, "content", mapping(&near))
	}
	origin := d.overlaid[node]
	*node = *placeholder
	d.overlaid[node] = cmp.Or(origin, reason.Pos.File)
	d.broken[node] = reason
	if d.tolerant {
		reason.Rule = RuleBrokenReference
		d.Faults = append(d.Faults, reason)
		return
	}
	d.Notes = append(d.Notes, Diagnostic{Pos: reason.Pos, Message: "left out: " + reason.Message, Fix: reason.Fix})
}

// Broken tells why an element is nothing: a reference in its place led nowhere.
func (d *Documents) Broken(node *yaml.Node) (Diagnostic, bool) {
	reason, broken := d.broken[node]
	return reason, broken
}

// AnyBroken reports whether there are such elements.
func (d *Documents) AnyBroken() bool { return len(d.broken) > 0 }
