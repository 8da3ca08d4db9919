package runtime

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// queryOf is the query of a link to the next page. A link is the upstream's word,
// and a request for it would bear credentials: one to another origin or path is
// refused, and of any other no more is used than its query (RULE-PAGE-LINK).
func (p *pageCall) queryOf(target string) (string, error) {
	to, err := p.url.Parse(target)
	switch {
	case err != nil || strings.IndexFunc(to.RawQuery, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0:
		return "", errors.New("its link to the next page is no URL")
	case origin(to) != origin(&p.url):
		return "", fmt.Errorf("its link to the next page leads to another origin, %q: nothing is sent there", origin(to))
	case to.Path != p.url.Path:
		return "", fmt.Errorf("its link to the next page leads to another path, %q: nothing is sent there", to.Path)
	}
	return withoutNames(to.RawQuery, p.credential), nil
}

// origin is scheme, host and port of a URL (RFC 6454).
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// withoutNames is a query without the parameters that another one has: an upstream
// may repeat the credential in its links, and each call adds its own.
func withoutNames(query, other string) string {
	if other == "" {
		return query
	}
	names := strings.Split(other, "&")
	for i := range names {
		names[i] = queryName(names[i])
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool { return slices.Contains(names, queryName(pair)) })
	return strings.Join(kept, "&")
}

func queryName(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	if plain, err := url.QueryUnescape(name); err == nil {
		return plain
	}
	return name
}

var errLink = errors.New("its Link header is malformed")

// nextLink is the target of the first link to the next page in Link headers. Links
// of which the page is not the context (anchor) are none of its own.
func nextLink(headers []string) (target string, found bool, err error) {
	for _, header := range headers {
		for rest := skip(header, " \t,"); rest != ""; rest = skip(rest, " \t,") {
			var link link
			if link, rest, err = parseLink(rest); err != nil {
				return "", false, err
			}
			if link.next && !link.anchored {
				return link.target, true, nil
			}
		}
	}
	return "", false, nil
}

// link is one link of a Link header (RFC 8288, section 3).
type link struct {
	target   string
	next     bool // one of its relations
	anchored bool
}

// parseLink takes one link off a header: <target> and parameters, each after ";".
func parseLink(header string) (l link, rest string, err error) {
	inner, opens := strings.CutPrefix(header, "<")
	target, rest, closes := strings.Cut(inner, ">")
	if !opens || !closes {
		return link{}, "", errLink
	}
	l.target = strings.TrimSpace(target)
	related := false
	for rest = skip(rest, " \t"); strings.HasPrefix(rest, ";"); rest = skip(rest, " \t") {
		var name, value string
		if name, value, rest, err = parseLinkParameter(skip(rest[1:], " \t")); err != nil {
			return link{}, "", err
		}
		switch {
		case strings.EqualFold(name, "rel") && !related: // of several the first counts
			related = true
			l.next = slices.ContainsFunc(strings.Fields(value), func(r string) bool { return strings.EqualFold(r, "next") })
		case strings.EqualFold(name, "anchor"):
			l.anchored = true
		}
	}
	if rest != "" && rest[0] != ',' {
		return link{}, "", errLink
	}
	return l, rest, nil
}

// parseLinkParameter takes name, name=token or name="quoted" off a header.
func parseLinkParameter(text string) (name, value, rest string, err error) {
	end := indexAny(text, "=;, \t")
	name, rest = text[:end], skip(text[end:], " \t")
	if !strings.HasPrefix(rest, "=") {
		return name, "", rest, nil
	}
	rest = skip(rest[1:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		end := indexAny(rest, ";, \t")
		return name, rest[:end], rest[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch char := rest[i]; {
		case char == '"':
			return name, b.String(), rest[i+1:], nil
		case char == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(rest[i])
		default:
			b.WriteByte(char)
		}
	}
	return "", "", "", errLink
}

func skip(text, chars string) string { return strings.TrimLeft(text, chars) }

// indexAny is where the first of some characters is, or the end.
func indexAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}
