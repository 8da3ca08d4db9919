package pool

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// check refuses what net/http would refuse only after a connection was taken,
// over HTTP/2 with an error that proves nothing. The header has been
// checked: see [CheckHeader].
func check(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("the request has no URL")
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return fmt.Errorf("the URL scheme %q is neither http nor https", req.URL.Scheme)
	case req.URL.Host == "" || !visible.all(req.URL.Host):
		return errors.New("the URL's host is empty, or not ASCII")
	case req.URL.Opaque != "" || req.URL.Path != "" && req.URL.Path[0] != '/':
		return errors.New("the URL's path does not begin with a slash")
	case !visible.all(req.URL.RawQuery):
		return errors.New("the URL's query is not encoded")
	case !visible.all(req.Host):
		return errors.New("the Host header is not ASCII")
	case req.Header == nil:
		return errors.New("the request has no Header")
	case req.Method != "" && !IsToken(req.Method):
		return errors.New("the request's method is invalid")
	case req.ContentLength > 0 && !hasBody(req):
		return errors.New("the request has a length and no body")
	}
	return CheckHeader(req.Trailer)
}

// CheckHeader refuses what [CheckField] refuses. [Pool.RoundTrip] does not: a
// header is the same on every attempt of a call, and need be checked once.
func CheckHeader(header http.Header) error {
	for name, values := range header {
		for _, value := range values {
			if err := CheckField(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckField refuses a name and a value that cannot be sent as they are (RFC 9110,
// section 5), and headers that turn the connection into something else. It never
// shows a value: it may be a secret.
func CheckField(name, value string) error {
	switch {
	case !IsToken(name):
		return fmt.Errorf("%q is not a header name", name)
	case !printable.all(value):
		return fmt.Errorf("header %s has a control character in its value", name)
	}
	switch {
	case strings.EqualFold(name, "Connection"):
		if !strings.EqualFold(value, "close") && !strings.EqualFold(value, "keep-alive") {
			return errors.New("the header Connection must be close or keep-alive")
		}
	case strings.EqualFold(name, "Upgrade"), strings.EqualFold(name, "Transfer-Encoding"):
		return fmt.Errorf("the header %s cannot be set", name)
	}
	return nil
}

// bytes256 is a set of bytes.
type bytes256 [256]bool

// all reports whether the set has every byte of s.
func (set *bytes256) all(s string) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

func setOf(has func(c byte) bool) (set bytes256) {
	for c := range len(set) {
		set[c] = has(byte(c))
	}
	return set
}

var (
	visible = setOf(func(c byte) bool { return c > ' ' && c < 0x7f })
	// printable admits bytes above ASCII, as net/http does.
	printable = setOf(func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' })
	token     = setOf(func(c byte) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
	})
)

// IsToken reports whether s can be the name of a header, or a method.
func IsToken(s string) bool { return s != "" && token.all(s) }

// address is the host and port that an origin stands for.
func address(scheme, host string) string {
	u := url.URL{Host: host}
	port := u.Port()
	if port == "" {
		port = "80"
		if scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
