package spec

import "fmt"

// unreferenced builds the component schemas that no operation uses, where they are
// asked for.
func (l *loader) unreferenced() {
	if !l.options.Unreferenced {
		return
	}
	l.late = true
	for name, schema := range l.root.get("components").get("schemas").members() {
		l.unlessFaulty(fmt.Sprintf("schema %q", name), func() { l.typeOf([]cursor{schema}, place{base: name}) }, schema)
	}
}
