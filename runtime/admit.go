package runtime

import (
	"context"
	"errors"
	"maps"
	"net/http"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// unprepared is why an attempt cannot begin.
type unprepared struct {
	by    Rejecter
	cause error
}

// admit lets a call in, or tells who rejected it: 0 attempts. An admitted call
// has entered the drain, has the breaker's permit, and is prepared for its first
// attempt.
func (c *call) admit() *unprepared {
	if !c.upstream.drain.enter() {
		return &unprepared{ByDrain, errDraining}
	}
	err := c.admitEntered()
	if err != nil {
		c.upstream.drain.leave()
	}
	return err
}

func (c *call) admitEntered() *unprepared {
	if c.ctx.Err() != nil || c.late {
		return &unprepared{ByDeadline, context.DeadlineExceeded}
	}
	if err := c.compose(); err != nil {
		return &unprepared{ByValidation, err}
	}
	auth, err := c.req.Auth.choose()
	if err != nil {
		return &unprepared{ByCredential, err}
	}
	c.auth = auth
	if breaker := c.upstream.breaker; breaker != nil {
		done, err := breaker.Allow()
		if err != nil {
			return &unprepared{ByBreaker, err}
		}
		c.done = done
	}
	if err := c.prepare(); err != nil {
		if c.done != nil {
			c.done(neutralError{err.cause})
		}
		return err
	}
	return nil
}

// compose freezes all that is the same on every attempt: URL, headers, key and
// encoded body.
func (c *call) compose() error {
	if err := c.req.invalid(); err != nil {
		return err
	}
	if err := c.checkAsk(); err != nil {
		return err
	}
	path, err := joinPath(c.op, c.req.Path)
	if err != nil {
		return err
	}
	base, err := c.req.baseURL(c.upstream)
	if err != nil {
		return err
	}
	if err := target(&c.url, base, path, c.query()); err != nil {
		return err
	}
	if c.settings.page != nil && c.settings.key != "" {
		return errKeyOfPages
	}
	if c.outcome.Key, err = c.req.key(c.op, c.settings.key); err != nil {
		return err
	}
	if err := c.req.Body.encode(); err != nil {
		return err
	}
	return c.composeHeader()
}

// errKeyOfPages refuses a key of the caller's: pages under one key would all be
// the first (RULE-PAGE-KEY).
var errKeyOfPages = errors.New("an idempotency key is that of one call, and each page is a call of its own")

// query is the request's, or that of a link to the page.
func (c *call) query() string {
	if page := c.settings.page; page != nil && page.linked {
		return page.query
	}
	return c.req.Query.String()
}

// composeHeader joins the upstream's, the operation's and the call's headers;
// the later wins, and the contract's own last. The upstream's and the key have
// been checked; the names of all are canonical.
func (c *call) composeHeader() error {
	header := make(http.Header, 8)
	maps.Copy(header, c.upstream.header)
	for _, from := range []http.Header{c.req.Header.Values(), c.settings.header} {
		if err := pool.CheckHeader(from); err != nil {
			return err
		}
		maps.Copy(header, from)
	}
	if c.req.Accept != "" && header["Accept"] == nil {
		if err := setMediaType(header, "Accept", c.req.Accept); err != nil {
			return err
		}
	}
	if header["Accept-Encoding"] == nil && !c.streamed {
		header["Accept-Encoding"] = acceptGzip
	}
	if body := &c.req.Body; body.replayability != NoBody && body.contentType != "" {
		if err := setMediaType(header, "Content-Type", body.contentType); err != nil {
			return err
		}
	}
	if c.outcome.Key != "" {
		header.Set(c.op.KeyHeader, c.outcome.Key)
	}
	c.header = header
	return nil
}

var (
	acceptGzip = []string{"gzip"}
	typeJSON   = []string{"application/json"}
)

// setMediaType spares the most frequent value an allocation per call.
func setMediaType(header http.Header, name, value string) error {
	if value == typeJSON[0] {
		header[name] = typeJSON
		return nil
	}
	header[name] = []string{value}
	return pool.CheckField(name, value)
}

// prepare readies what an attempt needs before a connection is asked for: the
// credential's token, a place in the bulkhead, the opened body. On an error
// nothing is held.
func (c *call) prepare() *unprepared {
	c.token = authorization{}
	if err := c.auth.authorize(c.bounded, &c.token); err != nil {
		return &unprepared{ByCredential, err}
	}
	if err := c.token.check(); err != nil {
		return &unprepared{ByCredential, err}
	}
	if err := c.upstream.bulkhead.acquire(c.bounded); err != nil {
		return &unprepared{ByBulkhead, err}
	}
	body, err := c.req.Body.attempt()
	if err != nil {
		c.upstream.bulkhead.release()
		return &unprepared{ByValidation, err}
	}
	c.body = body
	return nil
}

// abandon gives back what prepare took, where no attempt follows.
func (c *call) abandon() {
	if c.body != nil {
		c.body.Close()
	}
	c.upstream.bulkhead.release()
}

// reject ends a call that was not admitted.
func (c *call) reject(err *unprepared) error {
	c.conclude(Rejected)
	state := StateRejected
	if c.cancelled() {
		state = StateCancelled
	}
	if illegal := c.to(state, 0); illegal != nil {
		return illegal
	}
	if state == StateCancelled {
		return &CancelledError{Outcome: c.outcome, Cause: context.Cause(c.caller)}
	}
	by := err.by
	if c.remaining() <= 0 {
		by = ByDeadline
	}
	return &RejectedError{Outcome: c.outcome, By: by, Cause: err.cause}
}
