package oneshot

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"

	bodies "example.com/bodies-by-replayability"

	"github.com/retrygen/retrygen/runtime"
)

// What comes in can be read once only.
func proxied(c *bodies.Client, r *http.Request) error {
	return c.PutStream(r.Context(), r.Body)
}

func unknown(ctx context.Context, c *bodies.Client, r io.Reader) error {
	return c.PutStream(ctx, r)
}

func standardInput(ctx context.Context, c *bodies.Client) error {
	return c.PutStream(ctx, os.Stdin)
}

func opened(ctx context.Context, c *bodies.Client, name string, f *os.File, data []byte) error {
	if err := c.PutFile(ctx, runtime.Seeker(f)); err != nil {
		return err
	}
	if err := c.PutFile(ctx, func() (io.ReadCloser, error) { return os.Open(name) }); err != nil {
		return err
	}
	return c.PutFile(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

func rewound(ctx context.Context, c *bodies.Client, f *os.File) error {
	return c.PutFile(ctx, func() (io.ReadCloser, error) {
		_, err := f.Seek(0, io.SeekStart)
		return io.NopCloser(f), err
	})
}
