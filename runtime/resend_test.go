package runtime

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingIsSentTwiceBehindTheCall: net/http sends some requests again by
// itself when a warm connection dies under them. Here every request that a
// server reads is an attempt of the call (RULE-EVIDENCE-ONE-SEND,
// RULE-EVIDENCE-COUNT).
func TestNothingIsSentTwiceBehindTheCall(t *testing.T) {
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		conn.Close()
	}
	for name, tt := range map[string]struct {
		idempotency Idempotency
		route       string
		drop        turn
		opts        []CallOption
		attempts    int
	}{
		"a POST under an Idempotency-Key":           {IdempotentByKey, "POST /pets", hangUp, []CallOption{MaxAttempts(1)}, 1},
		"a POST under an Idempotency-Key, reset":    {IdempotentByKey, "POST /pets", lost, []CallOption{MaxAttempts(1)}, 1},
		"an X-Idempotency-Key that the caller adds": {NotIdempotent, "POST /pets", hangUp, []CallOption{Header("X-Idempotency-Key", "k")}, 1},
		"a GET without a header":                    {Undeclared, "GET /pets", hangUp, nil, 1},
		"a GET that may be made once":               {Idempotent, "GET /pets", hangUp, []CallOption{MaxAttempts(1)}, 1},
		"a GET that may be repeated":                {Idempotent, "GET /pets", hangUp, nil, 2},
		"a DELETE that may be repeated":             {Idempotent, "DELETE /pets", lost, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, ok, tt.drop)
			u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
			op := quick(tt.idempotency)
			op.Route = tt.route
			send := func(opts ...CallOption) (o Outcome) {
				_, _ = Do(t.Context(), u, op, Request{Path: []string{"/pets"}}, readPet, append(opts, Report(&o)))
				return o
			}
			require.Equal(t, StateDispatched, send().State, "the connection is warm")
			o := send(tt.opts...)
			require.Equal(t, SentNoResponse, o.Attempts[0].Evidence)
			require.Len(t, o.Attempts, tt.attempts)
			require.Len(t, server.read(), 1+tt.attempts, "what the server has read")
		})
	}
}

// stingy is a connection that, once it is broken, takes a few bytes more.
type stingy struct {
	net.Conn
	broken *atomic.Bool
	takes  int
}

func (c *stingy) Write(p []byte) (int, error) {
	if !c.broken.CompareAndSwap(true, false) {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:min(c.takes, len(p))])
	c.Close()
	return n, syscall.EPIPE
}

// TestPOSTOnAConnectionThatIsJustClosing: it is repeated if no byte of it has
// left, and ambiguous otherwise (RULE-EVIDENCE-NOT-SENT,
// RULE-EVIDENCE-NO-RESPONSE).
func TestPOSTOnAConnectionThatIsJustClosing(t *testing.T) {
	for name, tt := range map[string]struct {
		takes    int
		evidence Evidence
		kind     string
		read     int
	}{
		"no byte leaves":    {0, NotSent, "ok", 2},
		"one byte leaves":   {1, SentNoResponse, "ambiguous", 1},
		"all of it, almost": {100, SentNoResponse, "ambiguous", 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			var broken atomic.Bool
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				return &stingy{conn, &broken, tt.takes}, err
			}
			u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Transport: &http.Transport{DialContext: dial}})
			_, _, err := do(t, u, quick(NotIdempotent))
			require.NoError(t, err)
			broken.Store(true)
			_, o, err := do(t, u, quick(NotIdempotent))
			require.Equal(t, tt.kind, kind(err), "%v", err)
			require.Equal(t, tt.evidence, o.Attempts[0].Evidence)
			require.Len(t, server.read(), tt.read)
		})
	}
}

// TestRefusedStreamsAreCounted: net/http repeats a refused stream up to seven
// times within one round trip, some clients for ever, since each connection
// begins to count anew. Here each is an attempt of the call, whatever the
// idempotency (RULE-EVIDENCE-NOT-SENT, RULE-EVIDENCE-ONE-SEND).
func TestRefusedStreamsAreCounted(t *testing.T) {
	for name, turnAway := range map[string]func(f *framer, stream uint32){
		"refused for ever":                func(f *framer, stream uint32) { f.refuse(stream) },
		"refused, and the connection too": func(f *framer, stream uint32) { f.refuse(stream); f.leave() },
		"a goodbye for ever":              func(f *framer, _ uint32) { f.leave() },
	} {
		for attempts := 1; attempts <= 3; attempts++ {
			var streams atomic.Int64
			url, transport := http2(t, func(f *framer, stream uint32, _ string, ended bool) {
				if ended {
					streams.Add(1)
					turnAway(f, stream)
				}
			})
			u := connect(t, url, UpstreamConfig{Budget: plenty{}, Transport: transport})
			_, o, err := do(t, u, quick(NotIdempotent), MaxAttempts(attempts))
			require.Equal(t, "transport", kind(err), name)
			require.Len(t, o.Attempts, attempts, name)
			require.EqualValues(t, attempts, streams.Load(), name)
			require.Equal(t, NotExecuted, o.Effect)
			for _, a := range o.Attempts {
				require.Equal(t, NotSent, a.Evidence, "%s: %v", name, a.Cause)
			}
		}
	}
}

// TestServerThatHangsUpAtOnce: where a server shakes hands and closes, net/http
// may dial for ever. Here each connection is an attempt of the call
// (RULE-EVIDENCE-ONE-SEND).
func TestServerThatHangsUpAtOnce(t *testing.T) {
	var hands atomic.Int64
	url, transport := secure(t, func(conn *tls.Conn) {
		if conn.Handshake() == nil {
			hands.Add(1)
		}
	})
	op := quick(Idempotent)
	op.Route = "GET /pets"
	var o Outcome
	err := exec(t.Context(), connect(t, url, UpstreamConfig{Budget: plenty{}, Transport: transport}), op, &o)
	require.Equal(t, "transport", kind(err))
	require.Len(t, o.Attempts, 3)
	require.EqualValues(t, 3, hands.Load())
}

// TestGoodbyeInTheMiddleOfABody: the next attempt sends the whole body again
// (RULE-BODY-REPLAYABLE).
func TestGoodbyeInTheMiddleOfABody(t *testing.T) {
	body := strings.Repeat("0123456789", 20_000)
	var goodbyes atomic.Int64
	whole := make(chan string, 1)
	url, transport := http2(t, func(f *framer, stream uint32, got string, ended bool) {
		switch {
		case got != "" && goodbyes.CompareAndSwap(0, 1):
			f.leave()
		case got != "" && goodbyes.Load() == 1 && !ended:
			f.grow(stream, uint32(len(got)))
		case ended:
			whole <- got
			f.ok(stream)
		}
	})
	u := connect(t, url, UpstreamConfig{Budget: plenty{}, Transport: transport})
	op := quick(Idempotent)
	op.Route = "PUT /pets"
	var o Outcome
	err := Exec(t.Context(), u, op, Request{Path: []string{"/pets"}, Body: Bytes("text/plain", []byte(body))},
		func(*Response) error { return nil }, []CallOption{Report(&o)})
	require.NoError(t, err)
	require.Len(t, o.Attempts, 2)
	require.Equal(t, NotSent, o.Attempts[0].Evidence)
	require.Equal(t, body, <-whole)
}

// TestConsumedBodyIsNotSentEmpty: a body that was read once is not replaced by
// an empty one, on either protocol (RULE-BODY-ONE-SHOT).
func TestConsumedBodyIsNotSentEmpty(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			var bodies []string
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				require.Equal(t, protocol, r.Proto)
				bodies = append(bodies, string(body))
				w.WriteHeader([]int{503, 200}[len(bodies)-1])
			}))
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.StartTLS()
			defer server.Close()
			u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Transport: server.Client().Transport.(*http.Transport)})
			var o Outcome
			_, err := Do(t.Context(), u, quick(Idempotent), Request{
				Path: []string{"/pets"}, Body: Stream("text/plain", io.MultiReader(strings.NewReader("hel"), strings.NewReader("lo"))),
			}, readPet, []CallOption{Report(&o)})
			var failed *StatusError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, 503, failed.Status)
			require.Equal(t, BodyNotReplayable, failed.Reason)
			require.Equal(t, []string{"hello"}, bodies)
			require.NoError(t, u.Drain(t.Context()))
		})
	}
}

// TestAttemptsDifferInNumberAndTokenOnly: all other headers, the length and the
// body are frozen before the first (RULE-BODY-SAME, RULE-KEY-1).
func TestAttemptsDifferInNumberAndTokenOnly(t *testing.T) {
	var sent []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		sent = append(sent, r)
		w.WriteHeader([]int{503, 401, 200}[len(sent)-1])
		_, _ = io.WriteString(w, `{"name":"rex"}`)
	}))
	defer server.Close()
	own := http.Header{"X-Tenant": {"a"}}
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Header: own, Observer: func(e Event) {
		if e.To == StateBackoffWait { // a caller who changes what is his, meanwhile
			own["X-Tenant"][0] = "b"
			own.Set("Idempotency-Key", "forged")
		}
	}})
	_, err := Do(t.Context(), u, quick(IdempotentByKey), Request{
		Path: []string{"/pets"}, Body: JSON(pet{"rex"}), Auth: AnyOf(AllOf(Bearer("Token", &stale{token: "stale"}))),
	}, readPet, []CallOption{Header("X-Trace", "t-1")})
	require.NoError(t, err)
	require.Len(t, sent, 3)
	for i, r := range sent {
		require.Equal(t, string(rune('1'+i)), r.Header.Get(AttemptHeader))
		require.Equal(t, []string{"Bearer stale", "Bearer stale", "Bearer fresh"}[i], r.Header.Get("Authorization"))
		r.Header.Del(AttemptHeader)
		r.Header.Del("Authorization")
		require.Equal(t, sent[0].Header, r.Header)
		require.Equal(t, sent[0].ContentLength, r.ContentLength)
	}
	require.Equal(t, "a", sent[0].Header.Get("X-Tenant"))
	require.Len(t, sent[0].Header["Idempotency-Key"], 1)
}

// TestDuplicatesOfAHopAreTold from the client's own attempts: they bear the
// same key and the same number.
func TestDuplicatesOfAHopAreTold(t *testing.T) {
	type sender struct{ key, number string }
	seen := map[sender]int{}
	server := serve(t, status(503))
	doubling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 2 {
			seen[sender{r.Header.Get("Idempotency-Key"), r.Header.Get(AttemptHeader)}]++
		}
		server.handle(w, r)
	}))
	defer server.Close()
	t.Cleanup(doubling.Close)
	_, o, err := do(t, connect(t, doubling.URL, UpstreamConfig{Budget: plenty{}}), quick(IdempotentByKey))
	require.NoError(t, err)
	require.Equal(t, map[sender]int{{o.Key, "1"}: 2, {o.Key, "2"}: 2}, seen)
}
