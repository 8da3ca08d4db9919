package printer

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// auth is one way to demand credentials, which operations share, and the field
// of Client that holds it.
type auth struct {
	field        string
	requirements []spec.Requirement
}

// maxNamed is the number of alternatives that a field's name still tells.
const maxNamed = 3

// auths finds the different demands of the operations, in their order.
func auths(api *spec.API) ([]*auth, map[*spec.Operation]*auth) {
	var all []*auth
	of := map[*spec.Operation]*auth{}
	byKey := map[string]*auth{}
	s := scope{"upstream": true}
	for _, other := range api.Others {
		s[unexported(other.Name.Go)] = true
	}
	for _, op := range api.Operations {
		if !demands(op.Security) {
			continue
		}
		key := authKey(op.Security)
		if byKey[key] == nil {
			byKey[key] = &auth{s.free(authName(op.Security)), op.Security}
			all = append(all, byKey[key])
		}
		of[op] = byKey[key]
	}
	return all, of
}

func demands(requirements []spec.Requirement) bool {
	for _, r := range requirements {
		if len(r.Schemes) > 0 {
			return true
		}
	}
	return false
}

func authKey(requirements []spec.Requirement) string {
	var b strings.Builder
	for _, r := range requirements {
		for _, scheme := range r.Schemes {
			b.WriteString(scheme.Name.Go + "+")
		}
		b.WriteString("|")
	}
	return b.String()
}

// authName reads like the demand: apiKeyOrToken, bothAndMore.
func authName(requirements []spec.Requirement) string {
	if len(requirements) > maxNamed {
		return "auth"
	}
	alternatives := make([]string, len(requirements))
	for i, r := range requirements {
		names := []string{"None"}
		if len(r.Schemes) > 0 {
			names = names[:0]
		}
		for _, scheme := range r.Schemes {
			names = append(names, scheme.Name.Go)
		}
		alternatives[i] = strings.Join(names, "And")
	}
	return unexported(strings.Join(alternatives, "Or"))
}

// schemeVariables prints a variable for each scheme, for New.
func schemeVariables(g *Group, api *spec.API) map[*spec.Scheme]string {
	s := scope{"config": true, "baseURL": true, "upstream": true, "operations": true, "client": true, "runtime": true, "cmp": true}
	names := map[*spec.Scheme]string{}
	for _, scheme := range api.Schemes {
		name := s.free(unexported(scheme.Name.Go))
		names[scheme] = name
		field := Lit(scheme.Name.Go)
		credential := Id("config").Dot(scheme.Name.Go)
		variable := g.Add(id(name)).Op(":=")
		switch {
		case scheme.Kind == spec.Bearer:
			variable.Add(rt("Bearer")).Call(field, credential)
		case scheme.Kind == spec.Basic:
			variable.Add(rt("Basic")).Call(field, credential)
		case scheme.Cookie != "":
			variable.Add(rt("APIKeyCookie")).Call(field, Lit(scheme.Cookie), credential)
		case scheme.Header != "":
			variable.Add(rt("APIKeyHeader")).Call(field, Lit(scheme.Header), credential)
		default:
			variable.Add(rt("APIKeyQuery")).Call(field, Lit(scheme.Query), credential)
		}
	}
	return names
}

// anyOf prints the demand, of the variables of its schemes.
func (a *auth) anyOf(variables map[*spec.Scheme]string) Code {
	return rt("AnyOf").CallFunc(func(g *Group) {
		for _, r := range a.requirements {
			g.Add(rt("AllOf")).CallFunc(func(g *Group) {
				for _, scheme := range r.Schemes {
					g.Add(id(variables[scheme]))
				}
			})
		}
	})
}

// credentialText says where a scheme's credential goes.
func credentialText(scheme *spec.Scheme) string {
	switch {
	case scheme.Kind == spec.Bearer:
		return scheme.Name.Go + " is sent as bearer token."
	case scheme.Kind == spec.Basic:
		return scheme.Name.Go + " is sent as user and password; see [runtime.BasicCredential]."
	case scheme.Cookie != "":
		return scheme.Name.Go + " is sent in cookie " + oneLine(scheme.Cookie) + "."
	case scheme.Header != "":
		return scheme.Name.Go + " is sent in header " + oneLine(scheme.Header) + "."
	}
	return scheme.Name.Go + " is sent as query parameter " + oneLine(scheme.Query) + "."
}
