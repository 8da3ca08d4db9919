package spec

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// servers are the servers of the document, with their variables checked.
func (l *loader) servers() []*Server {
	var servers []*Server
	for _, at := range addressed(l.root) {
		l.unlessFaulty(fmt.Sprintf("server %q", at.get("url").text()), func() { servers = append(servers, l.server(at)) }, at)
	}
	return servers
}

// addressed are the servers of an element that say where they are: an empty URL is
// that of the document itself, wherever it was found.
func addressed(at cursor) []cursor {
	return slices.DeleteFunc(at.get("servers").items(), func(server cursor) bool { return server.get("url").text() == "" })
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
	if !undeclared && !usableURL(filled) {
		l.note(at.get("url"), "set it in Config", "the server is no URL that requests can be sent to")
	}
	return s
}

func usableURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https") && u.RawQuery == "" && u.Fragment == ""
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

// otherServer is the server of an operation that has one of its own, or its path
// has; nil where it is the document's.
func (l *loader) otherServer(e endpoint) *OtherServer {
	for _, at := range []cursor{e.op, e.item} {
		if items := addressed(at); len(items) > 0 {
			return l.other(items)
		}
	}
	return nil
}

// other is the first of some servers, unless the document's first is among them.
func (l *loader) other(items []cursor) *OtherServer {
	if usual := addressed(l.root); len(usual) > 0 {
		url := usual[0].get("url").text()
		if slices.ContainsFunc(items, func(item cursor) bool { return item.get("url").text() == url }) {
			return nil
		}
	}
	if len(items) > 1 {
		l.note(items[1], "", "of several servers of an operation, the first is used")
	}
	found := len(l.found)
	server := l.server(items[0])
	if len(l.found) > found {
		return nil
	}
	address := server.URL
	for _, v := range server.Variables {
		address = strings.ReplaceAll(address, "{"+v.Name.Wire+"}", v.Default)
	}
	if usableURL(address) && len(l.api.Servers) > 0 {
		address = resolvedURL(l.api.Servers[0].URL, address)
	}
	i := slices.IndexFunc(l.api.Others, func(o *OtherServer) bool { return o.Name.Wire == address })
	if i < 0 {
		i = len(l.api.Others)
		l.api.Others = append(l.api.Others, &OtherServer{Name: Name{Wire: address}, Description: server.Description, Pos: server.Pos})
	}
	return l.api.Others[i]
}

// resolvedURL is a URL that may be relative to a base.
func resolvedURL(base, address string) string {
	from, err := url.Parse(base)
	if err != nil {
		return address
	}
	to, err := from.Parse(address)
	if err != nil {
		return address
	}
	return to.String()
}

// host is what a server is called: upload of https://upload.example.com.
func (o *OtherServer) host(labels int) string {
	_, rest, _ := strings.Cut(o.Name.Wire, "//")
	name, _, _ := strings.Cut(rest, "/")
	all := strings.Split(name, ".")
	return strings.Join(all[:min(labels, len(all))], " ")
}
