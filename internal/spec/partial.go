package spec

import (
	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// operationOrFault builds an operation. Where only a part of the document is asked
// for, one that cannot be generated is left out.
func (l *loader) operationOrFault(e endpoint) {
	if !l.options.Partial {
		l.api.Operations = append(l.api.Operations, l.operation(e))
		return
	}
	if _, out := l.leftOut[e.id]; out {
		return
	}
	before := len(l.found)
	if reason, broken := l.broken(e); broken {
		l.found = append(l.found, reason)
	} else {
		l.api.Operations = append(l.api.Operations, l.operation(e))
	}
	if len(l.found) > before {
		l.faulty[e.id] = l.found[before]
	}
}

// broken tells whether an operation needs something that is not there.
func (l *loader) broken(e endpoint) (source.Diagnostic, bool) {
	if !e.op.docs.AnyBroken() {
		return source.Diagnostic{}, false
	}
	seen := map[*yaml.Node]bool{}
	for _, at := range []cursor{e.op, e.item.get("parameters"), e.item.get("servers")} {
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
