package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// security is what an operation needs to be let in: its own requirements, or
// those of the document. Alternatives that are not supported are left out as
// long as another remains.
func (l *loader) security(e endpoint) []Requirement {
	list := e.op.get("security")
	if !list.exists() {
		list = l.root.get("security")
	}
	var requirements []Requirement
	var refused []cursor
	for _, alternative := range list.items() {
		r, bad := l.requirement(alternative)
		if bad.exists() {
			refused = append(refused, bad)
			continue
		}
		requirements = append(requirements, r)
	}
	for _, bad := range refused {
		if len(requirements) > 0 {
			l.note(bad, "", "security scheme %q is left out, as it cannot be used; another alternative is", bad.key.Value)
		} else {
			problem, fix := l.schemeProblem(bad.key.Value)
			l.refuse(bad, fix, "security scheme %q %s", bad.key.Value, problem)
		}
	}
	return requirements
}

// requirement is one alternative, or the first scheme in it that is not
// supported.
func (l *loader) requirement(alternative cursor) (Requirement, cursor) {
	var r Requirement
	for name, at := range alternative.members() {
		if l.mutualTLS(name) {
			continue
		}
		scheme := l.scheme(name)
		if scheme == nil {
			return Requirement{}, at
		}
		r.Schemes = append(r.Schemes, scheme)
	}
	slices.SortFunc(r.Schemes, func(a, b *Scheme) int { return cmp.Compare(a.Name.Wire, b.Name.Wire) })
	return r, cursor{}
}

// mutualTLS tells a scheme that no credential of a request meets, but the client
// certificate of the connection.
func (l *loader) mutualTLS(name string) bool {
	item := l.root.get("components").get("securitySchemes").get(name)
	if item.resolved().get("type").text() != "mutualTLS" {
		return false
	}
	l.noteOnce(item, "", "mutual TLS: set Config.Upstream.Transport, with the client certificate in its TLSClientConfig")
	return true
}

// scheme is a security scheme of the document, or nil where it is not supported.
func (l *loader) scheme(name string) *Scheme {
	if s, ok := l.schemes[name]; ok {
		return s
	}
	item := l.root.get("components").get("securitySchemes").get(name)
	at := item.resolved()
	s := &Scheme{Name: Name{Wire: name}, Description: at.get("description").text(), Pos: item.pos()}
	switch kind := at.get("type").text(); {
	case kind == "apiKey" && at.get("in").text() == "header" && headerName.MatchString(at.get("name").text()):
		s.Kind, s.Header = APIKey, at.get("name").text()
	case kind == "apiKey" && at.get("in").text() == "query":
		s.Kind, s.Query = APIKey, at.get("name").text()
	case kind == "apiKey" && at.get("in").text() == "cookie" && headerName.MatchString(at.get("name").text()):
		s.Kind, s.Cookie = APIKey, at.get("name").text()
	case kind == "http" && strings.EqualFold(at.get("scheme").text(), "bearer"):
		s.Kind = Bearer
	case kind == "http" && strings.EqualFold(at.get("scheme").text(), "basic"):
		s.Kind = Basic
	case kind == "http" && at.get("scheme").exists(): // digest, hawk, a vendor's own: the caller knows how
		s.Kind, s.Header = APIKey, "Authorization"
		l.note(item, "", "security scheme %q: http %s is sent as the credential gives it, as the whole Authorization header", name, at.get("scheme").text())
	case kind == "oauth2", kind == "openIdConnect": // the access token is a bearer token
		s.Kind = Bearer
		l.note(item, "", "security scheme %q: the client sends the access token as a bearer token, and leaves it to the credential to get one", name)
	default:
		s = nil
	}
	l.schemes[name] = s
	return s
}

// schemeProblem is why a scheme cannot be used, and how to go on.
func (l *loader) schemeProblem(name string) (problem, fix string) {
	at := l.root.get("components").get("securitySchemes").get(name).resolved()
	switch kind := at.get("type").text(); kind {
	case "":
		return "is not defined", "define it under components.securitySchemes"
	case "apiKey":
		return fmt.Sprintf("is an API key in %s %q", at.get("in").text(), at.get("name").text()), "use the name of a header, a query parameter or a cookie"
	default:
		return fmt.Sprintf("has the unknown type %q", kind), "use apiKey, http, oauth2, openIdConnect or mutualTLS"
	}
}
