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
		build := func() { l.typeOf([]cursor{schema}, place{base: name}) }
		if l.options.Partial {
			l.unlessFaulty(fmt.Sprintf("schema %q", name), build, schema)
		} else {
			build()
		}
	}
}
