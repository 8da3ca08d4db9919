package spec

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// Selection chooses operations: those that any of its lists names.
type Selection struct {
	Tags       []string
	Paths      []string // patterns: * is any part of one segment, ** any number of segments
	Operations []string // operation ids, or "METHOD /path"
}

func (s Selection) empty() bool { return len(s.Tags)+len(s.Paths)+len(s.Operations) == 0 }

// endpoint is an operation of the document.
type endpoint struct {
	item   cursor // its path item, resolved
	op     cursor
	method string // "GET"
	route  string
	id     string // the operationId, or "METHOD /path" without one
}

// endpoints are all operations, sorted by path and method.
func (l *loader) endpoints() []endpoint {
	var all []endpoint
	for route, item := range l.root.get("paths").members() {
		if !strings.HasPrefix(route, "/") {
			continue
		}
		ref := item
		if item = item.resolved(); !item.exists() {
			l.circle(ref)
		}
		for _, method := range source.Methods {
			op := item.get(method)
			if !op.isMapping() {
				continue
			}
			e := endpoint{item: item, op: op, method: strings.ToUpper(method), route: route}
			e.id = cmp.Or(op.get("operationId").text(), e.method+" "+route)
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b endpoint) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method))
	})
	return all
}

// circle reports a path whose references lead to nothing but other references.
func (l *loader) circle(item cursor) {
	const fix = "write what is meant in place of one of them"
	ref := item.get("$ref")
	message := line("$ref %q leads to nothing but other references", ref.text())
	if l.options.Partial {
		l.note(ref, fix, "left out: %s", message)
		return
	}
	l.refuseAt(ref.pos(), source.RuleBrokenReference, fix, "%s", message)
}

// selected are the operations to generate.
func (l *loader) selected() []endpoint {
	include, exclude := newChooser(l.options.Include), newChooser(l.options.Exclude)
	var chosen []endpoint
	all := l.endpoints()
	for _, e := range all {
		in, out := include.chooses(e), exclude.chooses(e)
		if (in || l.options.Include.empty()) && !out {
			chosen = append(chosen, e)
		}
	}
	unused := l.refuseUnused("include", include) + l.refuseUnused("exclude", exclude)
	if len(all) > 0 && len(chosen) == 0 && unused == 0 {
		l.refuseOption("exclude", "loosen one of them", "include and exclude leave no operation")
	}
	return chosen
}

// chooser matches operations and remembers which words of a selection did.
type chooser struct {
	selection Selection
	matched   map[string]bool // "tags.pets", "paths./a/*", "operations.x"
}

func newChooser(s Selection) chooser {
	c := chooser{selection: s, matched: map[string]bool{}}
	for _, tag := range s.Tags {
		c.matched["tags."+tag] = false
	}
	for _, pattern := range s.Paths {
		c.matched["paths."+pattern] = false
	}
	for _, id := range s.Operations {
		c.matched["operations."+id] = false
	}
	return c
}

func (c chooser) chooses(e endpoint) bool {
	hit := false
	mark := func(word string) { c.matched[word] = true; hit = true }
	for _, tag := range e.op.get("tags").texts() {
		if slices.Contains(c.selection.Tags, tag) {
			mark("tags." + tag)
		}
	}
	for _, pattern := range c.selection.Paths {
		if matchPath(strings.Split(pattern, "/"), strings.Split(e.route, "/")) {
			mark("paths." + pattern)
		}
	}
	for _, id := range []string{e.id, e.method + " " + e.route} {
		if slices.Contains(c.selection.Operations, id) {
			mark("operations." + id)
		}
	}
	return hit
}

// refuseUnused reports the words of a selection that have no effect, and counts
// them.
func (l *loader) refuseUnused(list string, c chooser) (unused int) {
	for _, word := range slices.Sorted(maps.Keys(c.matched)) {
		if c.matched[word] {
			continue
		}
		unused++
		kind, name, _ := strings.Cut(word, ".")
		l.refuseOption(list+"."+word, "correct it, or remove it", "%s.%s: %q matches no operation of the document", list, kind, name)
	}
	return unused
}

// matchPath reports whether a pattern matches a path, segment by segment.
func matchPath(pattern, segments []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			rest := pattern[1:]
			for i := range len(segments) + 1 {
				if matchPath(rest, segments[i:]) {
					return true
				}
			}
			return false
		}
		if len(segments) == 0 || !matchSegment(pattern[0], segments[0]) {
			return false
		}
		pattern, segments = pattern[1:], segments[1:]
	}
	return len(segments) == 0
}

// matchSegment knows * only: the braces of a path are plain text.
func matchSegment(pattern, segment string) bool {
	pattern = strings.NewReplacer("[", `\[`, "?", `\?`, `\`, `\\`).Replace(pattern)
	matched, err := path.Match(pattern, segment)
	return err == nil && matched
}
