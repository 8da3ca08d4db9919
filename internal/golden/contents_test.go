package golden

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	contents "github.com/retrygen/retrygen/testdata/golden/content-types"
	every "github.com/retrygen/retrygen/testdata/golden/content-types-all"
)

func contentsClient(t *testing.T, server *server) *contents.Client {
	return client[*contents.Client](t)(contents.New(contents.Config{BaseURL: server.URL, Upstream: runtime.UpstreamConfig{Budget: plenty{}}}))
}

// TestEachContentTypeOfABody is sent as what it is, and has the parameters and the
// key of its operation.
func TestEachContentTypeOfABody(t *testing.T) {
	var params contents.UploadPhotoParams
	params.Album = ptr("summer")
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("\x89PNG")), nil }
	for kind, test := range map[string]struct {
		call func(context.Context, *contents.Client) (*contents.Photo, error)
		body string
	}{
		"application/json": {func(ctx context.Context, c *contents.Client) (*contents.Photo, error) {
			return c.UploadPhoto(ctx, "a", params, contents.PhotoURL{URL: "u"})
		}, `{"url":"u"}`},
		"image/png": {func(ctx context.Context, c *contents.Client) (*contents.Photo, error) {
			return c.UploadPhotoPNG(ctx, "a", params, open)
		}, "\x89PNG"},
		"text/plain": {func(ctx context.Context, c *contents.Client) (*contents.Photo, error) {
			return c.UploadPhotoText(ctx, "a", params, "u")
		}, "u"},
	} {
		t.Run(kind, func(t *testing.T) {
			server := serve(t, jsonal(201, `{"id":"1"}`))
			photo, err := test.call(t.Context(), contentsClient(t, server))
			require.NoError(t, err)
			require.Equal(t, "1", photo.ID)
			got := server.only(t)
			require.Equal(t, "PUT /photos/a?album=summer", got.line)
			require.Equal(t, kind, got.header.Get("Content-Type"))
			require.Equal(t, "application/json", got.header.Get("Accept"))
			require.Equal(t, "photo-a", got.header.Get("Idempotency-Key"))
			require.Equal(t, test.body, got.body)
		})
	}
}

// TestEachContentTypeIsSentAgainAsItCan: replayability is a body's, not an
// operation's (RULE-BODY).
func TestEachContentTypeIsSentAgainAsItCan(t *testing.T) {
	busy, done := answer{status: http.StatusServiceUnavailable}, jsonal(201, `{"id":"1"}`)
	var params contents.UploadPhotoParams

	server := serve(t, busy, done)
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("png")), nil }
	_, err := contentsClient(t, server).UploadPhotoPNG(t.Context(), "a", params, open)
	require.NoError(t, err)
	require.Len(t, server.read(), 2)

	server = serve(t, busy, done)
	form := contents.UploadPhotoMultipartForm{Photo: runtime.FileReader{Name: "p.png", Reader: strings.NewReader("png")}, Title: ptr("t")}
	_, err = contentsClient(t, server).UploadPhotoMultipart(t.Context(), "a", params, form)
	var ambiguous *runtime.AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	require.Equal(t, runtime.BodyNotReplayable, ambiguous.Reason)
	require.Equal(t, "uploadPhoto", ambiguous.Operation, "whatever its content type")
	sent := server.only(t)
	kind, values, err := mime.ParseMediaType(sent.header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	parts, err := multipart.NewReader(strings.NewReader(sent.body), values["boundary"]).ReadForm(1 << 10)
	require.NoError(t, err)
	require.Equal(t, []string{"t"}, parts.Value["title"])
	require.Equal(t, "p.png", parts.File["photo"][0].Filename)

	server = serve(t)
	form.Title = ptr(strings.Repeat("t", 21))
	_, err = contentsClient(t, server).UploadPhotoMultipart(t.Context(), "a", params, form)
	require.ErrorContains(t, err, "/title", "a form is validated, too")
	_, err = contentsClient(t, server).UploadPhotoText(t.Context(), "A", params, "u")
	require.ErrorContains(t, err, "id", "and so are parameters")
	require.Empty(t, server.read())
}

// TestPatchesAreWhatTheySay, although they have one schema.
func TestPatchesAreWhatTheySay(t *testing.T) {
	list := []map[string]any{{"op": "remove", "path": "/a"}}
	object := map[string]any{"a": nil}
	for kind, call := range map[string]func(context.Context, *contents.Client) (map[string]any, error){
		`application/json-patch+json [{"op":"remove","path":"/a"}]`: func(ctx context.Context, c *contents.Client) (map[string]any, error) {
			return c.PatchPod(ctx, "p", list)
		},
		`application/merge-patch+json {"a":null}`: func(ctx context.Context, c *contents.Client) (map[string]any, error) {
			return c.PatchPodMergePatch(ctx, "p", object)
		},
		`application/strategic-merge-patch+json {"a":null}`: func(ctx context.Context, c *contents.Client) (map[string]any, error) {
			return c.PatchPodStrategicMergePatch(ctx, "p", object)
		},
		`application/apply-patch+yaml a: 1`: func(ctx context.Context, c *contents.Client) (map[string]any, error) {
			return c.PatchPodApplyPatchYAML(ctx, "p", []byte("a: 1"))
		},
	} {
		server := serve(t, json200(`{"ok":true}`))
		pod, err := call(t.Context(), contentsClient(t, server))
		require.NoError(t, err)
		require.Equal(t, map[string]any{"ok": true}, pod)
		got := server.only(t)
		require.Equal(t, kind, got.header.Get("Content-Type")+" "+got.body)
	}
}

// TestEachContentTypeOfASuccess is asked for by one method, and read as what it is.
func TestEachContentTypeOfASuccess(t *testing.T) {
	for accept, test := range map[string]struct {
		answer answer
		call   func(context.Context, *contents.Client) (any, error)
		want   any
	}{
		"application/json": {json200(`{"total":1}`),
			func(ctx context.Context, c *contents.Client) (any, error) { return c.GetReport(ctx) }, &contents.Report{Total: ptr(int64(1))}},
		"application/vnd.acme.v2+json, application/json;q=0.1": {answer{200, "Application/vnd.Acme.v2+json; charset=utf-8", `{"sum":2}`},
			func(ctx context.Context, c *contents.Client) (any, error) { return c.GetReportAsAcmeV2(ctx) }, &contents.ReportV2{Sum: 2}},
		"text/csv, application/json;q=0.1": {answer{200, "text/csv", "a,b"},
			func(ctx context.Context, c *contents.Client) (any, error) { return c.GetReportAsCSV(ctx) }, "a,b"},
		"application/pdf, application/json;q=0.1": {answer{200, "application/pdf", "%PDF"},
			func(ctx context.Context, c *contents.Client) (any, error) {
				stream, err := c.GetReportAsPDF(ctx)
				if err != nil {
					return nil, err
				}
				data, err := io.ReadAll(stream)
				return string(data), err
			}, "%PDF"},
	} {
		server := serve(t, test.answer)
		got, err := test.call(t.Context(), contentsClient(t, server))
		require.NoError(t, err)
		require.Equal(t, test.want, got)
		require.Equal(t, accept, server.only(t).header.Get("Accept"))
	}
}

// TestAnswersOfAnyName are read as what was asked for, unless the document has the
// name for something else.
func TestAnswersOfAnyName(t *testing.T) {
	for _, kind := range []string{"", "application/json", "text/json", "text/plain", "application/octet-stream", "application/vnd.acme+json", "%%%"} {
		server := serve(t, answer{200, kind, `{"total":1}`})
		report, err := contentsClient(t, server).GetReport(t.Context())
		require.NoError(t, err, kind)
		require.EqualValues(t, 1, *report.Total)
	}
}

// TestOtherContentTypesAreNotMistaken: a success that is documented, and not what
// was asked for, has no place in the result. That it was done is known, and what
// came is kept, with its type.
func TestOtherContentTypesAreNotMistaken(t *testing.T) {
	v2 := answer{201, "application/vnd.acme.v2+json", `{"sum":2}`}
	v1 := answer{200, "application/json; charset=utf-8", `{"total":1}`}
	one := contents.CreateChatRequest{Stream: true}
	for name, test := range map[string]struct {
		answer answer
		call   func(context.Context, *contents.Client) error
		body   func(error) (any, bool)
		want   any
	}{
		"in a result of several": {v2, func(ctx context.Context, c *contents.Client) error { _, err := c.CreateReport(ctx); return err }, body[contents.ReportV2], &contents.ReportV2{Sum: 2}},
		"in one result":          {answer{200, v2.kind, v2.body}, func(ctx context.Context, c *contents.Client) error { _, err := c.GetReport(ctx); return err }, body[contents.ReportV2], &contents.ReportV2{Sum: 2}},
		"in place of a problem":  {answer{200, "application/problem+json", `{"title":"no"}`}, func(ctx context.Context, c *contents.Client) error { _, err := c.GetReport(ctx); return err }, body[contents.Problem], &contents.Problem{Title: ptr("no")}},
		"in place of text":       {v1, func(ctx context.Context, c *contents.Client) error { _, err := c.GetReportAsCSV(ctx); return err }, body[contents.Report], &contents.Report{Total: ptr(int64(1))}},
		"in place of bytes":      {v1, func(ctx context.Context, c *contents.Client) error { _, err := c.GetReportAsPDF(ctx); return err }, body[contents.Report], &contents.Report{Total: ptr(int64(1))}},
		"in place of events": {v1, func(ctx context.Context, c *contents.Client) error {
			_, err := c.CreateChatStream(ctx, one)
			return err
		}, body[contents.Report], &contents.Report{Total: ptr(int64(1))}},
		"in place of values": {v1, func(ctx context.Context, c *contents.Client) error {
			_, err := c.CreateChatNDJSON(ctx, one)
			return err
		}, body[contents.Report], &contents.Report{Total: ptr(int64(1))}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.answer)
			err := test.call(t.Context(), contentsClient(t, server))
			var malformed *runtime.MalformedError
			require.ErrorAs(t, err, &malformed)
			require.ErrorContains(t, err, "another response than asked for")
			require.Equal(t, runtime.Executed, malformed.Effect)
			require.Equal(t, test.answer.body, string(malformed.Body))
			got, _ := test.body(err)
			require.Equal(t, test.want, got)
			server.only(t)
		})
	}
}

// TestErrorsOfSeveralContentTypes are read as what they are.
func TestErrorsOfSeveralContentTypes(t *testing.T) {
	for kind, test := range map[string]struct {
		text string
		body func(error) (any, bool)
		want any
	}{
		"application/json":                       {`{"code":"x"}`, body[contents.Error], &contents.Error{Code: ptr("x")}},
		"application/problem+json; charset=utf8": {`{"title":"no"}`, body[contents.Problem], &contents.Problem{Title: ptr("no")}},
		"text/html":                              {`<html>`, body[contents.Error], (*contents.Error)(nil)},
	} {
		for _, call := range []func(context.Context, *contents.Client) error{
			func(ctx context.Context, c *contents.Client) error { _, err := c.GetReport(ctx); return err },
			func(ctx context.Context, c *contents.Client) error { _, err := c.GetReportAsPDF(ctx); return err },
			func(ctx context.Context, c *contents.Client) error { _, err := c.CreateReport(ctx); return err },
		} {
			server := serve(t, answer{422, kind, test.text})
			err := call(t.Context(), contentsClient(t, server))
			var status *runtime.StatusError
			require.ErrorAs(t, err, &status)
			got, _ := test.body(err)
			require.Equal(t, test.want, got)
		}
	}
}

// TestWholeOrStreamed: one operation answers whole or as a stream, as its request
// says.
func TestWholeOrStreamed(t *testing.T) {
	server := serve(t, json200(`{"total":1}`))
	whole, err := contentsClient(t, server).CreateChat(t.Context(), contents.CreateChatRequest{})
	require.NoError(t, err)
	require.EqualValues(t, 1, *whole.Total)

	server = serve(t, answer{200, "text/event-stream; charset=utf-8", "data: a\n\ndata: b\n\n"})
	stream, err := contentsClient(t, server).CreateChatStream(t.Context(), contents.CreateChatRequest{Stream: true})
	require.NoError(t, err)
	var data []string
	for event, err := range stream.All() {
		require.NoError(t, err)
		data = append(data, event.Data)
	}
	require.Equal(t, []string{"a", "b"}, data)
	got := server.only(t)
	require.Equal(t, `{"stream":true}`, got.body)
	require.Equal(t, "text/event-stream, application/json;q=0.1", got.header.Get("Accept"))

	server = serve(t, answer{200, "application/x-ndjson", "{\"total\":1}\n{\"total\":2}\n"})
	values, err := contentsClient(t, server).CreateChatMultipartNDJSON(t.Context(), contents.CreateChatMultipartForm{})
	require.NoError(t, err)
	var totals []int64
	for report, err := range values.All() {
		require.NoError(t, err)
		totals = append(totals, *report.Total)
	}
	require.Equal(t, []int64{1, 2}, totals)

	server = serve(t, answer{200, "text/event-stream", "data: a\n\n"})
	_, err = contentsClient(t, server).CreateChat(t.Context(), contents.CreateChatRequest{Stream: true})
	require.ErrorContains(t, err, "text/event-stream", "the error says what came")
}

// TestEveryEncoding: with content-types: all, what says the same in another
// encoding has a method, too.
func TestEveryEncoding(t *testing.T) {
	for sent, call := range map[string]func(context.Context, *every.Client) (any, error){
		`application/json {"name":"a b"} application/json`: func(ctx context.Context, c *every.Client) (any, error) { return c.AddPet(ctx, every.Pet{Name: "a b"}) },
		`application/x-www-form-urlencoded name=a%20b application/json`: func(ctx context.Context, c *every.Client) (any, error) {
			return c.AddPetForm(ctx, every.Pet{Name: "a b"})
		},
		`application/xml <pet/> application/json`: func(ctx context.Context, c *every.Client) (any, error) { return c.AddPetXML(ctx, []byte("<pet/>")) },
		`application/xml <pet/> application/xml`: func(ctx context.Context, c *every.Client) (any, error) {
			return c.AddPetXMLAsXML(ctx, []byte("<pet/>"))
		},
	} {
		_, asked, _ := strings.Cut(sent[1:], " application/")
		reply, want := json200(`{"name":"n"}`), any(&every.Pet{Name: "n"})
		if asked == "xml" {
			reply, want = answer{200, "application/xml", "<pet/>"}, []byte("<pet/>")
		}
		server := serve(t, reply)
		got, err := call(t.Context(), client[*every.Client](t)(every.New(every.Config{BaseURL: server.URL})))
		require.NoError(t, err)
		require.Equal(t, want, got)
		r := server.only(t)
		require.Equal(t, sent, r.header.Get("Content-Type")+" "+r.body+" "+r.header.Get("Accept"))
	}
}

// The interface has the methods for further content types.
var _ interface {
	UploadPhotoText(context.Context, string, contents.UploadPhotoParams, string, ...runtime.CallOption) (*contents.Photo, error)
	CreateChatStream(context.Context, contents.CreateChatRequest, ...runtime.CallOption) (*runtime.EventStream, error)
} = contents.API(nil)
