package pool

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func post(t *testing.T, url, body string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	require.NoError(t, err)
	return req
}

// TestH2Faults is also the canary: it fails if a release of Go words its errors
// in another way, or begins to send again by itself.
func TestH2Faults(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(p *h2Peer, stream uint32)
		want   Proof
	}{
		{"refused", func(p *h2Peer, s uint32) { p.rst(s, codeRefused) }, Refused},
		{"graceful GOAWAY below the stream", func(p *h2Peer, s uint32) { p.goAway(0, codeNone) }, GoneAway},
		{"GOAWAY with an error, below the first stream", func(p *h2Peer, s uint32) { p.goAway(0, codeCalm) }, Unproven},
		{"GOAWAY that covers the stream", func(p *h2Peer, s uint32) { p.goAway(s, codeNone); p.Close() }, Unproven},
		{"GOAWAY with an error that covers the stream", func(p *h2Peer, s uint32) { p.goAway(s, codeCalm); p.Close() }, Unproven},
		{"protocol error", func(p *h2Peer, s uint32) { p.rst(s, codeProtocol) }, Unproven},
		{"internal error", func(p *h2Peer, s uint32) { p.rst(s, codeInternal) }, Unproven},
		{"cancelled by the server", func(p *h2Peer, s uint32) { p.rst(s, codeCancel) }, Unproven},
		{"closed", func(p *h2Peer, s uint32) { p.Close() }, Unproven},
		{"reset", func(p *h2Peer, s uint32) { reset(p.Conn) }, Unproven},
		{"garbage", func(p *h2Peer, s uint32) { _, _ = p.Write([]byte("HTTP/1.1 200 OK\r\n\r\n")) }, Unproven},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent atomic.Int64
			url := startH2(t, func(p *h2Peer, stream uint32, body string) {
				sent.Add(1)
				c.answer(p, stream)
			})
			p := newPool(t, Options{Transport: trusting(), MaxConns: 1})
			for i := range 3 { // the pool must survive it
				req := post(t, url, "x")
				req.Header.Set("Idempotency-Key", "k") // net/http repeats such requests
				resp, proof, err := p.RoundTrip(req)
				require.Nil(t, resp)
				require.Error(t, err)
				require.Equal(t, c.want, proof, "%T: %v", err, err)
				require.EqualValues(t, i+1, sent.Load(), "sends")
			}
		})
	}
}

// A reservation was made, then the server said goodbye.
func TestH2NoStream(t *testing.T) {
	for name, farewell := range map[string]func(p *h2Peer){
		"unusable":      func(p *h2Peer) { p.goAway(0, codeNone) },
		"unestablished": func(p *h2Peer) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			peers := make(chan *h2Peer, 1)
			addr := listen(t, serverTLS("h2"), func(c net.Conn, n int) {
				p := &h2Peer{Conn: c}
				peers <- p
				p.serve(func(*h2Peer, uint32, string) { t.Error("a request arrived") })
			})
			p := newPool(t, Options{Transport: trusting()})
			req := get(t, "https://"+addr)
			c, _, err := p.acquire(t.Context(), originKey{"https", addr})
			require.NoError(t, err)
			farewell(<-peers)
			require.Eventually(t, func() bool { return c.cc.Available() == 0 }, time.Second, time.Millisecond)
			_, proof, err := newAttempt(p, c, req).roundTrip()
			require.Equal(t, NoStream, proof, "%v", err)
			require.Zero(t, p.Stats(), "the dead connection is forgotten")
		})
	}
}

func TestH2BrokenBody(t *testing.T) {
	for name, breakIt := range map[string]func(p *h2Peer, stream uint32){
		"refused after the header": func(p *h2Peer, s uint32) { p.rst(s, codeRefused) },
		"internal error":           func(p *h2Peer, s uint32) { p.rst(s, codeInternal) },
		"closed":                   func(p *h2Peer, s uint32) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			url := startH2(t, func(p *h2Peer, s uint32, _ string) {
				p.status(s, 200, 0)
				p.data(s, 0, "half")
				breakIt(p, s)
			})
			p := newPool(t, Options{Transport: trusting()})
			resp, _, err := p.RoundTrip(get(t, url))
			require.NoError(t, err)
			_ = requireBroken(t, resp, "half")
		})
	}
}

// A request body may fail with the REFUSED_STREAM of another stream, on which
// it is read. That says nothing about ours.
func TestH2ForeignErrorIsNoProof(t *testing.T) {
	url := startH2(t, func(p *h2Peer, s uint32, _ string) { p.status(s, 200, flagEnd) })
	p := newPool(t, Options{Transport: trusting()})
	for _, foreign := range []error{refusedStream{}, errors.New(textGoAway), errors.New(textConnUnusable)} {
		body := &failingBody{err: foreign}
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
		require.NoError(t, err)
		_, proof, err := p.RoundTrip(req)
		require.Equal(t, Unproven, proof)
		var bodyError *RequestBodyError
		require.ErrorAs(t, err, &bodyError)
		require.Equal(t, foreign, bodyError.Err)
		require.EqualValues(t, 1, body.closed.Load())
	}
}

func TestH2CallsShareOneDial(t *testing.T) {
	var conns sync.Map
	var sent atomic.Int64
	url := startH2(t, func(p *h2Peer, s uint32, _ string) {
		conns.Store(p.n, nil)
		sent.Add(1)
		p.status(s, 204, flagEnd)
	})
	p := newPool(t, Options{Transport: trusting()})
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			resp, _, err := p.RoundTrip(get(t, url))
			if err == nil {
				err = resp.Body.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	require.EqualValues(t, 50, sent.Load())
	count := 0
	conns.Range(func(any, any) bool { count++; return true })
	require.Equal(t, 1, count, "connections")
}

// A failed dial fails all that share it, each with the proof of its stage.
func TestH2CallsShareOneFailedDial(t *testing.T) {
	url, _ := startTLS(t, http.NotFoundHandler(), true)
	p := newPool(t, Options{}) // trusts nobody
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if _, proof, err := p.RoundTrip(get(t, url)); proof != TLS || err == nil {
				t.Error(proof, err)
			}
		})
	}
	calls.Wait()
	require.Zero(t, p.Stats())
}

// A connection that drains after GOAWAY has no error and no room. With one
// connection allowed, it must not lock the pool.
func TestH2DrainingConnectionIsReplaced(t *testing.T) {
	var last atomic.Int64
	url := startH2(t, func(p *h2Peer, s uint32, _ string) {
		last.Store(int64(p.n))
		p.goAway(s, codeNone)
		p.status(s, 200, 0)
		p.data(s, flagEnd, "bye")
	})
	p := newPool(t, Options{Transport: trusting(), MaxConns: 1, AcquireTimeout: time.Second})
	for n := range 3 {
		resp, _, err := p.RoundTrip(get(t, url))
		require.NoError(t, err)
		require.Equal(t, "bye", readAll(t, resp))
		require.EqualValues(t, n+1, last.Load())
	}
}
