package fake

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

// Server is a fake of an API: it answers with the handlers of its operations, and
// fails as they are told to. It fails the test where the client breaks the
// contract.
type Server struct {
	*retrytest.Server
	t          testing.TB
	name       string // of the package, for messages
	operations []operation

	mu      sync.Mutex
	severed bool // connections were told to fail
}

// operation is an [Operation] of any type.
type operation interface {
	contract() *Contract
	bind(s *Server)
	serves() bool
	match(r *http.Request) (values map[string]string, ok bool)
	meet(r *http.Request, values map[string]string) retrytest.Fault
}

// New starts a fake that is reached as config says. It is closed with the test.
func New(t testing.TB, name string, config retrytest.Config, operations ...operation) *Server {
	t.Helper()
	s := &Server{t: t, name: name, operations: operations}
	for _, op := range operations {
		op.bind(s)
	}
	slices.SortStableFunc(s.operations, func(a, b operation) int {
		x, y := a.contract(), b.contract()
		return cmp.Or(moreSpecific(x.Path, y.Path), moreTold(x, y))
	})
	s.Server = config.NewRouter(t, s.route)
	return s
}

// Connect lets the next connections meet these faults: for those that strike
// before a request is read, so that nobody can know its operation. A client that
// has a connection makes no other.
func (s *Server) Connect(faults ...retrytest.Fault) {
	s.t.Helper()
	s.Server.Connect(faults...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.severed = true
}

func (s *Server) wasSevered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.severed
}

// violation fails the test, which goes on.
func (s *Server) violation(format string, args ...any) {
	s.t.Errorf(s.name+": "+format, args...)
}

// route is what a request meets.
func (s *Server) route(r *http.Request) retrytest.Fault {
	if op, values := s.find(r); op != nil {
		return op.meet(r, values)
	}
	status, why := s.unknown(r)
	s.violation("%s %s %s", r.Method, rawPath(r), why)
	return retrytest.Answer(status, s.name+": "+why+"\n", "Content-Type", "text/plain; charset=utf-8")
}

// find is the operation of a request: of those that the wire cannot tell apart,
// one that has a handler.
func (s *Server) find(r *http.Request) (found operation, values map[string]string) {
	for _, op := range s.operations {
		if op.contract().Method != r.Method {
			continue
		}
		if found != nil && (found.serves() || !op.contract().like(found.contract())) {
			break
		}
		if v, ok := op.match(r); ok && op.contract().speaks(r) && (found == nil || op.serves()) {
			found, values = op, v
		}
	}
	return found, values
}

// unknown tells what is wrong with a request that no operation has.
func (s *Server) unknown(r *http.Request) (status int, why string) {
	var methods []string
	for _, op := range s.operations {
		if _, ok := op.match(r); ok && !slices.Contains(methods, op.contract().Method) {
			methods = append(methods, op.contract().Method)
		}
	}
	if methods != nil {
		return http.StatusMethodNotAllowed, "is no operation: the document has " + strings.Join(methods, ", ") + " there"
	}
	return http.StatusNotFound, "is no operation: the document has no such path, and the fake's base URL is " + s.URL()
}
