package runtime

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Hop is a redirect that an attempt followed: one further request.
type Hop struct {
	Status int
	// Host is where the redirect led.
	Host string
}

const maxHops = 5

// follow is the request that a redirect asks for; nil where it may not be
// followed, so that the 3xx is the attempt's answer (RULE-STATUS-3XX).
//
// A redirect is a further send. It is made for safely idempotent operations
// only, never from https to http, and never so that a request changes its
// meaning: a 301 or 302 of a request that is no read is left alone, since
// clients disagree on whether it becomes a GET.
func (c *call) follow(sent *http.Request, response *http.Response, hops int) *http.Request {
	if response.StatusCode/100 != 3 {
		return nil
	}
	location := response.Header.Get("Location")
	if location == "" || hops >= maxHops || !c.op.safelyIdempotent(c.outcome.Key != "") {
		return nil
	}
	to, err := sent.URL.Parse(location)
	if err != nil || !c.mayGo(sent.URL, to) {
		return nil
	}
	next := *sent
	next.URL, next.Host, next.Body = to, to.Host, nil
	next.Header = sent.Header.Clone()
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound:
		if sent.Method != http.MethodGet && sent.Method != http.MethodHead {
			return nil
		}
	case http.StatusSeeOther:
		next.Method, next.ContentLength = http.MethodGet, 0
		next.Header.Del("Content-Type")
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if !c.sendAgain(&next) {
			return nil
		}
	default:
		return nil
	}
	if to.Host != sent.URL.Host || to.Scheme != sent.URL.Scheme {
		stripForStranger(next.Header)
		c.token.query = "" // a stranger's redirect bears none either, wherever it leads
	}
	next.URL = c.withToken(to)
	return &next
}

func (c *call) mayGo(from, to *url.URL) bool {
	switch {
	case to.Host == "", to.User != nil:
		return false
	case to.Scheme == "https":
		return true
	}
	return to.Scheme == "http" && from.Scheme == "http"
}

// sendAgain gives the next hop a body of its own; false for a body that cannot
// be had twice.
func (c *call) sendAgain(next *http.Request) bool {
	body := &c.req.Body
	if body.replayability == NoBody {
		return true
	}
	if body.replayability == OneShot {
		return false
	}
	again, err := body.attempt()
	if err != nil {
		return false
	}
	next.Body = again
	if body.length == 0 {
		next.Body = http.NoBody
	}
	return true
}

// stripForStranger keeps only what tells another host nothing about who asks:
// credentials may be in any header that the user has set.
func stripForStranger(header http.Header) {
	for name := range header {
		switch name {
		case "Accept", "Accept-Encoding", "Content-Type", "User-Agent", AttemptHeader:
		default:
			delete(header, name)
		}
	}
}

// leave reads the little that a redirect's body holds, so that the connection
// can be used again, and closes it.
func leave(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	response.Body.Close()
}

// withToken adds the credential's query parameters to a URL of the upstream.
func (c *call) withToken(u *url.URL) *url.URL {
	if c.token.query == "" {
		return u
	}
	with := *u
	with.RawQuery = strings.TrimPrefix(with.RawQuery+"&"+c.token.query, "&")
	return &with
}
