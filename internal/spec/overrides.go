package spec

import (
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
	text, ok := l.options.Types[n.component]
	if !ok {
		return nil
	}
	l.used["types."+n.component] = true
	t := &Type{Kind: Primitive, Go: text, Pos: at.pos()}
	if dot := strings.LastIndexByte(text, '.'); dot >= 0 {
		t.Import, t.Go = text[:dot], text[dot+1:]
		if !importPath.MatchString(t.Import) || !token.IsIdentifier(t.Go) || !token.IsExported(t.Go) {
			l.refuseOption("types."+n.component, "write it like github.com/shopspring/decimal.Decimal", "types: %q is no Go type", text)
			return nil
		}
		return t
	}
	if text == "any" {
		return anyType
	}
	if !slices.Contains(basic, text) {
		l.refuseOption("types."+n.component, "write it like int64, or like github.com/shopspring/decimal.Decimal", "types: %q is no Go type", text)
		return nil
	}
	return t
}

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
}
