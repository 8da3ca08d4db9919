package spec

import (
	"cmp"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// basic are the predeclared types that JSON has values for.
var basic = []string{
	"bool", "string", "float32", "float64", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
}

var importPath = regexp.MustCompile(`^[A-Za-z0-9_.~/-]+$`)

// typeOverride is the Go type that the user has given to a component, or nil.
func (l *loader) typeOverride(n *named, at cursor) *Type {
	if n.component == "" {
		return nil
	}
	return l.chosen("types", l.options.Types, n.component, at)
}

// chosen is the Go type that the user has chosen for a key, or nil.
func (l *loader) chosen(option string, of map[string]string, key string, at cursor) *Type {
	text, ok := of[key]
	if !ok {
		return nil
	}
	l.used[option+"."+key] = true
	if t := goType(text, ""); t != nil {
		t.Pos = at.pos()
		return t
	}
	l.refuseOption(option+"."+key, goTypeFix, "%s: %q is no Go type", option, text)
	return nil
}

const goTypeFix = "write it like int64, or like github.com/shopspring/decimal.Decimal"

// goType is the type that a text means: a basic one, any, bytes, or one of a
// package, whose path stands in the text or is given; nil for any other text.
func goType(text, path string) *Type {
	switch text {
	case "any", "interface{}":
		return &Type{Kind: Any, Go: "any"}
	case "[]byte":
		return &Type{Kind: Primitive, Go: "[]byte"}
	case "json.RawMessage":
		path = "encoding/json"
	case "time.Time":
		path = "time"
	}
	dot := strings.LastIndexByte(text, '.')
	if dot < 0 {
		if !slices.Contains(basic, text) {
			return nil
		}
		return &Type{Kind: Primitive, Go: text}
	}
	t := &Type{Kind: Primitive, Go: text[dot+1:], Import: cmp.Or(path, text[:dot])}
	if !importPath.MatchString(t.Import) || !token.IsIdentifier(t.Go) || !token.IsExported(t.Go) {
		return nil
	}
	return t
}

// goTypeOf is the Go type that a schema names itself (x-go-type), as other
// generators have it: with the package in x-go-type-import, or in the value; nil
// without any.
func (l *loader) goTypeOf(at cursor) *Type {
	value := at.get("x-go-type")
	if !value.exists() {
		return nil
	}
	text, path := value.text(), at.get("x-go-type-import").get("path").text()
	if value.isMapping() {
		text, path = value.get("type").text(), value.get("import").get("package").text()
		if path != "" && !strings.Contains(text, ".") {
			text = "p." + text
		}
	}
	t := goType(text, path)
	switch {
	case t == nil && path == "" && plainType.MatchString(text):
		l.note(value, "name its package: "+goTypeFix, "x-go-type %q is ignored: it does not say which type it is", text)
	case t == nil:
		l.refuse(value, goTypeFix, "x-go-type: %q is no Go type", text)
	case path == "" && t.Import != "" && !strings.Contains(t.Import, "/") && t.Import != "time":
		l.note(value, "name its package: "+goTypeFix, "x-go-type %q is ignored: it does not say which type it is", text)
		return nil
	default:
		t.Pos = value.pos()
	}
	return t
}

// plainType is what may be a Go type that is declared elsewhere.
var plainType = regexp.MustCompile(`^[*\[\]A-Za-z0-9_.{}]*$`)

// unusedOptions refuses names and types for what is not there: a misspelt
// override is worse than none.
func (l *loader) unusedOptions() {
	for _, key := range slices.Sorted(maps.Keys(l.options.Names)) {
		if !l.used["names."+key] {
			l.refuseOption("names."+key, "correct it, or remove it", "names: nothing that is generated is called %s", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.options.Types)) {
		if !l.used["types."+key] {
			l.refuseOption("types."+key, "correct it, or remove it", "types: no schema that is used is called %s", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.options.Formats)) {
		if !l.used["formats."+key] {
			l.refuseOption("formats."+key, "correct it, or remove it", "formats: no schema that is used has the format %s", key)
		}
	}
}
