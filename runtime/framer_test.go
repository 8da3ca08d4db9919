package runtime

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// framer is a server that speaks HTTP/2 frame by frame: net/http's own cannot
// be made to refuse a stream.
type framer struct {
	net.Conn
	answer func(f *framer, stream uint32, body string, ended bool)
}

const (
	frameData, frameHeaders, frameReset, frameSettings, frameGoAway, frameWindow = 0, 1, 3, 4, 7, 8
	refusedStream                                                                = 7
)

func (f *framer) write(kind, flags byte, stream uint32, payload ...byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = binary.BigEndian.AppendUint32(append(head, flags), stream)
	_, _ = f.Write(append(head, payload...))
}

func (f *framer) refuse(stream uint32) { f.write(frameReset, 0, stream, 0, 0, 0, refusedStream) }

// leave says goodbye, gracefully, and names stream 0 as the last processed.
func (f *framer) leave() { f.write(frameGoAway, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }

// grow lets the client send as much again, on the stream and the connection.
func (f *framer) grow(stream, bytes uint32) {
	f.write(frameWindow, 0, stream, binary.BigEndian.AppendUint32(nil, bytes)...)
	f.write(frameWindow, 0, 0, binary.BigEndian.AppendUint32(nil, bytes)...)
}

// ok answers 204 by an entry of HPACK's static table.
func (f *framer) ok(stream uint32) { f.write(frameHeaders, 5, stream, 0x89) }

// serve calls answer whenever a part of a request's body, or its end, arrives.
func (f *framer) serve() {
	if _, err := io.CopyN(io.Discard, f, 24); err != nil { // the preface
		return
	}
	f.write(frameSettings, 0, 0)
	bodies := map[uint32]string{}
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(f, head); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head)>>8)
		if _, err := io.ReadFull(f, payload); err != nil {
			return
		}
		switch stream, ended := binary.BigEndian.Uint32(head[5:]), head[4]&1 != 0; head[3] {
		case frameSettings:
			if !ended { // the same bit means "acknowledged"
				f.write(frameSettings, 1, 0)
			}
		case frameData:
			bodies[stream] += string(payload)
			f.answer(f, stream, bodies[stream], ended)
		case frameHeaders:
			f.answer(f, stream, "", ended)
		}
	}
}

// http2 runs a framer, and gives the transport that trusts it.
func http2(t *testing.T, answer func(f *framer, stream uint32, body string, ended bool)) (string, *http.Transport) {
	t.Helper()
	return secure(t, func(conn *tls.Conn) { (&framer{conn, answer}).serve() })
}

// secure runs a server that offers HTTP/2.
func secure(t *testing.T, serve func(*tls.Conn)) (string, *http.Transport) {
	t.Helper()
	identity := httptest.NewTLSServer(nil)
	identity.Close()
	config := &tls.Config{Certificates: identity.TLS.Certificates, NextProtos: []string{"h2"}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				serve(conn.(*tls.Conn))
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		running.Wait()
	})
	trusting := identity.Client().Transport.(*http.Transport).Clone()
	trusting.ForceAttemptHTTP2 = true
	return "https://" + listener.Addr().String(), trusting
}
