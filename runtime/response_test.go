package runtime

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	goroutines "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBodiesOfFailuresAreClosed: a thousand calls that are told no, with a body,
// use one connection and leave no goroutine (RULE-BACKOFF-5).
func TestBodiesOfFailuresAreClosed(t *testing.T) {
	var dials atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<10))
	}))
	defer server.Close()
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, Transport: &http.Transport{DialContext: dial}})
	op := quick(Idempotent)
	op.BackoffMax = time.Millisecond
	require.Error(t, exec(t.Context(), u, op, new(Outcome)), "the connection is warm")
	before := goroutines.NumGoroutine()
	for range 1000 {
		require.Equal(t, "status", kind(exec(t.Context(), u, op, new(Outcome), MaxAttempts(2))))
	}
	require.EqualValues(t, 1, dials.Load())
	require.Eventually(t, func() bool {
		return goroutines.NumGoroutine() <= before+1 // Eventually has one of its own
	}, 5*time.Second, time.Millisecond)
}

// TestHugeErrorBodyIsNotDrained: beyond what is kept of it, the connection is
// closed instead.
func TestHugeErrorBodyIsNotDrained(t *testing.T) {
	var sent atomic.Int64
	done := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(done)
		w.WriteHeader(503)
		part := make([]byte, 1<<20)
		for range 64 {
			n, err := w.Write(part)
			if err != nil {
				return
			}
			sent.Add(int64(n))
		}
	})
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
	op := quick(Idempotent)
	op.Deadline = NoDeadline // whose end would close the connection too
	_, o, err := do(t, u, op, MaxAttempts(1))
	var failed *StatusError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Body, maxErrorBytes)
	require.Equal(t, ResponseReceived, o.Evidence())
	requireEmpty(t, u)
	<-done
	require.Less(t, sent.Load(), int64(64<<20), "the server could not send all of it")
}

// TestReadJSONTypes: whatever T is, null is none of it, and the rest is decoded.
func TestReadJSONTypes(t *testing.T) {
	type dog struct {
		Name string `json:"name"`
	}
	type ref *dog // a pointer with a name of its own
	answer := &Response{Body: []byte(`{"name":"Rex"}`)}
	pointer, err := ReadJSON[*dog](answer)
	require.NoError(t, err)
	require.Equal(t, &dog{"Rex"}, pointer)
	value, err := ReadJSON[dog](answer)
	require.NoError(t, err)
	require.Equal(t, dog{"Rex"}, value)
	named, err := ReadJSON[ref](answer)
	require.NoError(t, err)
	require.Equal(t, ref(&dog{"Rex"}), named)

	null := &Response{Body: []byte("null")}
	_, err = ReadJSON[*dog](null)
	require.EqualError(t, err, "the body is null")
	pointer, err = ReadNullableJSON[*dog](null)
	require.NoError(t, err)
	require.Nil(t, pointer)
}
