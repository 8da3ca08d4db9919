package fake

import (
	"cmp"
	"mime"
	"net/http"
	"regexp"
	"slices"
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
	// ContentType and Accept tell the operation from another one of its path, by the
	// type of the body and by what is asked for; empty for any.
	ContentType string
	Accept      string
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

// speaks reports whether a request is of the types that the operation has.
func (c *Contract) speaks(r *http.Request) bool {
	wanted := strings.Split(r.Header.Get("Accept"), ",")
	return (c.ContentType == "" || sameType(c.ContentType, r.Header.Get("Content-Type"))) &&
		(c.Accept == "" || slices.ContainsFunc(wanted, func(t string) bool { return sameType(c.Accept, t) }))
}

// like reports whether another operation is told from this one by nothing but its
// handler.
func (c *Contract) like(other *Contract) bool {
	return c.Path == other.Path && c.Query == other.Query && c.ContentType == other.ContentType && c.Accept == other.Accept
}

// moreTold orders operations of a path: the more tells one from others, the
// earlier it comes.
func moreTold(a, b *Contract) int {
	return cmp.Or(
		-cmp.Compare(len(a.Query), len(b.Query)),
		cmp.Compare(count(a.ContentType, a.Accept), count(b.ContentType, b.Accept)),
	)
}

// count is the number of texts that are empty.
func count(texts ...string) (n int) {
	for _, text := range texts {
		if text == "" {
			n++
		}
	}
	return n
}

// sameType compares media types. A charset and a boundary make no other type; a
// quality does: it says that the type is second choice.
func sameType(a, b string) bool { return essence(a) == essence(b) }

func essence(contentType string) string {
	base, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return strings.ToLower(strings.TrimSpace(contentType))
	}
	delete(params, "charset")
	delete(params, "boundary")
	return mime.FormatMediaType(base, params)
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
