package spec

import (
	"net/url"
	"slices"
	"strings"
)

// servers are the servers of the document, with their variables checked.
func (l *loader) servers() []*Server {
	var servers []*Server
	for _, at := range l.root.get("servers").items() {
		servers = append(servers, l.server(at))
	}
	return servers
}

func (l *loader) server(at cursor) *Server {
	s := &Server{URL: at.get("url").text(), Description: at.get("description").text(), Pos: at.pos()}
	names := placeholders(s.URL)
	filled := s.URL
	for name, variable := range at.get("variables").members() {
		if !slices.Contains(names, name) {
			l.note(variable, "remove it, or use it in the URL", "server variable %q has no effect: the URL has no {%s}", name, name)
			continue
		}
		v := &ServerVariable{
			Name:        Name{Wire: name},
			Default:     variable.get("default").text(),
			Enum:        variable.get("enum").texts(),
			Description: variable.get("description").text(),
		}
		if len(v.Enum) > 0 && !slices.Contains(v.Enum, v.Default) {
			l.refuse(variable, "choose one of them", "the default %q is not among the values of server variable %q", v.Default, name)
		}
		filled = strings.ReplaceAll(filled, "{"+name+"}", v.Default)
		s.Variables = append(s.Variables, v)
	}
	undeclared := false
	for _, name := range names {
		if !at.get("variables").get(name).exists() {
			undeclared = true
			l.refuse(at.get("url"), "declare it under variables", "the URL of the server has {%s}, which is no declared variable", name)
		}
	}
	if undeclared {
		return s
	}
	if u, err := url.Parse(filled); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		l.refuse(at.get("url"), "write an http or https URL without query and fragment", "the server is no URL that requests can be sent to")
	}
	return s
}

// placeholders are the names between braces.
func placeholders(text string) []string {
	var names []string
	for {
		_, tail, opens := strings.Cut(text, "{")
		name, after, closes := strings.Cut(tail, "}")
		if !opens || !closes {
			return names
		}
		names = append(names, name)
		text = after
	}
}

// sameServers reports whether servers of an operation are those of the document.
func (l *loader) sameServers(servers cursor) bool {
	root := l.root.get("servers").items()
	items := servers.items()
	return len(items) == 0 || len(root) > 0 && items[0].get("url").text() == root[0].get("url").text()
}
