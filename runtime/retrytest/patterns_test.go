package retrytest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	. "github.com/retrygen/retrygen/runtime/retrytest"
)

type thing struct {
	ID string `json:"id"`
}

// operation is a POST that waits for milliseconds only.
func operation(idempotency runtime.Idempotency) *runtime.Operation {
	return &runtime.Operation{
		Name: "op", Route: "POST /things", Idempotency: idempotency, Replayability: runtime.Replayable,
		MaxAttempts: 3, Deadline: 5 * time.Second, AttemptTimeout: 2 * time.Second, MinAttemptBudget: 10 * time.Millisecond,
		BackoffBase: time.Millisecond, BackoffMax: time.Millisecond, BackoffMultiplier: 1, RetryAfterMax: time.Second,
	}
}

// plenty is a budget that always pays.
type plenty struct{}

func (plenty) Primary(time.Duration)      {}
func (plenty) Success(time.Duration)      {}
func (plenty) Affords(time.Duration) bool { return true }
func (plenty) Reserve(time.Duration) bool { return true }
func (plenty) Commit(time.Duration) bool  { return true }
func (plenty) Cancel(time.Duration)       {}

func upstream(t testing.TB, server *Server) *runtime.Upstream {
	t.Helper()
	u, err := runtime.NewUpstream(runtime.UpstreamContract{Name: "things", BudgetRatio: 0.1, BudgetWindow: time.Minute},
		server.URL(), runtime.UpstreamConfig{Transport: server.Transport(), Budget: plenty{}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = u.Drain(context.Background()) })
	return u
}

// call makes one call, and says how it ended in a word.
func call(ctx context.Context, u *runtime.Upstream, op *runtime.Operation, body runtime.Body) (end string, o runtime.Outcome) {
	read := func(r *runtime.Response) (*thing, error) {
		if r.StatusCode/100 != 2 {
			return nil, nil
		}
		return runtime.ReadJSON[*thing](r)
	}
	_, err := runtime.Do(ctx, u, op, runtime.Request{Path: []string{"/things"}, Body: body}, read, []runtime.CallOption{runtime.Report(&o)})
	var (
		ambiguous *runtime.AmbiguousError
		status    *runtime.StatusError
		transport *runtime.TransportError
		malformed *runtime.MalformedError
		rejected  *runtime.RejectedError
	)
	switch {
	case err == nil:
		return "ok", o
	case errors.As(err, &ambiguous):
		return "ambiguous", o
	case errors.As(err, &status):
		return "status", o
	case errors.As(err, &transport):
		return "transport", o
	case errors.As(err, &malformed):
		return "malformed", o
	case errors.As(err, &rejected):
		return "rejected", o
	}
	return fmt.Sprintf("%T", err), o
}

// end is how a call ends: in a word, after so many attempts, with this effect.
type end struct {
	word     string
	attempts int
	effect   runtime.Effect
}

// meeting is what the rules make of a first attempt that meets a fault, where a
// second one would succeed.
type meeting struct {
	evidence   runtime.Evidence
	status     int
	plain      end // of an operation that is not idempotent
	idempotent end
}

var repeated = end{"ok", 2, runtime.Executed}

var (
	// Proven not to have been processed: anything may be repeated.
	notSent = meeting{runtime.NotSent, 0, repeated, repeated}
	// A byte may have left: only what is idempotent is repeated.
	unknown = meeting{runtime.SentNoResponse, 0, end{"ambiguous", 1, runtime.Unknown}, repeated}
	// A 2xx that broke: done, and the answer is lost.
	broken = meeting{runtime.PartialResponse, 200, end{"transport", 1, runtime.Executed}, repeated}
	// A 2xx that makes no sense: done, and no second attempt would mend it.
	senseless = meeting{runtime.ResponseReceived, 200, end{"malformed", 1, runtime.Executed}, end{"malformed", 1, runtime.Executed}}
	// A head that makes no sense: nobody knows, and no second attempt mends it.
	senselessHead = meeting{runtime.SentNoResponse, 0, end{"ambiguous", 1, runtime.Unknown}, end{"transport", 1, runtime.Unknown}}
	healthy       = meeting{runtime.ResponseReceived, 200, end{"ok", 1, runtime.Executed}, end{"ok", 1, runtime.Executed}}
)

// answered is a status after which the call ends.
func answered(status int, effect runtime.Effect) meeting {
	ended := end{"status", 1, effect}
	return meeting{runtime.ResponseReceived, status, ended, ended}
}

// throttled is a status that says: not processed.
func throttled(status int) meeting {
	return meeting{runtime.ResponseReceived, status, repeated, repeated}
}

// doubtful is a status of a hop before the upstream.
func doubtful(status int) meeting {
	return meeting{runtime.ResponseReceived, status, end{"ambiguous", 1, runtime.Unknown}, repeated}
}

func withEvidence(e runtime.Evidence, m meeting) meeting {
	m.evidence = e
	return m
}

type pattern struct {
	fault Fault
	over  []Protocol
	want  meeting
	read  int // requests of the first attempt of which the server read the head
}

var (
	every   = []Protocol{HTTP1, HTTP1TLS, HTTP2, H2C}
	http1   = []Protocol{HTTP1, HTTP1TLS}
	http2   = []Protocol{HTTP2, H2C}
	overTLS = []Protocol{HTTP1TLS, HTTP2}
)

var patterns = []pattern{
	// Before there is a connection.
	{RefuseConnection(), every, notSent, 0},
	{UnknownHost(), every, meeting{runtime.NotSent, 0, end{"transport", 1, runtime.NotExecuted}, end{"transport", 1, runtime.NotExecuted}}, 0},
	{DropConnection(), overTLS, notSent, 0},
	{BreakHandshake(), overTLS, notSent, 0},
	// While the request is on its way.
	{CloseUnread(), every, unknown, 0},
	{ResetUnread(), every, unknown, 0},
	{CloseHalfRead(), every, unknown, 1},
	{ResetHalfRead(), every, unknown, 1},
	// When it was read.
	{LoseAnswer(), every, unknown, 1},
	{ResetAnswer(), every, unknown, 1},
	{Hang(), every, unknown, 1},
	{HangAfter(102), every, unknown, 1},
	{LoseAfter(103), every, unknown, 1},
	// Heads that make no sense.
	{CutHead("HTTP/1.1 2"), http1, unknown, 1},
	{CutHead("HTTP/1.1 200 OK\r\n"), http1, unknown, 1},
	{CutHead("HTTP/1.1 200 OK\r\nContent-Ty"), http1, unknown, 1},
	{MalformedStatusLine(), http1, senselessHead, 1},
	{MalformedHeader(), http1, senselessHead, 1},
	{ContradictingLengths(), http1, senselessHead, 1},
	{Raw("NoHTTP", "SSH-2.0-OpenSSH_9.9\r\n"), http1, senselessHead, 1},
	{Raw("SwitchProtocols", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), http1, answered(101, runtime.Unknown), 1},
	{MalformedFrame(), http2, unknown, 1},
	// Bodies that break.
	{CutBody(200), every, broken, 1},
	{CutChunks(200), http1, broken, 1},
	{BrokenChunks(200), http1, broken, 1},
	{HangingBody(200), every, broken, 1},
	{CutGzip(200), every, broken, 1},
	{CutBody(503), every, withEvidence(runtime.PartialResponse, doubtful(503)), 1},
	{CutBody(429), every, withEvidence(runtime.PartialResponse, throttled(429)), 1},
	{CutBody(404), every, withEvidence(runtime.PartialResponse, answered(404, runtime.NotExecuted)), 1},
	// Bodies that make no sense.
	{BrokenGzip(200), every, senseless, 1},
	{MalformedJSON(200), every, senseless, 1},
	{JSON(200, ``), every, senseless, 1},
	{JSON(200, `null`), every, senseless, 1},
	{JSON(200, `{}`), every, senseless, 1},
	// Answers.
	{JSON(200, `{"id":"a"}`), every, healthy, 1},
	{After(103, JSON(200, `{"id":"a"}`)), every, healthy, 1},
	{After(102, Status(503)), every, doubtful(503), 1},
	{Raw("UntilClose", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"id\":\"a\"}"), http1, healthy, 1},
	{Raw("HTTP10", "HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n{\"id\":\"a\"}"), http1, healthy, 1},
	{Status(204), every, meeting{runtime.ResponseReceived, 204, senseless.plain, senseless.idempotent}, 1},
	{Status(302, "Location", "/elsewhere"), every, answered(302, runtime.Unknown), 1},
	{Status(400), every, answered(400, runtime.NotExecuted), 1},
	{Status(401), every, answered(401, runtime.NotExecuted), 1},
	{Status(408), every, meeting{runtime.ResponseReceived, 408, end{"ok", 2, runtime.Unknown}, repeated}, 1},
	{Status(409), every, answered(409, runtime.Unknown), 1},
	{Status(425), every, throttled(425), 1},
	{Status(429), every, throttled(429), 1},
	{Status(429, "Retry-After", "3600"), every, answered(429, runtime.NotExecuted), 1},
	{Status(429, "Retry-After", "-5"), every, throttled(429), 1},
	{Status(500), every, answered(500, runtime.Unknown), 1},
	{Status(502), every, doubtful(502), 1},
	{Status(503), every, doubtful(503), 1},
	{Status(504), every, doubtful(504), 1},
	{AnswerEarly(413), every, answered(413, runtime.NotExecuted), 1},
	{AnswerEarly(503), every, doubtful(503), 1},
	// HTTP/2.
	{ResetStream(RefusedStream), http2, notSent, 1},
	{ResetStream(NoError), http2, unknown, 1},
	{ResetStream(ProtocolError), http2, unknown, 1},
	{ResetStream(InternalError), http2, unknown, 1},
	{ResetStream(Cancel), http2, unknown, 1},
	{ResetStream(EnhanceCalm), http2, unknown, 1},
	{ResetStream(HTTP11Required), http2, unknown, 1},
	{ResetStreamAfterHead(200, InternalError), http2, broken, 1},
	{ResetStreamAfterHead(200, RefusedStream), http2, broken, 1},
	{ResetStreamAfterHead(503, Cancel), http2, withEvidence(runtime.PartialResponse, doubtful(503)), 1},
	{GoAway(NoError, false), http2, notSent, 1},
	{GoAway(EnhanceCalm, false), http2, unknown, 1},
	{GoAway(NoError, true), http2, unknown, 1},
	{GoAway(InternalError, true), http2, unknown, 1},
	{GoAwayAndAnswer(JSON(200, `{"id":"a"}`)), http2, healthy, 1},
	{GoAwayAndAnswer(Status(503)), http2, doubtful(503), 1},
}

// TestPatterns: what is proven of an attempt, what the rules make of it, and that
// the server never reads more than the call reports (RULE-EVIDENCE).
func TestPatterns(t *testing.T) {
	require.GreaterOrEqual(t, len(patterns), 60)
	for _, p := range patterns {
		for _, protocol := range p.over {
			for _, kind := range []struct {
				name        string
				idempotency runtime.Idempotency
				want        end
			}{{"plain", runtime.NotIdempotent, p.want.plain}, {"idempotent", runtime.Idempotent, p.want.idempotent}} {
				t.Run(fmt.Sprintf("%v/%v/%s", p.fault, protocol, kind.name), func(t *testing.T) {
					t.Parallel()
					script := []Fault{p.fault}
					if kind.want.attempts > 1 {
						script = append(script, JSON(200, `{"id":"b"}`))
					}
					server := Config{Protocol: protocol}.NewServer(t, script...)
					op := operation(kind.idempotency)
					if hangs(p.fault) {
						op.AttemptTimeout = 100 * time.Millisecond
					}
					word, o := call(t.Context(), upstream(t, server), op, runtime.JSON(thing{"0123456789"}))

					first := o.Attempts[0]
					require.Equal(t, p.want.evidence, first.Evidence, "%v", first.Cause)
					require.Equal(t, p.want.status, first.Status, "%v", first.Cause)
					require.Equal(t, kind.want, end{word, len(o.Attempts), o.Effect}, "%v", first.Cause)
					require.Len(t, server.Requests(), p.read+kind.want.attempts-1)
				})
			}
		}
	}
}

func hangs(f Fault) bool {
	for _, slow := range []Fault{Hang(), HangAfter(102), HangingBody(200), MalformedFrame()} {
		if cmp.Compare(f.String(), slow.String()) == 0 {
			return true
		}
	}
	return false
}
