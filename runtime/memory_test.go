package runtime

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	goroutines "runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
)

// TestFailuresLeaveNoMemory: a hundred thousand calls that fail under one
// context that lives on leave the heap as it was.
func TestFailuresLeaveNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{RoundTripper: answering(
			func(*http.Request) (int, http.Header, io.Reader) {
				switch n++; n % 4 {
				case 0:
					return 0, nil, nil // reset
				case 1:
					return 200, http.Header{}, io.MultiReader(http.NoBody, failing{})
				case 2:
					return 404, http.Header{}, http.NoBody
				}
				return 503, http.Header{}, http.NoBody
			})}, nil)
		require.NoError(t, err)
		refused := errors.New("refused")
		dead, err := NewUpstream(contract, "http://dead.test", UpstreamConfig{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused },
		}}, nil)
		require.NoError(t, err)
		fail := func(calls int) (objects, bytes uint64) {
			for i := range calls {
				op, at := quick(Idempotency(i%4)), u
				op.AttemptTimeout = time.Second
				if i%10 == 0 {
					at = dead
				}
				_ = exec(ctx, at, op, new(Outcome))
			}
			goroutines.GC()
			goroutines.GC()
			var m goroutines.MemStats
			goroutines.ReadMemStats(&m)
			return m.HeapObjects, m.HeapInuse
		}
		objects, bytes := fail(1000)
		after, inUse := fail(100_000)
		require.Less(t, after, objects+5000)
		require.Less(t, inUse, 2*bytes+4<<20)
	})
}

// TestErrorsKeepNoCall: whoever keeps an error, or a report, keeps neither the
// request's body nor anything else of the call.
func TestErrorsKeepNoCall(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx    context.Context
		status int
		call   func(context.Context, *Upstream, Request, *Outcome) error
	}{
		"success, reported": {t.Context(), 200, execRequest},
		"status":            {t.Context(), 404, execRequest},
		"ambiguous":         {t.Context(), 503, execRequest},
		"cancelled":         {cancelled, 200, execRequest},
		"broken stream":     {t.Context(), 200, breakStream},
	} {
		t.Run(name, func(t *testing.T) {
			u := connect(t, "http://pets.test", UpstreamConfig{Budget: plenty{}, RoundTripper: answering(
				func(*http.Request) (int, http.Header, io.Reader) {
					return tt.status, http.Header{}, failing{ends: name != "broken stream"}
				})})
			kept := struct {
				err     error
				outcome Outcome
			}{}
			body := func() weak.Pointer[byte] {
				data := make([]byte, 1<<20)
				kept.err = tt.call(tt.ctx, u, Request{Path: []string{"/pets"}, Body: Bytes("text/plain", data)}, &kept.outcome)
				return weak.Make(&data[0])
			}()
			require.Equal(t, name == "success, reported", kept.err == nil)
			require.Eventually(t, func() bool {
				goroutines.GC()
				return body.Value() == nil
			}, 5*time.Second, time.Millisecond, "the body is kept")
			goroutines.KeepAlive(&kept)
		})
	}
}

func execRequest(ctx context.Context, u *Upstream, request Request, o *Outcome) error {
	return Exec(ctx, u, quick(NotIdempotent), request, func(*Response) error { return nil }, []CallOption{Report(o)})
}

func breakStream(ctx context.Context, u *Upstream, request Request, _ *Outcome) error {
	stream, err := DoStream(ctx, u, quick(NotIdempotent), request, nil, nil)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(stream)
	return err
}

// failing is a body that breaks, or ends.
type failing struct{ ends bool }

func (f failing) Read([]byte) (int, error) {
	if f.ends {
		return 0, io.EOF
	}
	return 0, errors.New("reset")
}
