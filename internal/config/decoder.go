package config

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// decoder reads settings and gathers all that is wrong with them. The tree comes
// from source.Parse: it has no aliases, no merge keys and no duplicate keys.
type decoder struct {
	file   string // as the user would type it
	dir    string // what paths are relative to
	places places
	found  source.Diagnostics
}

// mapping hands each value to its setting.
func (d *decoder) mapping(node *yaml.Node, name string, settings []setting) {
	known := make([]string, len(settings))
	takers := make(map[string]reader, len(settings))
	for i, s := range settings {
		known[i], takers[s.key] = s.key, s.take
	}
	if !d.isFilled(node, name, yaml.MappingNode, "a mapping") {
		return
	}
	for key, value := range source.Members(node) {
		if take := takers[key.Value]; take != nil {
			d.places.options[join(name, key.Value)] = d.pos(value)
			take(d, value, join(name, key.Value))
			continue
		}
		fix := source.DidYouMean(key.Value, known, "expected one of "+strings.Join(known, ", "))
		d.refuse(key, fix, "%q is not a known key", join(name, key.Value))
	}
}

// isFilled refuses what is of another kind, and what holds nothing: an empty
// list of tags may mean all, or none.
func (d *decoder) isFilled(node *yaml.Node, name string, kind yaml.Kind, expected string) bool {
	switch {
	case node.Kind != kind:
		d.mistyped(node, name, expected)
	case len(node.Content) == 0 && name != "":
		d.refuse(node, "remove the key, or give it a value", "%s is empty", name)
	default:
		return true
	}
	return false
}

func (d *decoder) list(node *yaml.Node, name string, item func(*decoder, *yaml.Node, string) string) []string {
	if !d.isFilled(node, name, yaml.SequenceNode, "a list") {
		return nil
	}
	items := make([]string, 0, len(node.Content))
	for i, child := range node.Content {
		items = append(items, item(d, child, name+"["+strconv.Itoa(i)+"]"))
		d.places.options[join(name, child.Value)] = d.pos(child)
	}
	return items
}

// exported is an exported Go name.
func (d *decoder) exported(node *yaml.Node, name string) string {
	text := d.text(node, name)
	if text != "" && !(token.IsIdentifier(text) && token.IsExported(text)) {
		d.refuse(node, "use letters, digits and underscores, and begin with a capital", "%s: %q is no exported Go name", name, text)
	}
	return text
}

// choice is one of a few words.
func (d *decoder) choice(node *yaml.Node, name string, words ...string) string {
	text := d.text(node, name)
	if text != "" && !slices.Contains(words, text) {
		expected := "expected one of " + strings.Join(words, ", ")
		if len(words) == 1 {
			expected = "expected " + words[0]
		}
		d.refuse(node, source.DidYouMean(text, words, expected), "%s: %q is not known", name, text)
	}
	return text
}

// words is a mapping of strings to strings.
func (d *decoder) words(node *yaml.Node, name string) map[string]string {
	if !d.isFilled(node, name, yaml.MappingNode, "a mapping") {
		return nil
	}
	words := map[string]string{}
	for key, value := range source.Members(node) {
		words[key.Value] = d.text(value, join(name, key.Value))
		d.places.options[join(name, key.Value)] = d.pos(key)
	}
	return words
}

func (d *decoder) text(node *yaml.Node, name string) string {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		d.mistyped(node, name, "a string")
		return ""
	}
	if node.Value == "" {
		d.refuse(node, "remove the key, or give it a value", "%s is an empty string", name)
	}
	return node.Value
}

func (d *decoder) boolean(node *yaml.Node, name string) bool {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		d.mistyped(node, name, "true or false")
		return false
	}
	value, _ := strconv.ParseBool(node.Value)
	return value
}

func (d *decoder) packageName(node *yaml.Node, name string) string {
	text := d.text(node, name)
	if text != "" && !validPackage(text) {
		d.refuse(node, packageFix(text), "%s: %q %s", name, text, notPackage)
	}
	return text
}

// document is the path of a file.
func (d *decoder) document(node *yaml.Node, name string) string {
	if node.Kind == yaml.ScalarNode && isAddress(node.Value) {
		d.refuse(node, addressFix, "%s is an address; only files are read", name)
		return node.Value
	}
	return d.path(node, name)
}

// path is relative to the configuration, or absolute.
func (d *decoder) path(node *yaml.Node, name string) string {
	path := filepath.FromSlash(d.text(node, name))
	if path == "" {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.dir, path)
	}
	d.places.paths[source.DisplayPath(path)] = d.pos(node)
	return path
}

func (d *decoder) pos(node *yaml.Node) source.Pos {
	return source.Pos{File: d.file, Line: node.Line, Col: node.Column}
}

func (d *decoder) mistyped(node *yaml.Node, name, expected string) {
	d.refuse(node, "", "%s is %s; expected %s", name, source.KindName(node), expected)
}

func (d *decoder) refuse(node *yaml.Node, fix, format string, args ...any) {
	d.found = append(d.found, source.Diagnostic{Pos: d.pos(node), Message: fmt.Sprintf(format, args...), Fix: fix})
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}
