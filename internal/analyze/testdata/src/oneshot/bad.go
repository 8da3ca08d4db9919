package oneshot

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	bodies "example.com/bodies-by-replayability"
	"example.com/multipart"

	"github.com/retrygen/retrygen/runtime"
)

func file(ctx context.Context, c *bodies.Client, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.PutStream(ctx, f) // want `Client.PutStream reads the file once, and is not repeated after that: let the document say x-replayability: reopenable for this body, and hand over runtime.Seeker\(file\), or a function that opens it`
}

func memory(ctx context.Context, c *bodies.Client, data []byte, text string) error {
	if err := c.PutStream(ctx, bytes.NewReader(data)); err != nil { // want `Client.PutStream reads the \*bytes.Reader once`
		return err
	}
	if err := c.PutStream(ctx, bytes.NewBuffer(data)); err != nil { // want `x-replayability: replayable for this body, and hand over its Bytes`
		return err
	}
	return c.PutMaybeStream(ctx, bufio.NewReader(strings.NewReader(text))) // want `Client.PutMaybeStream reads the \*strings.Reader once`
}

func part(ctx context.Context, c *multipart.Client, f *os.File) error {
	return c.Live(ctx, multipart.LiveReaderForm{
		Data: runtime.FileReader{Name: "live", Reader: f}, // want `the file is read once, and the call is not repeated after that: let the document say x-replayability: reopenable for this part`
	})
}

func stream(f *os.File, text string) []runtime.Body {
	return []runtime.Body{
		runtime.Stream("text/plain", strings.NewReader(text)), // want `runtime.Stream reads the \*strings.Reader once, and the call is not repeated after that: use runtime.Reopen with runtime.Seeker`
		runtime.Stream("text/plain", f),                       // want `runtime.Stream reads the file once`
	}
}

func sameReader(ctx context.Context, c *bodies.Client, r io.Reader) error {
	return c.PutFile(ctx, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }) // want `the opener yields the same reader for every attempt, and the first has read it: open it anew, or use runtime.Seeker`
}

func sameFile(ctx context.Context, c *multipart.Client, f *os.File) error {
	return c.Archive(ctx, multipart.ArchiveForm{
		Data: runtime.FileOpener{Open: func() (io.ReadCloser, error) { return f, nil }}, // want `the opener yields the same reader`
	})
}
