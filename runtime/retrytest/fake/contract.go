package fake

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Contract is what a fake must know of an operation.
type Contract struct {
	Name   string // the operation's id in the document
	Field  string // of the fake's Server
	Method string
	Path   string // "/pets/{petId}"; what is literal is percent-encoded
	Query  string // of a path that has a fixed one, encoded
	// KeyHeader bears the idempotency key; empty where there is none. KeyRetention
	// is how long a key is remembered; 0 is for ever.
	KeyHeader    string
	KeyRetention time.Duration
}

// pattern matches the paths of an operation.
type pattern struct {
	regexp *regexp.Regexp
	names  []string // of the parameters, in the order of the groups
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

func compile(path string) pattern {
	var p pattern
	var b strings.Builder
	for rest := path; ; {
		at := parameter.FindStringIndex(rest)
		if at == nil {
			b.WriteString(regexp.QuoteMeta(rest))
			break
		}
		p.names = append(p.names, rest[at[0]+1:at[1]-1])
		b.WriteString(regexp.QuoteMeta(rest[:at[0]]) + "([^/]*?)")
		rest = rest[at[1]:]
	}
	p.regexp = regexp.MustCompile("^" + b.String() + "$")
	return p
}

// match is the values of the parameters in a path, as they were sent.
func (p pattern) match(path string) (map[string]string, bool) {
	found := p.regexp.FindStringSubmatch(path)
	if found == nil {
		return nil, false
	}
	values := map[string]string{}
	for i, name := range p.names {
		values[name] = found[i+1]
	}
	return values, true
}

// moreSpecific orders patterns: at the first place where they differ, a literal
// comes before a parameter, as OpenAPI demands.
func moreSpecific(a, b string) int {
	a, b = parameter.ReplaceAllString(a, "\uffff"), parameter.ReplaceAllString(b, "\uffff")
	return strings.Compare(a, b)
}

// rawPath is the path of a request as it was sent.
func rawPath(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path
}

// hasQuery reports whether a query has all fields of a fixed one.
func hasQuery(query, fixed string) bool {
	have := map[string]bool{}
	for part := range strings.SplitSeq(query, "&") {
		have[part] = true
	}
	for part := range strings.SplitSeq(fixed, "&") {
		if fixed != "" && !have[part] {
			return false
		}
	}
	return true
}
