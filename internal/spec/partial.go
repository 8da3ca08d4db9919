package spec

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// operationOrFault builds an operation, unless it is left out.
func (l *loader) operationOrFault(e endpoint) {
	of := []cursor{e.op, e.item.get("parameters"), e.item.get("servers")}
	if l.inspecting {
		if _, broken := l.broken(of); broken {
			return // the reference is at fault, which is known
		}
	}
	build := func() { l.api.Operations = append(l.api.Operations, l.operation(e)...) }
	l.unlessFaulty(fmt.Sprintf("operation %q", e.id), build, of...)
}

// unlessFaulty builds something that is made of some elements. Where only a part of
// the document is asked for, it is left out if it cannot be built.
func (l *loader) unlessFaulty(what string, build func(), of ...cursor) {
	if !l.options.Partial {
		build()
		return
	}
	if _, out := l.leftOut[what]; out {
		return
	}
	before := len(l.found)
	if reason, broken := l.broken(of); broken {
		l.found = append(l.found, reason)
	} else {
		build()
	}
	if len(l.found) > before {
		l.faulty[what] = l.found[before]
	}
}

// broken tells whether something needs what is not there.
func (l *loader) broken(of []cursor) (source.Diagnostic, bool) {
	if !l.root.docs.AnyBroken() {
		return source.Diagnostic{}, false
	}
	seen := map[*yaml.Node]bool{}
	for _, at := range of {
		if reason, broken := l.leadsToBroken(at, seen); broken {
			return reason, true
		}
	}
	for node := range seen {
		l.clean[node] = true
	}
	return source.Diagnostic{}, false
}

func (l *loader) leadsToBroken(c cursor, seen map[*yaml.Node]bool) (source.Diagnostic, bool) {
	if !c.exists() || seen[c.node] || l.clean[c.node] {
		return source.Diagnostic{}, false
	}
	seen[c.node] = true
	if reason, broken := c.docs.Broken(c.node); broken {
		return reason, true
	}
	next := c.items()
	for _, member := range c.members() {
		next = append(next, member)
	}
	if c.ref() != "" {
		next = append(next, c.target(maxHops))
	}
	for _, at := range next {
		if reason, broken := l.leadsToBroken(at, seen); broken {
			return reason, true
		}
	}
	return source.Diagnostic{}, false
}
