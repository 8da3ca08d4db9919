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
// over HTTP/2 with an error that proves nothing.
func check(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("the request has no URL")
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return fmt.Errorf("the URL scheme %q is neither http nor https", req.URL.Scheme)
	case req.URL.Host == "" || !all(req.URL.Host, visible):
		return errors.New("the URL's host is empty, or not ASCII")
	case req.URL.Opaque != "" || req.URL.Path != "" && req.URL.Path[0] != '/':
		return errors.New("the URL's path does not begin with a slash")
	case !all(req.URL.RawQuery, visible):
		return errors.New("the URL's query is not encoded")
	case !all(req.Host, visible):
		return errors.New("the Host header is not ASCII")
	case req.Header == nil:
		return errors.New("the request has no Header")
	case req.Method != "" && !IsToken(req.Method):
		return errors.New("the request's method is invalid")
	case req.ContentLength > 0 && !hasBody(req):
		return errors.New("the request has a length and no body")
	}
	return errors.Join(CheckHeader(req.Header), CheckHeader(req.Trailer), checkHops(req.Header))
}

// CheckHeader refuses names and values that cannot be sent as they are (RFC 9110,
// section 5). It never shows a value: it may be a secret.
func CheckHeader(header http.Header) error {
	for name, values := range header {
		if !IsToken(name) {
			return fmt.Errorf("%q is not a header name", name)
		}
		for _, value := range values {
			if !all(value, printable) {
				return fmt.Errorf("header %s has a control character in its value", name)
			}
		}
	}
	return nil
}

// checkHops refuses headers that turn the connection into something else.
func checkHops(header http.Header) error {
	for _, value := range header["Connection"] {
		if !strings.EqualFold(value, "close") && !strings.EqualFold(value, "keep-alive") {
			return errors.New("the header Connection must be close or keep-alive")
		}
	}
	for _, name := range [...]string{"Upgrade", "Transfer-Encoding"} {
		if len(header[name]) > 0 {
			return fmt.Errorf("the header %s cannot be set", name)
		}
	}
	return nil
}

func all(s string, holds func(c byte) bool) bool {
	for i := range len(s) {
		if !holds(s[i]) {
			return false
		}
	}
	return true
}

func visible(c byte) bool { return c > ' ' && c < 0x7f }

// printable admits bytes above ASCII, as net/http does.
func printable(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }

// IsToken reports whether s can be the name of a header, or a method.
func IsToken(s string) bool { return s != "" && all(s, func(c byte) bool { return tokenChars[c] }) }

var tokenChars = func() (table [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		table[c] = true
	}
	return table
}()

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
