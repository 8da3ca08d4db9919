package source

import (
	"regexp"
	"strings"
)

// JSONPath is the path to a member of a member of the root. The error tells that no
// overlay can have it.
func JSONPath(names ...string) (string, error) {
	var b strings.Builder
	b.WriteByte('$')
	for _, name := range names {
		if shorthand.MatchString(name) {
			b.WriteString("." + name)
		} else {
			b.WriteString("['" + pathEscaper.Replace(name) + "']")
		}
	}
	_, err := parseJSONPath(b.String())
	return b.String(), err
}

var (
	shorthand   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pathEscaper = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
)
