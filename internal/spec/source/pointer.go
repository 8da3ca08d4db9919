package source

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxHops bounds how many references one pointer may cross; references may form
// cycles.
const maxHops = 32

// Pointer joins names to a JSON pointer: Pointer("paths", "/pets") is
// "/paths/~1pets".
func Pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(name))
	}
	return b.String()
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pos is the position of an element: of its key, or of the item in a list. file
// is "" for the root document, or what Resolve has returned; a pointer may cross
// references. Where the element is not written, it is the position of the
// nearest ancestor that is.
func (d *Documents) Pos(file, pointer string) Pos {
	at, _ := d.locate(file, pointer)
	return at.pos
}

// Node is an element's value, or nil; arguments as in Pos. It holds no aliases
// and no merge keys.
func (d *Documents) Node(file, pointer string) *yaml.Node {
	at, found := d.locate(file, pointer)
	if !found {
		return nil
	}
	return at.node
}

// At tells the position of nodes of one file: of a value or a key below a Node
// that was found without crossing references.
func (d *Documents) At(file string) func(*yaml.Node) Pos {
	f := d.file(file)
	return func(node *yaml.Node) Pos {
		if f == nil || node == nil {
			return Pos{}
		}
		return d.posIn(f, node)
	}
}

// Reached reports whether an overlay finds an element of the root document by its
// names: whether no reference leads to it, and it is not what stands in the place of
// one.
func (d *Documents) Reached(names ...string) bool {
	at := place{file: d.root(), node: d.root().tree}
	for _, name := range names {
		next, ok := d.step(at, name)
		if !ok || d.brought[next.node] || value(at.node, "$ref") != nil {
			return false
		}
		at = next
	}
	return true
}

// Resolve is where a reference leads that is written in a file: the file,
// "" for the root document, and a JSON pointer in it. It does not follow the
// references that stand at the target.
func (d *Documents) Resolve(file, ref string) (targetFile, pointer string) {
	u, err := url.Parse(ref)
	if err != nil {
		return file, ""
	}
	if u.Path != "" {
		file = path.Join(path.Dir(d.name(file)), u.Path)
	}
	if file == d.rootName {
		file = ""
	}
	return file, strings.TrimSuffix(u.Fragment, "/")
}

func (d *Documents) name(file string) string {
	if file == "" {
		return d.rootName
	}
	return file
}

func (d *Documents) file(file string) *file { return d.files[d.name(file)] }

// posIn is the position of a node: in its file, or in the overlay that has
// brought it.
func (d *Documents) posIn(f *file, node *yaml.Node) Pos {
	if overlay, ok := d.overlaid[node]; ok {
		return nodePos(overlay, node)
	}
	return nodePos(f.path, node)
}

// place is an element of a file.
type place struct {
	file *file
	node *yaml.Node // its value
	pos  Pos        // of its key
}

// locate walks a pointer, through references where an element is one. If it
// gets stuck it returns the last place it came to, and false.
func (d *Documents) locate(file, pointer string) (place, bool) {
	f := d.file(file)
	if f == nil {
		return place{}, false
	}
	at := place{file: f, node: f.tree, pos: d.posIn(f, f.tree)}
	hops := maxHops
	return d.walk(at, pointer, &hops)
}

func (d *Documents) walk(at place, pointer string, hops *int) (place, bool) {
	if pointer == "" {
		return at, true
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name = pointerUnescaper.Replace(name)
		next, ok := d.step(at, name)
		for target := at; !ok; next, ok = d.step(target, name) {
			var followed bool
			if target, followed = d.follow(target, hops); !followed {
				return at, false
			}
		}
		at = next
	}
	return at, true
}

// step goes to a member or an item.
func (d *Documents) step(at place, name string) (place, bool) {
	switch at.node.Kind {
	case yaml.MappingNode:
		if key, value := Member(at.node, name); key != nil {
			return place{file: at.file, node: value, pos: d.posIn(at.file, key)}, true
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(at.node.Content) {
			item := at.node.Content[i]
			return place{file: at.file, node: item, pos: d.posIn(at.file, item)}, true
		}
	}
	return place{}, false
}

// follow goes from a reference to where it leads.
func (d *Documents) follow(at place, hops *int) (place, bool) {
	ref := text(at.node, "$ref")
	if *hops--; ref == "" || *hops < 0 {
		return place{}, false
	}
	name, pointer := d.Resolve(at.file.name, ref)
	f := d.file(name)
	if f == nil {
		return place{}, false
	}
	return d.walk(place{file: f, node: f.tree, pos: d.posIn(f, f.tree)}, pointer, hops)
}
