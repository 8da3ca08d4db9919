package pool

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// failingBody gives a few bytes and then an error.
type failingBody struct {
	bytes  string
	err    error
	closed atomic.Int64
}

func (b *failingBody) Read(p []byte) (int, error) {
	if n := copy(p, b.bytes); n > 0 {
		b.bytes = b.bytes[n:]
		return n, nil
	}
	return 0, b.err
}

func (b *failingBody) Close() error { b.closed.Add(1); return nil }

// requireBroken reads a body that must break after some bytes.
func requireBroken(t *testing.T, resp *http.Response, want string) *BodyError {
	got, err := io.ReadAll(resp.Body)
	require.Equal(t, want, string(got))
	var broken *BodyError
	require.ErrorAs(t, err, &broken)
	require.NoError(t, resp.Body.Close())
	return broken
}
