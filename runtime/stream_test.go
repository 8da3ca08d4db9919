package runtime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// streaming sends a line, waits for the signal to send another, and ends well or
// not.
func streaming(more <-chan struct{}, well bool) turn {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "one\n")
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "two\n")
		if !well {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}

func open(ctx context.Context, u *Upstream, op *Operation, o *Outcome) (*StreamResponse, error) {
	return DoStream(ctx, u, op, Request{Path: []string{"/pets"}}, func(r *Response) error { return ReadError[problem](r) },
		[]CallOption{Report(o)})
}

// TestStreamOutlivesDeadline: deadline and attempt timeout end where the stream
// begins (RULE-DEADLINE-2), and until its end it holds its place.
func TestStreamOutlivesDeadline(t *testing.T) {
	more := make(chan struct{})
	server := serve(t, status(503), streaming(more, true))
	limited := contract
	limited.MaxConcurrent, limited.BulkheadAcquireTimeout = 1, time.Millisecond
	u, err := NewUpstream(limited, server.URL, UpstreamConfig{Budget: plenty{}}, nil)
	require.NoError(t, err)
	op := quick(Idempotent)
	op.Deadline, op.AttemptTimeout = 300*time.Millisecond, 200*time.Millisecond

	var o Outcome
	stream, err := open(t.Context(), u, op, &o)
	require.NoError(t, err)
	require.Len(t, o.Attempts, 2)
	require.Equal(t, Executed, o.Effect)
	_, _, err = do(t, u, quick(Idempotent))
	require.Equal(t, "rejected", kind(err), "the stream holds the only place")
	impatient, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, u.Drain(impatient), context.DeadlineExceeded, "the stream is still running")
	close(more)
	data, err := io.ReadAll(stream)
	require.NoError(t, err, "400 ms have passed")
	require.Equal(t, "one\ntwo\n", string(data))
	require.NoError(t, stream.Close())
	require.NoError(t, u.Drain(t.Context()))
}

// TestStreamBreaks: what was delivered is not asked for again (RULE-DECIDE-4).
func TestStreamBreaks(t *testing.T) {
	more := make(chan struct{})
	close(more)
	server := serve(t, streaming(more, false))
	var o Outcome
	stream, err := open(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent), &o)
	require.NoError(t, err)
	_, err = io.ReadAll(stream)
	var broken *TransportError
	require.ErrorAs(t, err, &broken)
	require.Equal(t, PartialResponse, broken.Evidence())
	require.Equal(t, ResponseAlreadyDelivered, broken.Reason)
	require.Equal(t, Executed, broken.Effect)
	require.Equal(t, PartialResponse, stream.call.outcome.Evidence())
	_, again := stream.Read(make([]byte, 1))
	require.Equal(t, err, again)
	require.Len(t, server.read(), 1)
}

func TestStreamIdles(t *testing.T) {
	server := serve(t, streaming(nil, true))
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, StreamIdleTimeout: 50 * time.Millisecond})
	stream, err := open(t.Context(), u, quick(Idempotent), new(Outcome))
	require.NoError(t, err)
	_, err = io.ReadAll(stream)
	require.ErrorIs(t, err, ErrStreamIdle)
	require.NotErrorIs(t, err, context.Canceled)
}

func TestStreamIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user left")
	server := serve(t, streaming(nil, true))
	stream, err := open(ctx, connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent), new(Outcome))
	require.NoError(t, err)
	_, err = io.ReadFull(stream, make([]byte, 4))
	require.NoError(t, err)
	cancel(why)
	_, err = io.ReadAll(stream)
	require.Equal(t, "cancelled", kind(err))
	require.ErrorIs(t, err, why)
}

// TestStreamedCallsFailLikeOthers before their header.
func TestStreamedCallsFailLikeOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		op     *Operation
		steps  []turn
		kind   string
		reason Reason
	}{
		"status":          {quick(Idempotent), []turn{status(404)}, "status", StatusNotRetryable},
		"ambiguous":       {quick(NotIdempotent), []turn{lost}, "ambiguous", NotSafelyIdempotent},
		"attempt timeout": {quick(Idempotent), []turn{hang, hang, hang}, "transport", MaxAttemptsReached},
		"deadline":        {quick(Idempotent), []turn{hang, hang, hang}, "transport", DeadlineTooNear},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, tt.steps...)
			if name == "attempt timeout" {
				tt.op.AttemptTimeout = 30 * time.Millisecond
			}
			if name == "deadline" {
				tt.op.Deadline = 50 * time.Millisecond
			}
			var o Outcome
			stream, err := open(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), tt.op, &o)
			require.Nil(t, stream)
			require.Equal(t, tt.kind, kind(err), "%v", err)
			require.Equal(t, tt.reason, o.Reason)
			require.NotErrorIs(t, err, context.Canceled)
			if name == "status" {
				body, found := ErrorBody[problem](err)
				require.True(t, found)
				require.Equal(t, "no", body.Title)
			}
		})
	}
}
