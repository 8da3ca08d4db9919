package golden

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
	"github.com/retrygen/retrygen/testdata/golden/forms"
	multi "github.com/retrygen/retrygen/testdata/golden/multipart"
	styles "github.com/retrygen/retrygen/testdata/golden/parameter-styles"
	headers "github.com/retrygen/retrygen/testdata/golden/response-headers"
	elsewhere "github.com/retrygen/retrygen/testdata/golden/servers-of-operations"
	"github.com/retrygen/retrygen/testdata/golden/streams"
	swagger "github.com/retrygen/retrygen/testdata/golden/swagger-2"
	texts "github.com/retrygen/retrygen/testdata/golden/text-and-downloads"
)

var filter = styles.Filter{
	Name: ptr("a&b=c"), Since: ptr(time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))), Big: ptr(int64(9007199254740993)),
	Tags: []string{"x", "y,z"}, Inner: &styles.FilterInner{A: ptr("é")}, None: wire.Null[string](),
}

// TestStylesOnTheWire: no value adds a parameter, and no digit is lost.
func TestStylesOnTheWire(t *testing.T) {
	for name, test := range map[string]struct {
		params styles.SearchParams
		want   string
		header map[string]string
	}{
		"nothing": {styles.SearchParams{}, "", nil},
		"deepObject": {styles.SearchParams{Deep: &filter}, "?deep%5Bname%5D=a%26b%3Dc&deep%5Bsince%5D=2026-01-02T03%3A04%3A05%2B01%3A00" +
			"&deep%5Bbig%5D=9007199254740993&deep%5Btags%5D%5B0%5D=x&deep%5Btags%5D%5B1%5D=y%2Cz&deep%5Binner%5D%5Ba%5D=%C3%A9&deep%5Bnone%5D=", nil},
		"form":   {styles.SearchParams{Form: &styles.Filter{Name: ptr("a b"), Tags: []string{"x"}}}, "?name=a%20b&tags=%5B%22x%22%5D", nil},
		"joined": {styles.SearchParams{Joined: &styles.Filter{Name: ptr("a,b"), Big: ptr(int64(1))}}, "?joined=name,a%2Cb,big,1", nil},
		"pipes":  {styles.SearchParams{Pipes: []string{"a|b", "c"}}, "?pipes=a%7Cb%7Cc", nil},
		"spaces": {styles.SearchParams{Spaces: []string{"a", "b"}}, "?spaces=a%20b", nil},
		"JSON":   {styles.SearchParams{JSON: &styles.Filter{Name: ptr("a")}}, "?json=%7B%22name%22%3A%22a%22%7D", nil},
		"header": {styles.SearchParams{XFilter: &styles.Filter{Name: ptr("a"), Big: ptr(int64(2))}}, "", map[string]string{"X-Filter": "name=a,big=2"}},
		"cookies": {styles.SearchParams{Sid: ptr("a; b"), IDs: []int64{1, 2}}, "",
			map[string]string{"Cookie": "sid=a%3B%20b; ids=1,2; session=s1=="}},
		"no cookies": {styles.SearchParams{}, "", map[string]string{"Cookie": "session=s1=="}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			c := client[*styles.Client](t)(styles.New(styles.Config{BaseURL: server.URL, Session: runtime.Secret("s1==")}))
			require.NoError(t, c.Search(t.Context(), test.params))
			got := server.only(t)
			require.Equal(t, "GET /q"+test.want, got.line)
			for name, value := range test.header {
				require.Equal(t, []string{value}, got.header[name])
			}
		})
	}
}

func TestPathStylesOnTheWire(t *testing.T) {
	server := serve(t)
	c := client[*styles.Client](t)(styles.New(styles.Config{BaseURL: server.URL, Session: runtime.Secret("s")}))
	small := styles.Filter{Name: ptr("a/b"), Big: ptr(int64(1))}
	require.NoError(t, c.GetPath(t.Context(), []string{"a", "b.c"}, []int64{3, 4}, small, small))
	require.NoError(t, c.Act(t.Context(), styles.ActParams{A: "x"}))
	requests := server.read()
	require.Equal(t, "GET /p/.a,b.c/;matrix=3;matrix=4/name=a%2Fb,big=1/%7B%22name%22%3A%22a%2Fb%22%2C%22big%22%3A1%7D", requests[0].line)
	require.Equal(t, "GET /act?version=2&a=x", requests[1].line)

	var rejected *runtime.RejectedError
	require.ErrorAs(t, c.GetPath(t.Context(), nil, []int64{1}, small, small), &rejected, "an empty parameter would be another path")
}

// TestCookieThatCannotBeSent: a credential never turns into another cookie.
func TestCookieThatCannotBeSent(t *testing.T) {
	server := serve(t)
	c := client[*styles.Client](t)(styles.New(styles.Config{BaseURL: server.URL, Session: runtime.Secret("a; admin=1")}))
	err := c.Search(t.Context(), styles.SearchParams{})
	require.ErrorContains(t, err, "credential Session has a character that a cookie cannot hold")
	require.NotContains(t, err.Error(), "admin")
	require.Empty(t, server.read())
}

func TestFormsOnTheWire(t *testing.T) {
	server := serve(t)
	c := client[*forms.Client](t)(forms.New(forms.Config{BaseURL: server.URL, User: runtime.BasicCredential("ann", "p:w")}))
	require.NoError(t, c.PostForm(t.Context(), forms.PostFormRequest{
		Q: "a&b c", Tags: []string{"x", "y"}, Joined: []int64{1, 2},
		Meta: &forms.PostFormRequestMeta{K: ptr("v"), N: []forms.PostFormRequestMetaNItem{{P: ptr(int64(1))}, {P: ptr(int64(2))}}},
		Raw:  &forms.PostFormRequestRaw{K: ptr("v")},
	}))
	require.NoError(t, c.Merge(t.Context(), forms.MergeRequest{A: wire.Null[string]()}))
	require.NoError(t, c.PutImage(t.Context(), runtime.Bytes("image/webp", []byte("RIFF"))))
	requests := server.read()
	require.Equal(t, "q=a%26b%20c&tags=x&tags=y&joined=1,2&meta%5Bk%5D=v&meta%5Bn%5D%5B0%5D%5Bp%5D=1&meta%5Bn%5D%5B1%5D%5Bp%5D=2&raw=%7B%22k%22%3A%22v%22%7D", requests[0].body)
	require.Equal(t, "application/x-www-form-urlencoded", requests[0].header.Get("Content-Type"))
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("ann:p:w")), requests[0].header.Get("Authorization"))
	require.Equal(t, `{"a":null}`, requests[1].body)
	require.Equal(t, "application/merge-patch+json", requests[1].header.Get("Content-Type"))
	require.Equal(t, "RIFF", requests[2].body)
	require.Equal(t, "image/webp", requests[2].header.Get("Content-Type"))

	var rejected *runtime.RejectedError
	require.ErrorAs(t, c.PostForm(t.Context(), forms.PostFormRequest{}), &rejected, "q is shorter than 1")
}

// part is what a server read of a part.
type part struct{ name, file, kind, body string }

func parts(t *testing.T, r request) (list []part) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	reader := multipart.NewReader(strings.NewReader(r.body), params["boundary"])
	for {
		p, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		body, err := io.ReadAll(p)
		require.NoError(t, err)
		list = append(list, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(body)})
	}
}

// TestPartsOnTheWire: a form is sent again with the same bytes.
func TestPartsOnTheWire(t *testing.T) {
	server := serve(t, answer{status: http.StatusServiceUnavailable}, answer{status: http.StatusNoContent})
	c := client[*multi.Client](t)(multi.New(multi.Config{BaseURL: server.URL}))
	require.NoError(t, c.PrintDoc(t.Context(), multi.PrintDocForm{
		Params: multi.PrintDocFormParams{Copies: ptr(int64(2))},
		Pages:  []multi.PrintDocFormPagesItem{{N: ptr(int64(1))}, {N: ptr(int64(2))}},
		Note:   ptr(`a "note"`), Numbers: []int64{3, 4},
		File:  &runtime.File{Name: "a.png", Data: []byte("PNG")},
		Files: []runtime.File{{Data: []byte("1")}, {Name: "b.txt", ContentType: "text/plain", Data: []byte("2")}},
	}))
	requests := server.read()
	require.Len(t, requests, 2)
	require.Equal(t, requests[0].body, requests[1].body)
	require.Equal(t, []part{
		{"params", "", "application/vnd.print+json", `{"copies":2}`},
		{"pages", "", "application/json", `{"n":1}`},
		{"pages", "", "application/json", `{"n":2}`},
		{"note", "", "", `a "note"`},
		{"numbers", "", "", "3"},
		{"numbers", "", "", "4"},
		{"file", "a.png", "image/png", "PNG"},
		{"files", "files", "application/octet-stream", "1"},
		{"files", "b.txt", "text/plain", "2"},
	}, parts(t, requests[0]))
}

// TestPartsDecideWhatCanBeSentAgain: a form is as replayable as its weakest part
// (RULE-BODY-WEAKEST).
func TestPartsDecideWhatCanBeSentAgain(t *testing.T) {
	opened := 0
	open := func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader("data")), nil
	}
	for name, test := range map[string]struct {
		call     func(context.Context, *multi.Client) error
		requests int
	}{
		"opened anew": {func(ctx context.Context, c *multi.Client) error {
			return c.Archive(ctx, multi.ArchiveForm{Data: runtime.FileOpener{Open: open}, Index: runtime.File{Data: []byte("i")}})
		}, 2},
		"read once": {func(ctx context.Context, c *multi.Client) error {
			return c.Live(ctx, multi.LiveReaderForm{Data: runtime.FileReader{Reader: strings.NewReader("data")}})
		}, 1},
		"of no reader": {func(ctx context.Context, c *multi.Client) error { return c.Live(ctx, multi.LiveReaderForm{}) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, answer{status: http.StatusServiceUnavailable}, answer{status: http.StatusNoContent})
			err := test.call(t.Context(), client[*multi.Client](t)(multi.New(multi.Config{BaseURL: server.URL})))
			require.Equal(t, test.requests == 2, err == nil, "%v", err)
			requests := server.read()
			require.Len(t, requests, test.requests)
			for _, r := range requests {
				require.Equal(t, "data", parts(t, r)[0].body)
			}
		})
	}
	require.Equal(t, 2, opened)
}

func TestStreamsOfEvents(t *testing.T) {
	server := serve(t, answer{status: http.StatusServiceUnavailable},
		answer{status: http.StatusOK, kind: "text/event-stream", body: "data: one\n\nevent: end\ndata: two\n\n"},
		answer{status: http.StatusNotFound, kind: "application/json", body: `{"detail":"gone"}`})
	c := client[*streams.Client](t)(streams.New(streams.Config{BaseURL: server.URL}))
	stream, err := c.Events(t.Context())
	require.NoError(t, err)
	var got []runtime.ServerSentEvent
	for event, err := range stream.All() {
		require.NoError(t, err)
		got = append(got, event)
	}
	require.Equal(t, []runtime.ServerSentEvent{{Name: "message", Data: "one"}, {Name: "end", Data: "two"}}, got)
	require.Len(t, stream.Outcome().Attempts, 2)
	require.Equal(t, "text/event-stream, application/json", server.read()[0].header.Get("Accept"))

	_, err = c.Events(t.Context())
	problem, ok := runtime.ErrorBody[streams.Problem](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "gone", *problem.Detail)
}

func TestStreamsOfValues(t *testing.T) {
	server := serve(t, answer{status: http.StatusOK, kind: "application/x-ndjson", body: "{\"n\":1}\n{\"n\":2}\n"})
	c := client[*streams.Client](t)(streams.New(streams.Config{BaseURL: server.URL}))
	stream, err := c.Lines(t.Context(), streams.LinesRequest{Q: ptr("a")})
	require.NoError(t, err)
	var got []int64
	for value, err := range stream.All() {
		require.NoError(t, err)
		got = append(got, value.N)
	}
	require.Equal(t, []int64{1, 2}, got)
}

func TestSwaggerOnTheWire(t *testing.T) {
	server := serve(t, json200(`[{"name":"rex","owner":null}]`), answer{status: http.StatusNoContent})
	c := client[*swagger.Client](t)(swagger.New(swagger.Config{BaseURL: server.URL, Key: runtime.Secret("k")}))
	pets, err := c.ListPets(t.Context(), swagger.ListPetsParams{Tags: []string{"a", "b"}, Limit: ptr(int32(2))})
	require.NoError(t, err)
	require.Equal(t, []swagger.Pet{{Name: "rex", Owner: wire.Null[string]()}}, pets)
	require.NoError(t, c.PutPhoto(t.Context(), "rex", swagger.PutPhotoForm{Photo: runtime.File{Data: []byte("P")}, Caption: ptr("c")}))
	requests := server.read()
	require.Equal(t, "GET /pets?tags=a%7Cb&limit=2", requests[0].line)
	require.Equal(t, "k", requests[0].header.Get("X-Key"))
	require.Equal(t, []part{{"photo", "photo", "application/octet-stream", "P"}, {"caption", "", "", "c"}}, parts(t, requests[1]))
}

// TestServersOfOperations: what is not configured never reaches a host that the
// caller did not mean.
func TestServersOfOperations(t *testing.T) {
	main, other := serve(t), serve(t)
	c := client[*elsewhere.Client](t)(elsewhere.New(elsewhere.Config{BaseURL: main.URL, UploadURL: other.URL + "/up"}))
	require.NoError(t, c.ListFiles(t.Context()))
	require.NoError(t, c.Upload(t.Context()))
	require.Equal(t, "GET /files", main.only(t).line)
	require.Equal(t, "POST /up/files", other.only(t).line)

	all := client[*elsewhere.Client](t)(elsewhere.New(elsewhere.Config{BaseURL: main.URL}))
	require.NoError(t, all.Upload(t.Context()))
	require.NoError(t, all.Ask(t.Context()))
	require.Len(t, main.read(), 3)

	unset := client[*elsewhere.Client](t)(elsewhere.New(elsewhere.Config{}))
	require.ErrorContains(t, unset.Ask(t.Context()), "Config.YourAgentURL")
}

func TestTextOnTheWire(t *testing.T) {
	plain := func(body string) answer { return answer{http.StatusOK, "text/plain", body} }
	server := serve(t, plain(" 9007199254740993\n"), plain("2026-01-02T03:04:05Z"), plain("b"), plain("x"), answer{status: http.StatusNoContent})
	c := client[*texts.Client](t)(texts.New(texts.Config{BaseURL: server.URL}))
	n, err := c.GetCount(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 9007199254740993, n)
	when, err := c.GetWhen(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), when)
	word, err := c.GetWord(t.Context())
	require.NoError(t, err)
	require.True(t, word.Known())
	_, err = c.GetCount(t.Context())
	var malformed *runtime.MalformedError
	require.ErrorAs(t, err, &malformed)

	require.NoError(t, c.PutCount(t.Context(), 9))
	require.NoError(t, c.PutWhen(t.Context(), ptr(when)))
	require.NoError(t, c.PutWhen(t.Context(), nil))
	require.NoError(t, c.PutWord(t.Context(), `"a" b`))
	var rejected *runtime.RejectedError
	require.ErrorAs(t, c.PutCount(t.Context(), 10), &rejected)
	var bodies, kinds []string
	for _, r := range server.read()[4:] {
		bodies, kinds = append(bodies, r.body), append(kinds, r.header.Get("Content-Type"))
	}
	require.Equal(t, []string{"9", "2026-01-02T03:04:05Z", "", `"a" b`}, bodies)
	require.Equal(t, []string{"text/plain", "text/plain", "", "text/plain; charset=utf-8"}, kinds)
}

// TestDownload: what has begun is not asked for again, and its end tells whether it
// was whole (RULE-DECIDE-4).
func TestDownload(t *testing.T) {
	server := serve(t, answer{status: http.StatusServiceUnavailable}, answer{http.StatusOK, "application/octet-stream", "data"},
		answer{status: http.StatusNotFound})
	c := client[*texts.Client](t)(texts.New(texts.Config{BaseURL: server.URL}))
	stream, err := c.Download(t.Context())
	require.NoError(t, err)
	data, err := io.ReadAll(stream)
	require.NoError(t, err)
	require.Equal(t, "data", string(data))
	require.Len(t, stream.Outcome().Attempts, 2)
	_, err = c.Download(t.Context())
	var status *runtime.StatusError
	require.ErrorAs(t, err, &status)

	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
	}))
	defer cut.Close()
	c = client[*texts.Client](t)(texts.New(texts.Config{BaseURL: cut.URL}))
	stream, err = c.Download(t.Context())
	require.NoError(t, err)
	data, err = io.ReadAll(stream)
	require.Equal(t, "half", string(data))
	var broken *runtime.TransportError
	require.ErrorAs(t, err, &broken)
	require.Equal(t, runtime.PartialResponse, broken.Evidence())
	require.Len(t, broken.Attempts, 1)
}

func TestResponseHeaders(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("X-Rate-Limit", "9007199254740993")
		h.Set("X-Until", "2026-01-02T03:04:05Z")
		h.Add("X-Kinds", "cat, new")
		h.Add("X-Kinds", "dog")
		h.Set("X-Page", `{"next":"b"}`)
		h.Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `["rex"]`)
	}))
	defer server.Close()
	c := client[*headers.Client](t)(headers.New(headers.Config{BaseURL: server.URL}))
	var outcome runtime.Outcome
	_, err := c.ListPets(t.Context(), runtime.Report(&outcome))
	require.NoError(t, err)
	got, err := headers.ParseListPetsHeader(outcome.Header)
	require.NoError(t, err)
	require.Equal(t, headers.ListPetsHeader{
		XRateLimit: ptr(int64(9007199254740993)), XUntil: ptr(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		XKinds: []headers.ListPetsHeaderXKindsItem{"cat", "new", "dog"}, XPage: &headers.ListPetsHeaderXPage{Next: ptr("b")},
	}, got)

	outcome.Header.Set("X-Rate-Limit", "many")
	outcome.Header.Set("X-Until", "soon")
	got, err = headers.ParseListPetsHeader(outcome.Header)
	require.ErrorContains(t, err, "header X-Rate-Limit: not the text of int64")
	require.ErrorContains(t, err, "header X-Until:")
	require.Equal(t, "b", *got.XPage.Next, "the others are there")
}
