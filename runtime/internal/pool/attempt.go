package pool

import (
	"net/http"
	"sync/atomic"
)

// attempt is one request on one connection.
type attempt struct {
	pool   *Pool
	conn   *conn
	user   *http.Request // as the caller gave it
	sent   *http.Request // user, or its copy with our body
	mark   uint64        // of the gate
	body   requestBody
	answer responseBody
	over   atomic.Bool
}

func newAttempt(p *Pool, c *conn, req *http.Request) *attempt {
	a := &attempt{pool: p, conn: c, user: req, sent: req}
	if wrapped := hasBody(req) && !inMemory(req.Body); wrapped || req.GetBody != nil {
		own := *req
		own.GetBody = nil // net/http would send again
		if wrapped {
			a.body.ReadCloser = req.Body
			own.Body = &a.body
		}
		a.sent = &own
	}
	if c.gate != nil {
		a.mark = c.gate.mark()
	}
	return a
}

func (a *attempt) roundTrip() (*http.Response, Proof, error) {
	resp, err := a.conn.cc.RoundTrip(a.sent)
	if err != nil {
		err = a.cutHead(err)
		return nil, a.fail(err), err
	}
	resp.Request = a.user
	if resp.Body == nil || resp.Body == http.NoBody {
		a.end()
		return resp, Unproven, nil
	}
	a.answer.ReadCloser, a.answer.attempt = resp.Body, a
	resp.Body = &a.answer
	return resp, Unproven, nil
}

// fail settles an attempt that got no final header.
func (a *attempt) fail(err error) Proof {
	proof := a.proof(err)
	if !a.conn.h2 {
		a.conn.cc.Close() // it may be sealed, and holds half a request at best
	}
	a.end()
	return proof
}

func (a *attempt) proof(err error) Proof {
	c := a.conn
	switch {
	case c.gate == nil:
		return Unproven
	case c.h2:
		return h2Proof(err)
	case c.gate.seal(a.mark):
		return ZeroBytes
	}
	return Unproven
}

// end gives back all that the attempt holds.
func (a *attempt) end() {
	if a.over.Swap(true) {
		return
	}
	a.body.Close()
	a.pool.release(a.conn)
}
