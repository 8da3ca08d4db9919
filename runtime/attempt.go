package runtime

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// maxAttemptsLimit is the most that a contract can ask for.
const maxAttemptsLimit = 5

// AttemptHeader bears the number of the attempt, from 1, so that a server can
// tell the client's own attempts from duplicates that a hop in between made.
const AttemptHeader = "X-Retry-Attempt"

// succeeded reports whether the attempt brought a whole 2xx that could be read.
func (a *Attempt) succeeded() bool {
	return a.Evidence == ResponseReceived && a.Failure == NoFailure && a.Status >= 200 && a.Status <= 299
}

// attempt hands one request to the transport, exactly once, and notes what is
// proven about it. The place in the bulkhead is free again when it returns,
// unless a stream goes on.
func (c *call) attempt() (Attempt, error) {
	c.response = nil
	a := Attempt{Number: len(c.outcome.Attempts) + 1, Start: time.Now(), Delay: c.delay}
	if a.Number == 1 {
		c.upstream.budget.Primary(c.upstream.since(a.Start))
	}
	ctx, cancel := c.attemptContext(a.Start)
	defer func() {
		if c.stream == nil {
			cancel()
			c.upstream.bulkhead.release()
		}
	}()
	err := c.send(ctx, &a)
	a.Duration = time.Since(a.Start)
	c.opened = opened(c.body) || c.opened
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) && !c.cancelled() {
			err = cause // HTTP/2 says "canceled" whatever the cause
		}
		a.Failure = c.classify(err)
		if a.Failure == MalformedResponse && a.Status == 0 {
			err = malformedHead{err}
		}
		a.Cause = err
	}
	return a, err
}

// attemptContext ends with the attempt's timeout or the call's deadline,
// whichever is first (RULE-DEADLINE-3). A stream's can be stopped.
func (c *call) attemptContext(start time.Time) (context.Context, context.CancelFunc) {
	timeout, end := c.op.AttemptTimeout, c.deadline
	switch {
	case c.streamed && timeout == NoTimeout:
		return c.ctx, func() {}
	case c.streamed:
		return c.clock.attempt(c.ctx, timeout)
	case timeout != NoTimeout && (end.IsZero() || start.Add(timeout).Before(end)):
		end = start.Add(timeout)
	}
	if end.IsZero() {
		return context.WithCancel(c.ctx)
	}
	return context.WithDeadline(c.ctx, end)
}

// send makes the round trip, follows what redirects it may, and reads the
// response whole.
func (c *call) send(ctx context.Context, a *Attempt) error {
	response, err := c.exchange(ctx, a)
	if err != nil {
		return err
	}
	a.Status = response.StatusCode
	if c.streamed && a.Status >= 200 && a.Status <= 299 && !c.whole(response.Header) {
		a.Evidence = ResponseReceived
		c.beginStream(response)
		return nil
	}
	body, err := readBody(response, c.upstream.maxBytes)
	c.received = Response{StatusCode: response.StatusCode, Header: response.Header, Body: body}
	c.response = &c.received
	a.Evidence = ResponseReceived
	switch {
	case err != nil:
		if errors.As(err, new(brokenBody)) {
			a.Evidence = PartialResponse
		}
		return err
	case a.Status >= 200 && a.Status <= 299:
		if err := c.read.readResponse(c.response); err != nil {
			return malformed{err}
		}
		if c.streamed {
			return malformed{c.response.other()}
		}
	}
	return nil
}

// whole reports whether a 2xx of a streamed call is no stream.
func (c *call) whole(header http.Header) bool {
	return len(c.req.Whole) > 0 && documented(header, append([]string{""}, c.req.Whole...)) != ""
}

// exchange sends the request, and one more for each redirect that is followed;
// all of them are in the attempt's record (RULE-EVIDENCE-COUNT).
func (c *call) exchange(ctx context.Context, a *Attempt) (*http.Response, error) {
	request := c.request(ctx, a.Number)
	for {
		response, proof, err := c.upstream.transport.RoundTrip(request)
		if err != nil {
			if proof.Unsent() {
				a.Evidence = NotSent
			}
			return nil, err
		}
		next := c.follow(request, response, len(a.Hops))
		if next == nil {
			return response, nil
		}
		a.Hops = append(a.Hops, Hop{response.StatusCode, next.URL.Host})
		leave(response)
		request = next
	}
}

// request builds the request of one attempt from what was frozen.
func (c *call) request(ctx context.Context, number int) *http.Request {
	request := blank.WithContext(ctx)
	request.URL = c.withToken(&c.url)
	request.Host = request.URL.Host
	request.Method, _, _ = strings.Cut(c.op.Route, " ")
	request.Header = c.attemptHeader(number)
	if body := &c.req.Body; body.replayability != NoBody {
		request.Body, request.ContentLength = c.body, body.length
		if body.length == 0 {
			request.Body = http.NoBody
		}
	}
	return request
}

// blank is what all requests have in common.
var blank = http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// attemptNumbers are the values of AttemptHeader.
var attemptNumbers = [maxAttemptsLimit][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}}

// attemptHeader is the header of one attempt: attempts differ in their number
// and in the credential's token only. The first takes the frozen header itself;
// the others a copy, since a transport that is late may still read the first.
func (c *call) attemptHeader(number int) http.Header {
	header := c.header
	if number > 1 || c.token.cookie != "" {
		header = maps.Clone(header)
	}
	for _, field := range c.token.headers {
		header[field.name] = field.value
	}
	if cookie := c.token.cookie; cookie != "" {
		header["Cookie"] = []string{strings.TrimPrefix(c.header.Get("Cookie")+"; "+cookie, "; ")}
	}
	header[AttemptHeader] = attemptNumbers[number-1]
	return header
}

var errOversized = errors.New("the response is larger than permitted")

// classify finds the category of a failed attempt. A text that it does not know
// is an ordinary transport failure: evidence and idempotency then decide.
func (c *call) classify(err error) Failure {
	var (
		dns        *net.DNSError
		invalid    x509.CertificateInvalidError
		unknown    x509.UnknownAuthorityError
		hostname   x509.HostnameError
		unverified *tls.CertificateVerificationError
	)
	switch {
	case c.cancelled():
		return CallerCancelled
	case errors.As(err, new(*pool.RequestBodyError)):
		return UnencodableRequest
	case errors.Is(err, errOversized):
		return OversizedResponse
	case errors.As(err, new(malformed)):
		return MalformedResponse
	case errors.As(err, &dns) && dns.IsNotFound:
		return NameNotFound
	case errors.As(err, &unverified), errors.As(err, &invalid), errors.As(err, &unknown), errors.As(err, &hostname):
		return InvalidCertificate
	case pool.IsMalformedHead(err):
		return MalformedResponse
	}
	return TransportFailure
}

// plainError is the error of a call for what its last attempt was, ambiguity
// aside. failed is why the attempt failed, stopped why no other could begin.
func (c *call) plainError(cancelled bool, failed, stopped error) error {
	last := c.last()
	switch {
	case cancelled:
		return &CancelledError{Outcome: c.outcome, Cause: context.Cause(c.caller)}
	case last.Status == 0, last.Evidence == PartialResponse && last.Status/100 == 2:
		return &TransportError{Outcome: c.outcome, Cause: errors.Join(nonNil(failed, stopped)...)}
	case last.Failure.Permanent():
		return &MalformedError{Outcome: c.outcome, Body: c.response.Body, Decoded: c.response.decoded, Cause: failed}
	}
	return c.statusError(stopped)
}

func (c *call) statusError(stopped error) error {
	err := &StatusError{Outcome: c.outcome, Body: c.response.Body, Cause: stopped}
	if c.last().Evidence == ResponseReceived && c.read.readResponse(c.response) == nil {
		err.Decoded = c.response.decoded
	}
	return err
}
