package runtime

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/retrygen/retrygen/runtime/wire"
)

// Request is what one call sends. Generated methods fill it.
type Request struct {
	// Path is literal and value pieces in turn, beginning with a literal:
	// {"/pets/", id, "/toys"}. Both are percent-encoded already.
	Path []string
	// Server replaces the upstream's base URL, for an operation that has a server of
	// its own.
	Server *Server
	// Query holds the operation's query parameters.
	Query wire.Query
	// Header holds the operation's header and cookie parameters.
	Header wire.Header
	// Accept is the Accept header; empty sends none.
	Accept string
	// Whole are the content types of a 2xx that is read whole where all others are
	// streams.
	Whole []string
	// Key is the idempotency key in literal and value pieces, like Path but not
	// encoded; nil draws a random key where the contract wants one.
	Key []string
	// Body is the request body; its zero value sends none.
	Body Body
	// Auth is what the operation's security demands.
	Auth Auth
	// Ask is the [OnAmbiguous] of the operation's result, of [NoResult] for Exec and
	// streams; nil where the contract requires none.
	Ask asker
	// Invalid is what validation found. The call is rejected with it before the
	// first attempt.
	Invalid error
}

// invalid is why a request cannot be sent: what validation found, or a parameter
// that has no form on the wire.
func (r *Request) invalid() error {
	return cmp.Or(r.Invalid, r.Query.Err(), r.Header.Err())
}

// joinPath puts the pieces of a path together. No value may turn one path into
// another: empty values and dot segments are refused (RULE-KEY-VALUES).
func joinPath(op *Operation, pieces []string) (string, error) {
	dots := false // only of dots alone comes a dot segment
	for i := 1; i < len(pieces); i += 2 {
		switch pieces[i] {
		case "":
			return "", fmt.Errorf("path parameter %s is empty", placeholder(op.Route, i/2))
		case ".", "..":
			dots = true
		}
	}
	path := strings.Join(pieces, "")
	if !dots {
		return path, nil
	}
	for i, start := 1, 0; i < len(pieces); i += 2 {
		start += len(pieces[i-1])
		if segment := segmentAt(path, start); segment == "." || segment == ".." {
			return "", fmt.Errorf("path parameter %s makes a segment %q, which would change the path",
				placeholder(op.Route, i/2), segment)
		}
		start += len(pieces[i])
	}
	return path, nil
}

// segmentAt is the segment of a path that the byte at offset belongs to.
func segmentAt(path string, offset int) string {
	start := strings.LastIndexByte(path[:offset], '/') + 1
	segment, _, _ := strings.Cut(path[start:], "/")
	return segment
}

// placeholder names the nth {parameter} of a route, for messages.
func placeholder(route string, n int) string {
	for ; ; n-- {
		open := strings.IndexByte(route, '{')
		end := strings.IndexByte(route, '}')
		if open < 0 || end < open {
			return "?"
		}
		if n == 0 {
			return route[open+1 : end]
		}
		route = route[end+1:]
	}
}

// joinKey puts the pieces of a key together. Two calls with different values
// never share a key (RULE-KEY-INJECTIVE).
func joinKey(op *Operation, pieces []string) (string, error) {
	for i := 1; i < len(pieces); i += 2 {
		name, value := placeholder(op.KeyTemplate, i/2), pieces[i]
		if value == "" || value == "." || value == ".." {
			return "", fmt.Errorf("%s is %q, which may not be part of the idempotency key %s", name, value, op.KeyTemplate)
		}
		if i+1 < len(pieces) && pieces[i+1] != "" {
			if end := pieces[i+1]; strings.Index(value+end, end) != len(value) {
				return "", fmt.Errorf("%s contains %q, which ends it in the idempotency key %s: another call could get the same key",
					name, end, op.KeyTemplate)
			}
		}
	}
	return strings.Join(pieces, ""), nil
}

// key is the idempotency key of a call: the caller's own, the template's, or a
// random one. It is drawn once per call (RULE-KEY).
func (r *Request) key(op *Operation, own string) (string, error) {
	if op.Idempotency != IdempotentByKey {
		if own != "" {
			return "", errors.New("the operation takes no idempotency key")
		}
		return "", nil
	}
	key := own
	switch {
	case key != "":
	case r.Key == nil:
		key = rand.Text()
	default:
		var err error
		if key, err = joinKey(op, r.Key); err != nil {
			return "", err
		}
	}
	return key, checkKey(key)
}

const maxKeyBytes = 255

func checkKey(key string) error {
	if key == "" || len(key) > maxKeyBytes {
		return fmt.Errorf("the idempotency key has %d bytes; 1 to %d are permitted", len(key), maxKeyBytes)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return errors.New("the idempotency key has a character that is not visible ASCII")
		}
	}
	return nil
}

// target makes u the URL of a call below the base URL.
func target(u, base *url.URL, path, query string) error {
	*u = *base
	u.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + path
	decoded, err := url.PathUnescape(u.RawPath)
	if err != nil {
		return fmt.Errorf("the path is not encoded: %w", err)
	}
	u.Path, u.RawQuery = decoded, query
	return nil
}
