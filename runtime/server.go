package runtime

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Variable is a variable of a server's URL.
type Variable struct {
	Name    string
	Value   string // empty: Default
	Default string
	Enum    []string // nil: any value
}

// Server is where operations are that have a server of their own. It belongs to
// the same upstream: the same budget, limits and credentials.
type Server struct {
	base *url.URL
	err  error
}

// NewServer takes the first of some base URLs that is not empty. One that is no
// URL rejects the calls that need it; field is the Config field that mends it.
func NewServer(field string, baseURLs ...string) *Server {
	base, err := parseBaseURL(cmp.Or(baseURLs...))
	if err != nil {
		err = fmt.Errorf("server of the operation (Config.%s): %w", field, err)
	}
	return &Server{base, err}
}

// baseURL is where a request goes.
func (r *Request) baseURL(u *Upstream) (*url.URL, error) {
	if r.Server == nil {
		return u.base, nil
	}
	return r.Server.base, r.Server.err
}

// ServerURL is the base URL of a client: override if it is not empty, else the
// template with its variables filled in.
func ServerURL(override, template string, variables ...Variable) (string, error) {
	if override != "" {
		return override, nil
	}
	for _, v := range variables {
		value := v.Value
		if value == "" {
			value = v.Default
		}
		if v.Enum != nil && !slices.Contains(v.Enum, value) {
			return "", fmt.Errorf("retrygen: server variable %s is %q; permitted are %s", v.Name, value, strings.Join(v.Enum, ", "))
		}
		if strings.ContainsAny(value, "?#@\\ ") {
			return "", fmt.Errorf("retrygen: server variable %s is %q, which would change the rest of the URL", v.Name, value)
		}
		template = strings.ReplaceAll(template, "{"+v.Name+"}", value)
	}
	return template, nil
}
