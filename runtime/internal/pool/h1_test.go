package pool

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// answering reads one request after the other and answers with raw text; an
// empty answer closes the connection.
func answering(answers ...string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		r := bufio.NewReader(c)
		for _, answer := range answers {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			if req.Header.Get("Expect") == "" {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			if answer == "" {
				return
			}
			_, _ = io.WriteString(c, answer)
		}
		_, _ = io.Copy(io.Discard, r)
	}
}

func TestH1FailuresAfterTheRequestProveNothing(t *testing.T) {
	for name, serve := range map[string]func(net.Conn, int){
		"closed":               answering(""),
		"reset":                func(c net.Conn, _ int) { _, _ = http.ReadRequest(bufio.NewReader(c)); reset(c) },
		"1xx, then closed":     answering("HTTP/1.1 103 Early Hints\r\n\r\n", ""),
		"garbage":              answering("SSH-2.0-OpenSSH_9.9\r\n\r\n"),
		"half a response head": func(c net.Conn, n int) { answering("HTTP/1.1 200 OK\r\nContent-Le")(c, n) },
	} {
		for scheme, config := range map[string]bool{"http": false, "https": true} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				if name == "1xx, then closed" || name == "half a response head" {
					serve = closing(serve)
				}
				secure := serverTLS("http/1.1")
				if !config {
					secure = nil
				}
				var conns atomic.Int64
				addr := listen(t, secure, func(c net.Conn, n int) { conns.Add(1); serve(c, n) })
				p := newPool(t, Options{Transport: trusting()})
				_, proof, err := p.RoundTrip(get(t, scheme+"://"+addr))
				require.Error(t, err)
				require.Equal(t, Unproven, proof, "%v", err)
				require.EqualValues(t, 1, conns.Load())
				require.Zero(t, p.Stats())
			})
		}
	}
}

// closing ends a connection as soon as the client waits for more than it got.
func closing(serve func(net.Conn, int)) func(net.Conn, int) {
	return func(c net.Conn, n int) {
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		serve(c, n)
	}
}

// A connection that was fine for one request fails the next before its first
// byte, or after some.
func TestH1ZeroBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		written int // of the second request
		want    Proof
	}{
		{"no byte", 0, ZeroBytes},
		{"one byte", 1, Unproven},
		{"all bytes", 1 << 20, Unproven},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := listen(t, nil, answering("HTTP/1.1 204 No Content\r\n\r\n")) // the second request gets none
			var broken atomic.Bool
			transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				nc, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &brokenPipe{Conn: nc, broken: &broken, admits: c.written}, err
			}}
			p := newPool(t, Options{Transport: transport})
			resp, _, err := p.RoundTrip(get(t, "http://"+addr))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())

			broken.Store(true)
			body := &failingBody{err: io.EOF, bytes: "x"}
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, body)
			require.NoError(t, err)
			_, proof, err := p.RoundTrip(req)
			// net/http's two loops race for the error: the pipe broke, or its
			// reader saw the connection closed. The proof is the gate's own.
			require.Error(t, err)
			require.Equal(t, c.want, proof, "%v", err)
			require.EqualValues(t, 1, body.closed.Load())
			require.Zero(t, p.Stats(), "a sealed connection must not come back")
		})
	}
}

// brokenPipe admits a few bytes once it is broken, and fails.
type brokenPipe struct {
	net.Conn
	broken *atomic.Bool
	admits int
}

func (c *brokenPipe) Write(b []byte) (int, error) {
	if !c.broken.Load() {
		return c.Conn.Write(b)
	}
	n, _ := c.Conn.Write(b[:min(c.admits, len(b))])
	return n, syscall.EPIPE
}

func TestH1BrokenBody(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	for name, answer := range map[string]string{
		"short length":  head + "Content-Length: 10\r\n\r\nhalf",
		"cut chunk":     head + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n9\r\n",
		"invalid chunk": head + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			addr := listen(t, nil, answering(answer, ""))
			if name != "invalid chunk" {
				addr = listen(t, nil, closing(answering(answer, "")))
			}
			p := newPool(t, Options{})
			resp, _, err := p.RoundTrip(get(t, "http://"+addr))
			require.NoError(t, err)
			_ = requireBroken(t, resp, "half")
			require.Zero(t, p.Stats())
		})
	}
}

func TestH1Timeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := servePipes(t, false, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				_, _ = io.WriteString(w, "half")
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
		transport.ResponseHeaderTimeout = 30 * time.Second
		p := newPool(t, Options{Transport: transport})

		start := time.Now()
		_, proof, err := p.RoundTrip(get(t, "http://pipe/header"))
		require.Error(t, err)
		require.Equal(t, Unproven, proof)
		require.Equal(t, 30*time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		resp, _, err := p.RoundTrip(get(t, "http://pipe/body").WithContext(ctx))
		require.NoError(t, err)
		require.ErrorIs(t, requireBroken(t, resp, "half"), context.DeadlineExceeded)
		require.Zero(t, p.Stats())
		p.Close()
	})
}

func TestH1Responses(t *testing.T) {
	for _, c := range []struct {
		name, method, answer string
		status               int
		body                 string
		kept                 bool // the connection can be used again
	}{
		{"whole", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", 200, "body", true},
		{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", 200, "body", true},
		{"none", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", true},
		{"head", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", 200, "", true},
		{"after 1xx", "GET", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true},
		{"closing", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false},
		{"gzip is left alone", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nzz", 200, "zz", true},
		{"redirect is left alone", "GET", "HTTP/1.1 307 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 307, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := listen(t, nil, answering(c.answer))
			p := newPool(t, Options{})
			req := get(t, "http://"+addr)
			req.Method = c.method
			resp, proof, err := p.RoundTrip(req)
			require.NoError(t, err)
			require.False(t, proof.Unsent())
			require.Equal(t, c.status, resp.StatusCode)
			require.Equal(t, c.body, readAll(t, resp))
			want := Stats{}
			if c.kept {
				want = Stats{Open: 1, Idle: 1}
			}
			require.Equal(t, want, p.Stats())
		})
	}
}

func TestH1BodyClosedEarly(t *testing.T) {
	addr := listen(t, nil, answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"))
	p := newPool(t, Options{})
	resp, _, err := p.RoundTrip(get(t, "http://"+addr))
	require.NoError(t, err)
	require.Equal(t, Stats{Open: 1, InUse: 1}, p.Stats())
	require.NoError(t, resp.Body.Close())
	require.NoError(t, resp.Body.Close())
	require.Zero(t, p.Stats(), "half a response is left on the connection")
	_, err = resp.Body.Read(make([]byte, 1))
	var broken *BodyError
	require.False(t, errors.As(err, &broken), "the reader's own mistake: %v", err)
}

func TestH1ExpectContinue(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		status       int
		read         bool
	}{
		{"refused", "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 417, false},
		{"continued", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := listen(t, nil, answering(c.answer))
			p := newPool(t, Options{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}})
			body := &failingBody{bytes: "body", err: io.EOF}
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, body)
			require.NoError(t, err)
			req.Header.Set("Expect", "100-continue")
			resp, _, err := p.RoundTrip(req)
			require.NoError(t, err)
			require.Equal(t, c.status, resp.StatusCode)
			require.Empty(t, readAll(t, resp))
			require.Eventually(t, func() bool { return body.closed.Load() == 1 }, time.Second, time.Millisecond)
			require.Equal(t, c.read, body.bytes == "")
		})
	}
}

// The server answers before it has read the body, and hangs up. Whether the
// answer is seen is a race; that it is never called unsent is not.
func TestH1EarlyAnswer(t *testing.T) {
	addr := listen(t, nil, func(c net.Conn, _ int) {
		_, _ = bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	})
	p := newPool(t, Options{})
	for range 50 {
		body := &failingBody{bytes: strings.Repeat("x", 1<<20), err: io.EOF}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, body)
		require.NoError(t, err)
		resp, proof, err := p.RoundTrip(req)
		require.False(t, proof.Unsent())
		if err == nil {
			require.Equal(t, 413, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
		}
		require.Eventually(t, func() bool { return body.closed.Load() == 1 }, time.Second, time.Millisecond)
	}
}

func TestH1RequestBodyFails(t *testing.T) {
	addr := listen(t, nil, answering("HTTP/1.1 204 No Content\r\n\r\n"))
	p := newPool(t, Options{})
	boom := errors.New("boom")
	body := &failingBody{bytes: "half", err: boom}
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, body)
	require.NoError(t, err)
	_, proof, err := p.RoundTrip(req)
	require.Equal(t, Unproven, proof, "the header left with the first bytes")
	require.ErrorIs(t, err, boom)
	var bodyError *RequestBodyError
	require.ErrorAs(t, err, &bodyError)
	require.EqualValues(t, 1, body.closed.Load())
}

// With TLS 1.3 the server refuses a client certificate after the handshake has
// succeeded for the client: the request may be on its way, unless the refusal
// came before its first byte. The handshake is no proof.
func TestClientCertificateRefused(t *testing.T) {
	config := serverTLS("http/1.1")
	config.ClientAuth = tls.RequireAnyClientCert
	addr := listen(t, config, func(net.Conn, int) {})
	p := newPool(t, Options{Transport: trusting()})
	_, proof, err := p.RoundTrip(get(t, "https://"+addr))
	require.Error(t, err)
	require.Contains(t, []Proof{Unproven, ZeroBytes}, proof)
}

// noTLS is a proxy that tunnels to a server without TLS.
func noTLS(c net.Conn, _ int) {
	r := bufio.NewReader(c)
	_, _ = http.ReadRequest(r)
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	_, _ = r.ReadByte()
	_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
}

func TestProxy(t *testing.T) {
	connect := func(answer string) string { return listen(t, nil, answering(answer)) }
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, refused.Close())
	for _, c := range []struct {
		name, proxy, url string
		want             Proof
	}{
		{"CONNECT refused", connect("HTTP/1.1 503 Nope\r\n\r\n"), "https://a.test", Proxy},
		{"CONNECT closed", connect(""), "https://a.test", Proxy},
		{"down", refused.Addr().String(), "https://a.test", Proxy},
		{"TLS through it", listen(t, nil, noTLS), "https://a.test", TLS},
		{"plain, closed", connect(""), "http://a.test", Unproven},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPool(t, Options{Transport: &http.Transport{Proxy: via(c.proxy)}})
			_, proof, err := p.RoundTrip(get(t, c.url))
			require.Error(t, err)
			require.Equal(t, c.want, proof, "%v", err)
		})
	}
	t.Run("plain, answered", func(t *testing.T) {
		p := newPool(t, Options{Transport: &http.Transport{Proxy: via(connect("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"))}})
		resp, _, err := p.RoundTrip(get(t, "http://a.test"))
		require.NoError(t, err)
		require.Equal(t, 502, resp.StatusCode)
		require.Empty(t, readAll(t, resp))
	})
	t.Run("not known", func(t *testing.T) {
		fail := func(*http.Request) (*url.URL, error) { return nil, errors.New("no proxy for you") }
		p := newPool(t, Options{Transport: &http.Transport{Proxy: fail}})
		_, proof, err := p.RoundTrip(get(t, "http://a.test"))
		require.EqualError(t, err, "no proxy for you")
		require.Equal(t, Proxy, proof)
	})
	t.Run("chosen by host and port", func(t *testing.T) {
		var asked []string
		choose := func(r *http.Request) (*url.URL, error) {
			asked = append(asked, r.URL.Host, r.Host)
			return nil, errors.New("enough")
		}
		p := newPool(t, Options{Transport: &http.Transport{Proxy: choose}})
		_, _, err := p.RoundTrip(get(t, "http://a.test:8080/x"))
		require.Error(t, err)
		require.Equal(t, []string{"a.test:8080", "a.test:8080"}, asked)
	})
}

func via(addr string) func(*http.Request) (*url.URL, error) {
	return http.ProxyURL(&url.URL{Scheme: "http", Host: addr})
}

func TestInvalidRequestsTakeNoConnection(t *testing.T) {
	dials := 0
	p := newPool(t, Options{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, errors.New("dialed")
	}}})
	for name, spoil := range map[string]func(*http.Request){
		"no URL":           func(r *http.Request) { r.URL = nil },
		"scheme":           func(r *http.Request) { r.URL.Scheme = "ftp" },
		"no host":          func(r *http.Request) { r.URL.Host = "" },
		"host with space":  func(r *http.Request) { r.URL.Host = "a b" },
		"host not ASCII":   func(r *http.Request) { r.URL.Host = "bücher.test" },
		"Host header":      func(r *http.Request) { r.Host = "a\r\nX: y" },
		"opaque":           func(r *http.Request) { r.URL.Opaque = "x" },
		"relative path":    func(r *http.Request) { r.URL.Path = "pets" },
		"query":            func(r *http.Request) { r.URL.RawQuery = "a=b c" },
		"query with break": func(r *http.Request) { r.URL.RawQuery = "a=b\r\nX: y" },
		"nil header":       func(r *http.Request) { r.Header = nil },
		"method":           func(r *http.Request) { r.Method = "GET /" },
		"length, no body":  func(r *http.Request) { r.Body, r.ContentLength = nil, 4 },
		"trailer value":    func(r *http.Request) { r.Trailer = http.Header{"X": {"a\x00b"}} },
	} {
		t.Run(name, func(t *testing.T) {
			body := &failingBody{err: io.EOF}
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://a.test/", body)
			require.NoError(t, err)
			spoil(req)
			_, proof, err := p.RoundTrip(req)
			require.Error(t, err)
			require.Equal(t, NotStarted, proof)
			require.Zero(t, dials)
			if req.Body != nil {
				require.EqualValues(t, 1, body.closed.Load())
			}
		})
	}
	valid := get(t, "http://a.test/x?a=%20b")
	valid.Header.Set("X", "tab\tand \u00fc")
	valid.Header.Set("Connection", "close")
	_, proof, err := p.RoundTrip(valid)
	require.EqualError(t, err, "dialed")
	require.Equal(t, Dial, proof)
}

func TestCheckHeader(t *testing.T) {
	for want, header := range map[string]http.Header{
		`"a b" is not a header name`:                        {"a b": {"x"}},
		`"" is not a header name`:                           {"": {"x"}},
		"header X has a control character in its value":     {"X": {"fine", "secret\nb"}},
		"the header Upgrade cannot be set":                  {"Upgrade": {"websocket"}},
		"the header Transfer-Encoding cannot be set":        {"Transfer-Encoding": {"gzip"}},
		"the header Connection must be close or keep-alive": {"Connection": {"X-Secret"}},
	} {
		require.EqualError(t, CheckHeader(header), want)
	}
	require.NoError(t, CheckHeader(http.Header{"X": {"tab\tand \u00fc"}, "Connection": {"close", "Keep-Alive"}}))
}

func TestAddress(t *testing.T) {
	for _, c := range [][3]string{
		{"http", "a.test", "a.test:80"},
		{"https", "a.test", "a.test:443"},
		{"https", "a.test:8443", "a.test:8443"},
		{"http", "[::1]", "[::1]:80"},
		{"http", "[::1]:81", "[::1]:81"},
	} {
		require.Equal(t, c[2], address(c[0], c[1]))
	}
}

func TestProofStrings(t *testing.T) {
	seen := map[string]bool{}
	for p := Unproven; p <= NoStream; p++ {
		require.False(t, seen[p.String()], p.String())
		seen[p.String()] = true
		require.Equal(t, p != Unproven, p.Unsent(), fmt.Sprint(p))
	}
}
