package runtime

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime/wire"
)

type upload struct {
	File   File           `json:"file"`
	Again  *FileOpener    `json:"again,omitzero"`
	Once   []FileReader   `json:"once,omitzero"`
	Text   string         `json:"text"`
	List   []string       `json:"list,omitzero"`
	Data   map[string]int `json:"data,omitzero"`
	Hidden string         `json:"-"`
	Number float64        `json:"number,omitzero"`
	Extra  map[string]any `json:"-" wire:"extra"`
}

func whole(t *testing.T, b Body) string {
	t.Helper()
	require.NoError(t, b.encode())
	r, err := b.attempt()
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	_, boundary, _ := strings.Cut(b.contentType, "boundary=")
	return strings.ReplaceAll(string(data), boundary, "B")
}

func TestMultipartForm(t *testing.T) {
	form := &upload{
		File: File{Data: []byte("f")}, Text: "t", List: []string{"a", "b"}, Data: map[string]int{"k": 1}, Hidden: "h",
		Extra: map[string]any{"z": 1, "y": nil, "x": "s"},
	}
	b := MultipartForm("multipart/mixed", form, wire.Typed("application/json", "list"), wire.Typed("image/*", "file"))
	require.Equal(t, Replayable, b.replayability)
	require.True(t, strings.HasPrefix(b.contentType, "multipart/mixed; boundary="))
	require.Equal(t, strings.Join([]string{
		"--B", `Content-Disposition: form-data; name="file"; filename="file"`, "Content-Type: application/octet-stream", "", "f",
		"--B", `Content-Disposition: form-data; name="text"`, "", "t",
		"--B", `Content-Disposition: form-data; name="list"`, "Content-Type: application/json", "", `["a","b"]`,
		"--B", `Content-Disposition: form-data; name="data"`, "Content-Type: application/json", "", `{"k":1}`,
		"--B", `Content-Disposition: form-data; name="x"`, "", "s",
		"--B", `Content-Disposition: form-data; name="z"`, "", "1",
		"--B--", "",
	}, "\r\n"), whole(t, b))
}

// TestMultipartFormReplayability is that of the weakest part (RULE-BODY-WEAKEST).
func TestMultipartFormReplayability(t *testing.T) {
	again := &FileOpener{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("o")), nil }}
	once := []FileReader{{Reader: strings.NewReader("r")}}
	require.Equal(t, Reopenable, MultipartForm("multipart/form-data", upload{Again: again}).replayability)
	b := MultipartForm("multipart/form-data", upload{Again: again, Once: once})
	require.Equal(t, OneShot, b.replayability)
	require.Contains(t, whole(t, b), "\r\n\r\no\r\n")
}

// TestMultipartFormThatIsNone is refused when the call begins.
func TestMultipartFormThatIsNone(t *testing.T) {
	for want, form := range map[string]any{
		`part "number": json: unsupported value: NaN`:          upload{Number: math.NaN()},
		"string is no struct, which a multipart form must be":  "text",
		"invalid is no struct, which a multipart form must be": (*upload)(nil),
	} {
		b := MultipartForm("multipart/form-data", form)
		require.EqualError(t, b.encode(), want)
	}
}

// TestFormThatCannotBeEncoded rejects the call.
func TestFormThatCannotBeEncoded(t *testing.T) {
	b := Form(math.NaN())
	require.ErrorContains(t, b.encode(), "the body cannot be encoded as a form: json: unsupported value")
	server := serve(t)
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
	request := Request{Path: []string{"/pets"}, Body: b}
	request.Query.Value("q", wire.DeepObject, math.NaN())
	err := Exec(t.Context(), u, quick(Idempotent), request, func(*Response) error { return nil }, nil)
	var rejected *RejectedError
	require.ErrorAs(t, err, &rejected)
	require.ErrorContains(t, err, "q: json: unsupported value: NaN", "parameters are looked at first")
	require.Empty(t, server.read())
}

// TestCookieCredentials: each attempt bears the token of the moment, beside the
// cookies of the request.
func TestCookieCredentials(t *testing.T) {
	server := serve(t, status(503))
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
	tokens := []string{"t1", "t2"}
	rotating := tokenFunc(func(context.Context) (string, error) {
		defer func() { tokens = tokens[1:] }()
		return tokens[0], nil
	})
	request := Request{Path: []string{"/pets"}, Auth: AnyOf(AllOf(APIKeyCookie("A", "sid", rotating), APIKeyCookie("B", "b", Secret("x"))))}
	request.Header.Cookie("c", "1")
	_, err := Do(t.Context(), u, quick(Idempotent), request, readPet, nil)
	require.NoError(t, err)
	requests := server.read()
	require.Equal(t, []string{"c=1; sid=t1; b=x"}, requests[0].header["Cookie"])
	require.Equal(t, []string{"c=1; sid=t2; b=x"}, requests[1].header["Cookie"])
}

// TestServerOfAnOperation: a URL that is none rejects the calls that need it.
func TestServerOfAnOperation(t *testing.T) {
	home, other := serve(t), serve(t)
	u := connect(t, home.URL, UpstreamConfig{Budget: plenty{}})
	_, err := Do(t.Context(), u, quick(Idempotent), Request{Server: NewServer("OtherURL", "", other.URL+"/v2"), Path: []string{"/pets"}}, readPet, nil)
	require.NoError(t, err)
	require.Equal(t, "/v2/pets", other.read()[0].uri)
	require.Empty(t, home.read())
	_, err = Do(t.Context(), u, quick(Idempotent), Request{Server: NewServer("OtherURL", "https://{x}"), Path: []string{"/pets"}}, readPet, nil)
	var rejected *RejectedError
	require.ErrorAs(t, err, &rejected)
	require.ErrorContains(t, err, "Config.OtherURL")
}
