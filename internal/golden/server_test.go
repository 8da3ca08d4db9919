package golden

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server is on loopback, notes what it is sent, and answers in turn; the last
// answer for ever.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []answer
	requests []request
}

type answer struct {
	status int // 0: the connection breaks
	kind   string
	body   string
}

// request is what a request was on the wire.
type request struct {
	line   string // "GET /pets?limit=1"
	header http.Header
	body   string
}

func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	if answers == nil {
		answers = []answer{{status: http.StatusNoContent}}
	}
	s := &server{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request{r.Method + " " + r.RequestURI, r.Header.Clone(), string(body)})
	next := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	if next.status == 0 {
		panic(http.ErrAbortHandler)
	}
	if next.kind != "" {
		w.Header().Set("Content-Type", next.kind)
	}
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

func (s *server) read() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// only is the one request that was read.
func (s *server) only(t *testing.T) request {
	t.Helper()
	requests := s.read()
	require.Len(t, requests, 1)
	return requests[0]
}

// client is what New of a generated package has returned.
func client[C any](t *testing.T) func(c C, err error) C {
	return func(c C, err error) C {
		t.Helper()
		require.NoError(t, err)
		return c
	}
}

func json200(body string) answer { return answer{http.StatusOK, "application/json", body} }

func ptr[T any](v T) *T { return &v }

// plenty is a budget that always pays.
type plenty struct{}

func (plenty) Primary(time.Duration)      {}
func (plenty) Success(time.Duration)      {}
func (plenty) Affords(time.Duration) bool { return true }
func (plenty) Reserve(time.Duration) bool { return true }
func (plenty) Commit(time.Duration) bool  { return true }
func (plenty) Cancel(time.Duration)       {}
