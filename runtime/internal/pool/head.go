package pool

import (
	"errors"
	"net/textproto"
	"strings"
)

// headFaults are net/http's words for a response whose head makes no sense. A
// text that is not among them fails closed: as a broken connection.
var headFaults = []string{
	"malformed HTTP", "malformed response", "bad Content-Length", "multiple Content-Length",
	"unsupported transfer encoding", "server response headers exceeded",
}

// IsMalformedHead reports whether an answer did arrive, but not in HTTP.
func IsMalformedHead(err error) bool {
	if errors.As(err, new(textproto.ProtocolError)) {
		return true
	}
	for _, fault := range headFaults {
		if strings.Contains(err.Error(), fault) {
			return true
		}
	}
	return false
}

// errCutHead takes the place of what net/http makes of a head that ends within a
// line.
var errCutHead = errors.New("the connection ended within the head of the response")

// cutHead tells a head that was cut from one that makes no sense: net/http finds
// the rest of a line malformed, whatever came after it.
func (a *attempt) cutHead(err error) error {
	if gate := a.conn.gate; gate != nil && !a.conn.h2 && gate.ended.Load() && IsMalformedHead(err) {
		return errCutHead
	}
	return err
}
