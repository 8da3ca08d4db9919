package retrytest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
)

// exchange is one request and its answer.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	conn    *conn
	stream  uint32 // 0 over HTTP/1
	request *Request
	taken   bool // the connection was taken from net/http (HTTP/1)
}

// leaveConnection tells the client to send no further request on the connection.
func (x *exchange) leaveConnection() {
	if x.stream == 0 {
		x.w.Header().Set("Connection", "close")
	} else {
		x.conn.goAway(math.MaxInt32, 0)
	}
}

// raw takes an HTTP/1 connection from net/http and writes to it.
func (x *exchange) raw(text string) {
	if !x.taken {
		if _, _, err := x.w.(http.Hijacker).Hijack(); err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
		x.taken = true
	}
	_, _ = io.WriteString(x.conn, text)
}

// head writes a header without the help of net/http, which would send it when it
// sees fit.
func (x *exchange) head(status int, header ...string) {
	if x.stream > 0 {
		x.conn.writeHead(x.stream, status, header)
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", header[i], header[i+1])
	}
	x.raw(b.String() + "\r\n")
}

// data writes a part of a body after head.
func (x *exchange) data(body string) {
	if x.stream > 0 {
		x.conn.writeFrame(frameData, 0, x.stream, []byte(body))
	} else {
		x.raw(body)
	}
}

// hangUp closes the connection, and ends the exchange.
func (x *exchange) hangUp() {
	if x.stream == 0 {
		x.raw("")
	}
	x.conn.Close()
	x.abort()
}

// reset resets the connection, and ends the exchange.
func (x *exchange) reset() {
	if x.stream == 0 {
		x.raw("")
	}
	x.conn.reset()
	x.abort()
}

// wait says nothing until the client gives up.
func (x *exchange) wait() {
	select {
	case <-x.r.Context().Done():
	case <-x.server.done:
	}
	x.abort()
}

// abort ends the exchange without a word from net/http that matters.
func (x *exchange) abort() { panic(http.ErrAbortHandler) }

func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}
