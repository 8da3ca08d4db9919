package retrytest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
)

// take is the fault that a request meets. last tells that the fault after it
// strikes before there is a request, so that the connection must not be used
// again.
func (s *Server) take(r *http.Request) (f Fault, last bool) {
	if s.choose != nil {
		f = s.choose(r)
		s.mu.Lock()
		defer s.mu.Unlock()
		return f, len(s.script) > 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) == 0 {
		s.t.Errorf("retrytest: the server read request %d, one more than the script has steps for", len(s.requests)+1)
		return Status(http.StatusNotImplemented), false
	}
	f, s.script = s.script[0], s.script[1:]
	return f, len(s.script) > 0 && s.script[0].run == nil
}

// takeIf takes the next fault if it is of the kind.
func (s *Server) takeIf(is func(*Fault) bool) (f Fault, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) == 0 || !is(&s.script[0]) {
		return Fault{}, false
	}
	f, s.script = s.script[0], s.script[1:]
	return f, true
}

// Request is what the server read of a request.
type Request struct {
	Method string
	Path   string // with the query
	Proto  string
	Header http.Header
	Body   string
	// Whole: the request was read to its end.
	Whole bool
	// Fault is what the request met.
	Fault Fault
}

// Requests are the requests of which the server read at least the header, in the
// order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := make([]Request, len(s.requests))
	for i, r := range s.requests {
		requests[i] = *r
		requests[i].Header = r.Header.Clone()
	}
	return requests
}

// Whole counts the requests that were read to their end.
func (s *Server) Whole() int {
	return len(slices.DeleteFunc(s.Requests(), func(r Request) bool { return !r.Whole }))
}

func (s *Server) record(r *http.Request, f Fault) *Request {
	request := &Request{Method: r.Method, Path: r.RequestURI, Proto: r.Proto, Header: r.Header.Clone(), Fault: f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	return request
}

// read reads at most limit bytes of the request's body, or all with a negative
// limit, and notes what it got.
func (x *exchange) read(limit int64) {
	body := io.Reader(x.r.Body)
	if limit >= 0 {
		body = io.LimitReader(body, limit)
	}
	data, err := io.ReadAll(body)
	s := x.server
	s.mu.Lock()
	defer s.mu.Unlock()
	x.request.Body = string(data)
	x.request.Whole = err == nil && limit < 0
	if x.request.Whole {
		x.r.Body = io.NopCloser(bytes.NewReader(data)) // for who reads it next
	}
}
