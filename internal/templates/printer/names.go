package printer

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

const (
	runtimePath  = "github.com/retrygen/retrygen/runtime"
	wirePath     = runtimePath + "/wire"
	validatePath = runtimePath + "/validate"
)

func rt(name string) *Statement       { return Qual(runtimePath, name) }
func wire(name string) *Statement     { return Qual(wirePath, name) }
func validate(name string) *Statement { return Qual(validatePath, name) }

// id is the only way from a name of the API to an identifier: Id prints
// whatever it is given, so a name that is none is a fault of the generator.
func id(name string) *Statement {
	if !token.IsIdentifier(name) {
		panic(fmt.Sprintf("%q is not a Go name", name))
	}
	return Id(name)
}

// scope hands out names that are free in one block or package.
type scope map[string]bool

// free is name, with a number if it is taken or reserved; it is taken
// afterwards.
func (s scope) free(name string) string {
	unique := name
	for i := 2; s[unique] || IsReservedWord(unique); i++ {
		unique = name + strconv.Itoa(i)
	}
	s[unique] = true
	return unique
}

// packageScope holds the names that spec has given out, and those that this
// package always declares.
func packageScope(api *spec.API) scope {
	s := scope{"upstream": true, "operations": true, "Config": true, "Client": true, "New": true}
	for _, t := range api.Types {
		s[t.Name.Go] = true
		for _, v := range t.Values {
			s[v.Name.Go] = true
		}
		for _, v := range t.Variants {
			s[v.From] = true
		}
	}
	for _, op := range api.Operations {
		for _, name := range []string{op.Var, op.ParamsType, op.ResultType, op.ReadFunc, op.HeaderType, op.HeaderFunc} {
			s[name] = true
		}
		for name := range argumentScope(op) {
			s[name] = true // or the argument would hide what its method calls
		}
	}
	return s
}

// unexported is name with a small beginning: "APIKey" becomes "apiKey".
func unexported(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && (!unicode.IsUpper(r) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// exported is name with a capital beginning.
func exported(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// receiver is the receiver of a type's methods: its first letter, or m for
// "model" where that is no letter, or belongs to the loops in such a method.
func receiver(t *spec.Type) string {
	r, _ := utf8.DecodeRuneInString(t.Name.Go)
	r = unicode.ToLower(r)
	if !unicode.IsLower(r) || t.Kind != spec.Enum && strings.ContainsRune("ijkvwx", r) {
		return "m"
	}
	return string(r)
}
