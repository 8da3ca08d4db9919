package provider

import (
	"net"
	"net/http"
	"time"
)

// Fault is what a request meets. The zero Fault is none.
type Fault struct {
	name string
	acts bool // the message is sent before
	do   func(http.ResponseWriter, *http.Request)
}

func (f Fault) String() string {
	if f.do == nil {
		return "none"
	}
	return f.name
}

var healthy Fault

// Status answers with a status and header fields, names and values in turn.
func Status(status int, header ...string) Fault {
	return Fault{name: http.StatusText(status), do: func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		refuse(w, status, "SIMULATED", "as the script says")
	}}
}

// Acting sends the message before the fault: what it says of the message is not
// true.
func Acting(then Fault) Fault {
	then.acts = true
	return then
}

// Reset ends the connection without an answer: over HTTP/1.1 with a reset
// (ECONNRESET), over HTTP/2 by the end of the stream.
func Reset() Fault {
	return Fault{name: "reset", do: func(w http.ResponseWriter, _ *http.Request) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			panic(http.ErrAbortHandler)
		}
		conn, _, err := hijacker.Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		conn.Close()
	}}
}

// Hang says nothing for so long, or until the client gives up.
func Hang(long time.Duration) Fault {
	return Fault{name: "hang", do: func(_ http.ResponseWriter, r *http.Request) {
		pause(r, long)
		panic(http.ErrAbortHandler)
	}}
}

// Garble answers with a status and a body that is no JSON.
func Garble(status int) Fault {
	return Fault{name: "garbled", do: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("{"))
	}}
}

// pause waits, and reports whether the client has waited, too.
func pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// discard is a client that hears nothing.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
