package retrytest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	. "github.com/retrygen/retrygen/runtime/retrytest"
)

// TestRequestsAreRecorded with what each of them met.
func TestRequestsAreRecorded(t *testing.T) {
	for _, protocol := range every {
		t.Run(protocol.String(), func(t *testing.T) {
			server := Config{Protocol: protocol}.NewServer(t, Status(503), CloseHalfRead(), JSON(200, `{"id":"a"}`))
			word, o := call(t.Context(), upstream(t, server), operation(runtime.Idempotent), runtime.JSON(thing{"0123456789"}))
			require.Equal(t, "ok", word)
			require.Len(t, o.Attempts, 3)
			requests := server.Requests()
			require.Len(t, requests, 3)
			for i, r := range requests {
				require.Equal(t, "POST", r.Method)
				require.Equal(t, "/things", r.Path)
				require.Equal(t, fmt.Sprint(i+1), r.Header.Get(runtime.AttemptHeader))
			}
			require.Equal(t, []bool{true, false, true}, []bool{requests[0].Whole, requests[1].Whole, requests[2].Whole})
			require.Equal(t, `{"id":"0123456789"}`, requests[0].Body)
			require.Equal(t, "{", requests[1].Body)
			require.Equal(t, "CloseHalfRead", requests[1].Fault.String())
			require.Equal(t, 2, server.Whole())
		})
	}
}

// TestConnectionsThatEndWithoutAWord: the client takes one for alive, and the
// next request meets its end. None is sent twice, and each call is told apart.
func TestConnectionsThatEndWithoutAWord(t *testing.T) {
	for _, protocol := range every {
		t.Run(protocol.String(), func(t *testing.T) {
			const calls = 50
			script := make([]Fault, 0, 2*calls)
			for range 2 * calls {
				script = append(script, ClosingAfter(JSON(200, `{"id":"a"}`)))
			}
			server := Config{Protocol: protocol}.NewServer(t, script...)
			u := upstream(t, server)
			reported := 0
			for range calls {
				word, o := call(t.Context(), u, operation(runtime.Idempotent), runtime.JSON(thing{"a"}))
				require.Equal(t, "ok", word)
				for _, a := range o.Attempts {
					if a.Evidence != runtime.NotSent {
						reported++
					}
				}
			}
			require.LessOrEqual(t, len(server.Requests()), reported)
			require.GreaterOrEqual(t, len(server.Requests()), calls)
		})
	}
}

// TestInVirtualTime: a server in memory needs no network, so that waits take no
// time.
func TestInVirtualTime(t *testing.T) {
	for _, protocol := range every {
		t.Run(protocol.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := Config{Protocol: protocol, InMemory: true}.NewServer(t, Status(503, "Retry-After", "600"), Hang(), JSON(200, `{"id":"a"}`))
				u, err := runtime.NewUpstream(runtime.UpstreamContract{Name: "things", BudgetRatio: 0.1, BudgetWindow: time.Minute},
					server.URL(), runtime.UpstreamConfig{Transport: server.Transport(), Budget: plenty{}}, nil)
				require.NoError(t, err)
				op := operation(runtime.Idempotent)
				op.Deadline, op.AttemptTimeout, op.RetryAfterMax = time.Hour, time.Minute, time.Hour
				start := time.Now()
				word, o := call(t.Context(), u, op, runtime.JSON(thing{"a"}))
				require.Equal(t, "ok", word)
				require.Len(t, o.Attempts, 3)
				require.GreaterOrEqual(t, time.Since(start), 11*time.Minute)
				require.Less(t, time.Since(start), 12*time.Minute)
				require.NoError(t, u.Drain(t.Context()))
				server.Close()
			})
		})
	}
}

// spy is a test that fails without ending this one.
type spy struct {
	testing.TB
	errors, fatals []string
}

func (s *spy) Helper()        {}
func (s *spy) Cleanup(func()) {}
func (s *spy) Errorf(format string, args ...any) {
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

func (s *spy) Fatalf(format string, args ...any) {
	s.fatals = append(s.fatals, fmt.Sprintf(format, args...))
	panic(s)
}

// TestAttemptsBeyondTheScriptFailTheTest: somebody sends what nobody expected.
func TestAttemptsBeyondTheScriptFailTheTest(t *testing.T) {
	s := &spy{TB: t}
	server := NewServer(s, Status(503))
	t.Cleanup(server.Close)
	word, _ := call(t.Context(), upstream(t, server), operation(runtime.Idempotent), runtime.JSON(thing{"a"}))
	require.Equal(t, "status", word)
	require.Equal(t, []string{"retrytest: the server read request 2, one more than the script has steps for"}, s.errors)
}

// TestFaultsThatCannotHappen over a protocol are refused where they are written.
func TestFaultsThatCannotHappen(t *testing.T) {
	for want, test := range map[string]struct {
		fault    Fault
		protocol Protocol
	}{
		"retrytest: ResetStream 7 happens over HTTP/2 only; this server speaks HTTP1TLS":    {ResetStream(RefusedStream), HTTP1TLS},
		"retrytest: CutChunks 200 happens over HTTP/1 only; this server speaks H2C":         {CutChunks(200), H2C},
		"retrytest: BreakHandshake happens over TLS only; this server speaks HTTP1":         {BreakHandshake(), HTTP1},
		"retrytest:  is the zero Fault; this server speaks HTTP1":                           {Fault{}, HTTP1},
		"retrytest: 103, then CutChunks 1 happens over HTTP/1 only; this server speaks H2C": {After(103, CutChunks(1)), H2C},
	} {
		s := &spy{TB: t}
		require.Panics(t, func() { Config{Protocol: test.protocol}.NewServer(s, test.fault) })
		require.Len(t, s.fatals, 1)
		require.Equal(t, want, s.fatals[0])
	}
}

// TestHandle answers with a handler of the user's own.
func TestHandle(t *testing.T) {
	server := NewServer(t, Handle("teapot", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	word, o := call(context.Background(), upstream(t, server), operation(runtime.Idempotent), runtime.Body{})
	require.Equal(t, "status", word)
	require.Equal(t, http.StatusTeapot, o.Status)
	require.Equal(t, "teapot", server.Requests()[0].Fault.String())
}

// TestRouter: what a request meets is chosen when it is known, what a connection
// meets before. What was done is done, whatever then happens to the answer.
func TestRouter(t *testing.T) {
	for _, protocol := range every {
		t.Run(protocol.String(), func(t *testing.T) {
			done := 0
			server := Config{Protocol: protocol}.NewRouter(t, func(r *http.Request) Fault {
				answer := JSON(200, `{"id":"a"}`)
				if r.Header.Get(runtime.AttemptHeader) == "2" {
					answer = LoseAnswer()
				}
				return Doing(func(r *http.Request) {
					body, err := io.ReadAll(r.Body)
					require.NoError(t, err)
					require.Equal(t, `{"id":"0123456789"}`, string(body))
					done++
				}, answer)
			})
			server.Connect(DropConnection())
			word, o := call(t.Context(), upstream(t, server), operation(runtime.Idempotent), runtime.JSON(thing{"0123456789"}))
			require.Equal(t, "ok", word)
			require.Len(t, o.Attempts, 3)
			require.Len(t, server.Requests(), 2)
			require.Equal(t, 2, done)
			require.Equal(t, "LoseAnswer", server.Requests()[0].Fault.String())
		})
	}
}

// TestWhatFaultsSayOfThemselves lets others choose among them.
func TestWhatFaultsSayOfThemselves(t *testing.T) {
	for _, f := range []Fault{RefuseConnection(), DropConnection(), CloseUnread()} {
		require.True(t, f.StrikesConnection(), f)
		require.False(t, f.ReadsWhole(), f)
	}
	for _, f := range []Fault{Status(503), LoseAnswer(), CutBody(200), GoAway(0, true), After(102, Hang())} {
		require.True(t, f.ReadsWhole(), f)
		require.False(t, f.StrikesConnection(), f)
	}
	for _, f := range []Fault{CloseHalfRead(), AnswerEarly(503), Handle("h", nil)} {
		require.False(t, f.ReadsWhole(), f)
	}
}
