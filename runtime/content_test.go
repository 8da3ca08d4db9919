package runtime

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestContentTypesAreCompared as what they are: parsed, without case, and without
// parameters that nobody documents. What fits none is taken for the first.
func TestContentTypesAreCompared(t *testing.T) {
	for _, test := range []struct {
		actual     string
		documented []string
		want       string
	}{
		{"application/json", []string{"application/json", "application/problem+json"}, "application/json"},
		{"Application/Problem+JSON; charset=utf-8", []string{"application/json", "application/problem+json"}, "application/problem+json"},
		{"application/problem+json", []string{"application/json", `Application/Problem+JSON;charset="UTF-8"`}, `Application/Problem+JSON;charset="UTF-8"`},
		{"application/vnd.else+json", []string{"application/json", "application/problem+json"}, "application/json"},
		{"", []string{"application/json", "*/*"}, "application/json"},
		{"application/json; version=2", []string{"application/json", "application/json; version=2"}, "application/json; version=2"},
		{"application/json; version=3", []string{"application/json; version=2", "application/json"}, "application/json"},
		{"application/json;simple", []string{"application/json", "application/json;simple"}, "application/json;simple"},
		{"application/hal+json", []string{"text/csv", "application/*+json"}, "application/*+json"},
		{"application/hal+xml", []string{"text/csv", "application/*+json"}, "text/csv"},
		{"image/png", []string{"text/csv", "image/*"}, "image/*"},
		{"image/png", []string{"*/*", "image/png"}, "image/png"},
		{"imagery/png", []string{"text/csv", "image/*"}, "text/csv"},
	} {
		r := Response{Header: http.Header{"Content-Type": {test.actual}}}
		require.Equal(t, test.want, r.Documented(test.documented...), "%+v", test)
	}
}

// TestStreamThatIsNone: a documented answer in place of a stream is read whole, is
// no success, and holds nothing when the call has ended.
func TestStreamThatIsNone(t *testing.T) {
	answer := func(kind string) turn {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, `{"title":"x"}`)
		}
	}
	server := serve(t, answer("application/json; charset=utf-8"), answer("text/csv"), answer("application/json"))
	limited := contract
	limited.MaxConcurrent = 1
	u, err := NewUpstream(limited, server.URL, UpstreamConfig{}, nil)
	require.NoError(t, err)
	read := func(r *Response) error { return ReadOther[problem](r) }
	call := func() (*StreamResponse, error) {
		return DoStream(t.Context(), u, quick(NotIdempotent), Request{Path: []string{"/pets"}, Whole: []string{"application/json"}}, read, nil)
	}
	_, err = call()
	var malformed *MalformedError
	require.ErrorAs(t, err, &malformed)
	require.Equal(t, Executed, malformed.Effect)
	require.Equal(t, `{"title":"x"}`, string(malformed.Body))
	decoded, ok := ErrorBody[problem](err)
	require.True(t, ok)
	require.Equal(t, "x", decoded.Title)

	stream, err := call()
	require.NoError(t, err, "the first holds no place")
	require.NoError(t, stream.Close())

	read = func(*Response) error { return nil }
	_, err = call()
	require.ErrorAs(t, err, &malformed, "whatever its reader says, there is no stream")
	require.NoError(t, u.Drain(t.Context()))
}

// FuzzContentTypes: no content type is a failure.
func FuzzContentTypes(f *testing.F) {
	f.Add("application/json; a=b", "*/*")
	f.Add("a/b+json", "a/*+json")
	f.Fuzz(func(t *testing.T, actual, documented string) {
		r := Response{Header: http.Header{"Content-Type": {actual}}}
		require.Contains(t, []string{"first", documented}, r.Documented("first", documented))
	})
}
