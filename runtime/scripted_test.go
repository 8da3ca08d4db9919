package runtime

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime/wire"
)

// scripted is a server on loopback that meets its requests with the steps of a
// script, then with 200.
type scripted struct {
	*httptest.Server
	mu       sync.Mutex
	steps    []turn
	requests []received
}

type turn func(w http.ResponseWriter, r *http.Request)

// received is what the server read of one request.
type received struct {
	method, uri string
	header      http.Header
	body        string
}

func serve(t *testing.T, steps ...turn) *scripted {
	t.Helper()
	s := &scripted{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(s.handle))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) handle(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.requests = append(s.requests, received{r.Method, r.RequestURI, r.Header.Clone(), string(body)})
	next := ok
	if len(s.steps) > 0 {
		next, s.steps = s.steps[0], s.steps[1:]
	}
	s.mu.Unlock()
	next(w, r)
}

func (s *scripted) read() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.requests...)
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"name":"rex"}`) }

func status(code int, header ...string) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"title":"no"}`)
	}
}

// lost reads the request and resets the connection.
func lost(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// cut sends half of a body under the given status and breaks the connection.
func cut(code int) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"name":`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func text(body string) turn {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// hang answers when the client has given up.
func hang(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

// contract is the contract of the upstream that tests call.
var contract = UpstreamContract{
	Name: "pets", BudgetRatio: 0.1, BudgetWindow: time.Minute, BudgetMinPerWindow: 100,
}

// quick is an operation that waits for milliseconds only.
// query is one parameter.
func query(name, value string) (q wire.Query) {
	q.Add(name, value)
	return q
}

func quick(i Idempotency) *Operation {
	op := &Operation{
		Name: "op", Route: "POST /pets", Idempotency: i, MaxAttempts: 3, Deadline: 5 * time.Second,
		MinAttemptBudget: 10 * time.Millisecond, BackoffBase: time.Millisecond, BackoffMax: 2 * time.Millisecond,
		BackoffMultiplier: 1, RetryAfterMax: 5 * time.Second, Replayability: Replayable,
	}
	if i == IdempotentByKey {
		op.KeyHeader = "Idempotency-Key"
	}
	return op
}

func connect(t *testing.T, url string, config UpstreamConfig) *Upstream {
	t.Helper()
	u, err := NewUpstream(contract, url, config, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = u.Drain(context.Background()) })
	return u
}

// plenty is a budget that always pays.
type plenty struct{}

func (plenty) Primary(time.Duration)      {}
func (plenty) Success(time.Duration)      {}
func (plenty) Affords(time.Duration) bool { return true }
func (plenty) Reserve(time.Duration) bool { return true }
func (plenty) Commit(time.Duration) bool  { return true }
func (plenty) Cancel(time.Duration)       {}

type pet struct {
	Name string `json:"name"`
}

type problem struct {
	Title string `json:"title"`
}

func readPet(r *Response) (*pet, error) {
	if r.StatusCode/100 == 2 {
		return ReadJSON[*pet](r)
	}
	return nil, ReadError[problem](r)
}

// do makes one call with a JSON body and returns all there is to see of it.
func do(t *testing.T, u *Upstream, op *Operation, opts ...CallOption) (*pet, Outcome, error) {
	t.Helper()
	var o Outcome
	answer, err := Do(t.Context(), u, op, Request{Path: []string{"/pets"}, Body: JSON(pet{"rex"})}, readPet,
		append(opts, Report(&o)))
	return answer, o, err
}
