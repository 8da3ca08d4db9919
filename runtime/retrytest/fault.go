package retrytest

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
)

// Fault is what one attempt meets. A healthy answer is one, too.
type Fault struct {
	name string
	// It strikes at one of these places:
	dial     error           // instead of a connection
	accepted func(*conn)     // on a new connection, before TLS
	unread   func(*conn)     // when a request begins to arrive, before it is read
	run      func(*exchange) // when the head of a request was read

	whole bool // run reads the request to its end
	needs needs
}

func (f Fault) String() string { return f.name }

// needs is what a fault wants of the protocol.
type needs uint8

const (
	anyProtocol needs = iota
	needsHTTP1
	needsHTTP2
	needsTLS
)

// unfit tells why a fault cannot happen over a protocol; empty: it can.
func (f Fault) unfit(p Protocol) string {
	switch {
	case f.run == nil && f.unread == nil && f.accepted == nil && f.dial == nil:
		return "is the zero Fault"
	case f.needs == needsHTTP1 && p.isH2():
		return "happens over HTTP/1 only"
	case f.needs == needsHTTP2 && !p.isH2():
		return "happens over HTTP/2 only"
	case f.needs == needsTLS && !p.secure():
		return "happens over TLS only"
	}
	return ""
}

// exchanging is a fault that strikes once the whole request was read.
func exchanging(name string, run func(*exchange)) Fault {
	return Fault{name: name, whole: true, run: func(x *exchange) {
		x.read(-1)
		run(x)
	}}
}

// ReadsWhole reports whether the request is read to its end before the fault
// strikes.
func (f Fault) ReadsWhole() bool { return f.whole }

// StrikesConnection reports whether the fault strikes before a request is read,
// so that nobody can know which.
func (f Fault) StrikesConnection() bool { return f.dial != nil || f.accepted != nil || f.unread != nil }

// Answers.

// Status answers with a status and header fields, names and values in turn.
func Status(status int, header ...string) Fault {
	return Answer(status, "", header...)
}

// JSON answers with a status and a body of type application/json.
func JSON(status int, body string) Fault {
	return Answer(status, body, "Content-Type", "application/json")
}

// Answer answers with a status, a body and header fields, names and values in
// turn.
func Answer(status int, body string, header ...string) Fault {
	return exchanging(fmt.Sprint("Answer ", status), func(x *exchange) {
		for i := 0; i+1 < len(header); i += 2 {
			x.w.Header().Add(header[i], header[i+1])
		}
		x.w.WriteHeader(status)
		_, _ = io.WriteString(x.w, body)
	})
}

// Handle answers as h does.
func Handle(name string, h http.HandlerFunc) Fault {
	return Fault{name: name, run: func(x *exchange) { h(x.w, x.r) }}
}

// After lets interim responses (1xx) come before what then happens.
func After(interim int, then Fault) Fault {
	f := then
	f.name = fmt.Sprintf("%d, then %v", interim, then)
	f.run = func(x *exchange) {
		x.w.WriteHeader(interim)
		then.run(x)
	}
	return f
}

// Doing reads the request to its end and hands it to do before what then happens:
// what a server has done whose answer gets lost.
func Doing(do func(*http.Request), then Fault) Fault {
	f := then
	f.whole = true
	f.run = func(x *exchange) {
		x.read(-1)
		if !x.request.Whole {
			x.abort() // the client has gone
		}
		do(x.r)
		then.run(x)
	}
	return f
}

// ClosingAfter lets the connection end once the request was dealt with, without
// a word of it in the answer: the client takes it for one that it can use again.
// Over HTTP/2 nothing announces it either.
func ClosingAfter(then Fault) Fault {
	f := then
	f.name = fmt.Sprintf("%v, then closing", then)
	f.run = func(x *exchange) {
		x.conn.last.Store(true)
		then.run(x)
	}
	return f
}

// Before a request is read.

// RefuseConnection lets the connect fail, as where nobody listens.
func RefuseConnection() Fault { return Fault{name: "RefuseConnection", dial: syscall.ECONNREFUSED} }

// UnknownHost lets the look-up of the server's name fail: there is none.
func UnknownHost() Fault {
	return Fault{name: "UnknownHost", dial: &net.DNSError{Err: "no such host", Name: serverName, IsNotFound: true}}
}

// DropConnection resets the connection that was just made: over TLS in the middle
// of the handshake, else while the request is on its way.
func DropConnection() Fault { return Fault{name: "DropConnection", accepted: (*conn).reset} }

// BreakHandshake answers the handshake with what is no TLS.
func BreakHandshake() Fault {
	return Fault{name: "BreakHandshake", needs: needsTLS, accepted: func(c *conn) {
		_, _ = io.ReadAtLeast(c.raw, make([]byte, 64), 1)
		_, _ = io.WriteString(c.raw, "HTTP/1.1 400 Bad Request\r\n\r\n")
	}}
}

// CloseUnread closes the connection when a request begins to arrive, and reads
// none of it.
func CloseUnread() Fault {
	return Fault{name: "CloseUnread", unread: func(c *conn) { c.Close() }}
}

// ResetUnread resets the connection when a request begins to arrive, and reads
// none of it.
func ResetUnread() Fault {
	return Fault{name: "ResetUnread", unread: (*conn).reset}
}

// While a request is read.

// CloseHalfRead closes the connection when the head of the request was read, and
// the first byte of its body.
func CloseHalfRead() Fault {
	return Fault{name: "CloseHalfRead", run: func(x *exchange) {
		x.read(1)
		x.hangUp()
	}}
}

// ResetHalfRead resets the connection when the head of the request was read, and
// the first byte of its body.
func ResetHalfRead() Fault {
	return Fault{name: "ResetHalfRead", run: func(x *exchange) {
		x.read(1)
		x.reset()
	}}
}

// AnswerEarly answers before the body of the request was read.
func AnswerEarly(status int) Fault {
	return Fault{name: fmt.Sprint("AnswerEarly ", status), run: func(x *exchange) { x.w.WriteHeader(status) }}
}

// Instead of an answer.

// LoseAnswer reads the request and closes the connection: the server may have
// done what it was asked to.
func LoseAnswer() Fault { return exchanging("LoseAnswer", (*exchange).hangUp) }

// ResetAnswer reads the request and resets the connection.
func ResetAnswer() Fault { return exchanging("ResetAnswer", (*exchange).reset) }

// Hang reads the request and says nothing until the client gives up.
func Hang() Fault { return exchanging("Hang", (*exchange).wait) }

// HangAfter sends the interim response (1xx), and then nothing until the client
// gives up.
func HangAfter(interim int) Fault {
	return exchanging(fmt.Sprintf("HangAfter %d", interim), func(x *exchange) {
		x.w.WriteHeader(interim)
		x.wait()
	})
}

// LoseAfter sends the interim response (1xx), and closes the connection.
func LoseAfter(interim int) Fault {
	return exchanging(fmt.Sprintf("LoseAfter %d", interim), func(x *exchange) {
		x.head(interim)
		x.hangUp()
	})
}

// A head that makes no sense, or that is not whole.

// Raw answers with these bytes in the place of an HTTP/1 response, and closes
// the connection.
func Raw(name, text string) Fault {
	f := exchanging(name, func(x *exchange) {
		x.raw(text)
		x.hangUp()
	})
	f.needs = needsHTTP1
	return f
}

// CutHead answers with this beginning of a response's head, and dies: over TLS,
// too, the connection ends without a word.
func CutHead(beginning string) Fault {
	f := exchanging(fmt.Sprintf("CutHead %q", beginning), func(x *exchange) {
		x.raw(beginning)
		x.conn.raw.Close()
		x.hangUp()
	})
	f.needs = needsHTTP1
	return f
}

// MalformedStatusLine answers with what is no status line.
func MalformedStatusLine() Fault {
	return Raw("MalformedStatusLine", "HTTP/1.1 two hundred\r\n\r\n")
}

// MalformedHeader answers with what is no header field.
func MalformedHeader() Fault {
	return Raw("MalformedHeader", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")
}

// ContradictingLengths answers with two lengths.
func ContradictingLengths() Fault {
	return Raw("ContradictingLengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}")
}

// A body that breaks.

// CutBody answers with a status and half of a body that was announced whole, and
// closes the connection.
func CutBody(status int) Fault {
	return exchanging(fmt.Sprint("CutBody ", status), func(x *exchange) {
		x.head(status, "Content-Type", "application/json", "Content-Length", "100")
		x.data(`{"id":`)
		x.hangUp()
	})
}

// ResetBody is [CutBody] with a reset. What was sent before may get lost, the
// head too.
func ResetBody(status int) Fault {
	return exchanging(fmt.Sprint("ResetBody ", status), func(x *exchange) {
		x.head(status, "Content-Type", "application/json", "Content-Length", "100")
		x.data(`{"id":`)
		x.reset()
	})
}

// CutChunks answers with a status and chunks, and closes the connection before
// the last.
func CutChunks(status int) Fault {
	f := exchanging(fmt.Sprint("CutChunks ", status), func(x *exchange) {
		x.head(status, "Content-Type", "application/json", "Transfer-Encoding", "chunked")
		x.data("6\r\n{\"id\":\r\n")
		x.hangUp()
	})
	f.needs = needsHTTP1
	return f
}

// BrokenChunks answers with a status and chunks of which one makes no sense.
func BrokenChunks(status int) Fault {
	f := exchanging(fmt.Sprint("BrokenChunks ", status), func(x *exchange) {
		x.head(status, "Content-Type", "application/json", "Transfer-Encoding", "chunked")
		x.data("6\r\n{\"id\":\r\nzz\r\n")
		x.hangUp()
	})
	f.needs = needsHTTP1
	return f
}

// HangingBody answers with a status and half of a body, and then nothing until
// the client gives up.
func HangingBody(status int) Fault {
	return exchanging(fmt.Sprint("HangingBody ", status), func(x *exchange) {
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(status)
		_, _ = io.WriteString(x.w, `{"id":`)
		_ = http.NewResponseController(x.w).Flush()
		x.wait()
	})
}

// CutGzip answers with a compressed body that ends too early, though the bytes
// that were announced arrive.
func CutGzip(status int) Fault {
	whole := compressed(`{"id":"` + string(make([]byte, 64)) + `"}`)
	return Answer(status, whole[:len(whole)-8], "Content-Type", "application/json", "Content-Encoding", "gzip").
		named(fmt.Sprint("CutGzip ", status))
}

// BrokenGzip answers with a body that is not compressed, though it says so.
func BrokenGzip(status int) Fault {
	return Answer(status, `{"id":"a"}`, "Content-Type", "application/json", "Content-Encoding", "gzip").
		named(fmt.Sprint("BrokenGzip ", status))
}

// MalformedJSON answers with a whole body that is no JSON.
func MalformedJSON(status int) Fault {
	return JSON(status, `{"id":`).named(fmt.Sprint("MalformedJSON ", status))
}

// HTTP/2.

// Codes of HTTP/2 errors (RFC 9113, section 7).
const (
	NoError        = 0x0
	ProtocolError  = 0x1
	InternalError  = 0x2
	RefusedStream  = 0x7
	Cancel         = 0x8
	EnhanceCalm    = 0xb
	HTTP11Required = 0xd
)

// ResetStream reads the request and resets its stream. With [RefusedStream] the
// server says that it has done nothing.
func ResetStream(code uint32) Fault {
	return onHTTP2(fmt.Sprint("ResetStream ", code), func(x *exchange) {
		x.conn.resetStream(x.stream, code)
		x.abort()
	})
}

// ResetStreamAfterHead answers with the head of a status, and resets the stream.
func ResetStreamAfterHead(status int, code uint32) Fault {
	return onHTTP2(fmt.Sprintf("ResetStreamAfterHead %d %d", status, code), func(x *exchange) {
		x.head(status, "Content-Type", "application/json")
		x.data(`{"id":`)
		x.conn.resetStream(x.stream, code)
		x.abort()
	})
}

// GoAway announces the end of the connection and closes it. If it says that the
// request was processed, it may have been; else it was not.
func GoAway(code uint32, processed bool) Fault {
	return onHTTP2(fmt.Sprintf("GoAway %d, processed %v", code, processed), func(x *exchange) {
		last := x.stream
		if !processed {
			last = x.stream - min(x.stream, 2)
		}
		x.conn.goAway(last, code)
		x.hangUp()
	})
}

// GoAwayAndAnswer announces the end of the connection, and answers what came
// before.
func GoAwayAndAnswer(then Fault) Fault {
	return onHTTP2(fmt.Sprintf("GoAway, then %v", then), func(x *exchange) {
		x.conn.goAway(x.stream, NoError)
		then.run(x)
	})
}

// MalformedFrame breaks the rules of HTTP/2.
func MalformedFrame() Fault {
	return onHTTP2("MalformedFrame", func(x *exchange) {
		x.conn.writeFrame(frameData, 0, 0, []byte("data belongs to a stream"))
		x.wait()
	})
}

func onHTTP2(name string, run func(*exchange)) Fault {
	f := exchanging(name, run)
	f.needs = needsHTTP2
	return f
}

func (f Fault) named(name string) Fault {
	f.name = cmp.Or(name, f.name)
	return f
}
