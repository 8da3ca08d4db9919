package runtime

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// closing is a reader that counts how often it was closed.
type closing struct {
	io.Reader
	closed int
}

func (c *closing) Close() error { c.closed++; return nil }

func reopening(text string) Body {
	return Reopen("text/plain", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
}

// TestMultipartIsAsReplayableAsItsWeakestPart (RULE-BODY-WEAKEST).
func TestMultipartIsAsReplayableAsItsWeakestPart(t *testing.T) {
	note := Part{Name: "note", Body: JSON(pet{"rex"})}
	file := Part{Name: "file", Filename: "a.txt", Body: reopening("hello")}
	tests := map[string]struct {
		parts    []Part
		attempts int
		reason   Reason
	}{
		"in memory":                 {[]Part{note, {Name: "file", Filename: "a.txt", Body: Bytes("text/plain", []byte("hello"))}}, 3, NoReason},
		"one part is opened anew":   {[]Part{note, file}, 3, NoReason},
		"one part is read once":     {[]Part{note, {Name: "file", Filename: "a.txt", Body: Stream("text/plain", strings.NewReader("hello"))}}, 1, BodyNotReplayable},
		"read once and opened anew": {[]Part{{Name: "more", Body: Stream("", strings.NewReader("x"))}, file}, 1, BodyNotReplayable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, status(503), status(503))
			var o Outcome
			_, _ = Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent),
				Request{Path: []string{"/pets"}, Body: Multipart(test.parts...)}, readPet, []CallOption{Report(&o)})
			require.Equal(t, test.reason, o.Reason)
			requests := server.read()
			require.Len(t, requests, test.attempts)
			for _, r := range requests {
				require.Equal(t, requests[0].body, r.body)
				require.Equal(t, requests[0].header["Content-Type"], r.header["Content-Type"])
				require.Equal(t, requests[0].header["Content-Length"], r.header["Content-Length"])
			}
		})
	}
}

// TestMultipartOnTheWire: a reader of the standard library finds the parts, and
// no name of one can write a header.
func TestMultipartOnTheWire(t *testing.T) {
	server := serve(t)
	body := Multipart(
		Part{Name: "pet", Body: JSON(pet{"rex"})},
		Part{Name: "plain", Body: Bytes("", []byte("a b"))},
		Part{Name: "empty"},
		Part{Name: `a"b\c` + "\r\nX-Evil: 1", Filename: `d"e` + "\r\n\r\nevil", Body: reopening("hello")},
	)
	_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{}), quick(NotIdempotent),
		Request{Path: []string{"/pets"}, Body: body}, readPet, nil)
	require.NoError(t, err)

	request := server.read()[0]
	kind, params, err := mime.ParseMediaType(request.header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	reader := multipart.NewReader(strings.NewReader(request.body), params["boundary"])
	want := []struct {
		contentType, content string
		headers              int
	}{{"application/json", `{"name":"rex"}`, 2}, {"", "a b", 1}, {"", "", 1}, {"text/plain", "hello", 2}}
	names := []string{"pet", "plain", "empty", ""}
	for i, w := range want {
		part, err := reader.NextPart()
		require.NoError(t, err)
		require.Equal(t, w.contentType, part.Header.Get("Content-Type"))
		require.Len(t, part.Header, w.headers)
		if names[i] != "" {
			require.Equal(t, names[i], part.FormName())
			require.Empty(t, part.FileName())
		}
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		require.Equal(t, w.content, string(content))
	}
	_, err = reader.NextPart()
	require.ErrorIs(t, err, io.EOF)
}

// TestMultipartThatCannotBeSent: nothing of it is sent, and what was opened is
// closed.
func TestMultipartThatCannotBeSent(t *testing.T) {
	tests := map[string]struct {
		part Part
		says string
	}{
		"a value without encoding": {Part{Name: "bad", Body: JSON(func() {})}, `part "bad": the body cannot be encoded as JSON`},
		"without a reader":         {Part{Name: "bad", Body: Stream("text/plain", nil)}, `part "bad": the body has no reader`},
		"without an opener":        {Part{Name: "bad", Body: Reopen("text/plain", nil)}, `part "bad": the body has no function that opens it`},
		"a line break in the type": {Part{Name: "bad", Body: Bytes("text/plain\r\nX-Evil: 1", nil)}, `part "bad": the content type has a line break`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			first := &closing{Reader: strings.NewReader("hello")}
			_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{}), quick(NotIdempotent),
				Request{Path: []string{"/pets"}, Body: Multipart(Part{Name: "first", Body: Stream("", first)}, test.part)}, readPet, nil)
			require.ErrorContains(t, err, test.says)
			require.ErrorAs(t, err, new(*RejectedError))
			require.Empty(t, server.read())
			require.Equal(t, 1, first.closed)
		})
	}
}

// TestMultipartPartThatDoesNotOpenAgain ends the call before anything more is
// sent, and keeps the earlier evidence (RULE-BODY-REOPEN).
func TestMultipartPartThatDoesNotOpenAgain(t *testing.T) {
	server := serve(t, status(503))
	gone := errors.New("the file is gone")
	times := 0
	other := &closing{Reader: strings.NewReader("x")}
	parts := []Part{
		{Name: "other", Body: Reopen("", func() (io.ReadCloser, error) { return other, nil })},
		{Name: "file", Body: Reopen("", func() (io.ReadCloser, error) {
			if times++; times > 1 {
				return nil, gone
			}
			return io.NopCloser(strings.NewReader("hello")), nil
		})},
	}
	_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent),
		Request{Path: []string{"/pets"}, Body: Multipart(parts...)}, readPet, nil)
	require.ErrorIs(t, err, gone)
	o, _ := OutcomeOf(err)
	require.Equal(t, PermanentFailure, o.Reason)
	require.Equal(t, 503, o.Attempts[0].Status)
	require.Len(t, server.read(), 1)
	require.Equal(t, 2, other.closed)
}

// TestMultipartIsSafeToShare: calls at the same time do not disturb each other.
func TestMultipartIsSafeToShare(t *testing.T) {
	server := serve(t)
	u := connect(t, server.URL, UpstreamConfig{})
	body := Multipart(Part{Name: "pet", Body: JSON(pet{"rex"})}, Part{Name: "file", Body: reopening("hello")})
	errs := make(chan error)
	for range 8 {
		go func() {
			_, err := Do(t.Context(), u, quick(NotIdempotent), Request{Path: []string{"/pets"}, Body: body}, readPet, nil)
			errs <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
	for _, r := range server.read() {
		require.Equal(t, server.read()[0].body, r.body)
	}
}
