package fake

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contents "github.com/retrygen/retrygen/testdata/golden/content-types"
	contentstest "github.com/retrygen/retrygen/testdata/golden/content-types/contenttypestest"
)

// TestFakeTellsContentTypesApart: each method for a content type has a handler of
// its own, whether the type is that of the body or what is asked for.
func TestFakeTellsContentTypesApart(t *testing.T) {
	fake := contentstest.New(t)
	client := fake.Client(contents.Config{})

	fake.UploadPhoto.Answer(contentstest.UploadPhoto201(contents.Photo{ID: "json"}))
	fake.UploadPhotoText.Answer(contentstest.UploadPhotoText201(contents.Photo{ID: "text"}))
	fake.UploadPhotoPNG.Answer(contentstest.UploadPhotoPNG201(contents.Photo{ID: "png"}))
	fake.UploadPhotoMultipart.Answer(contentstest.UploadPhotoMultipart201(contents.Photo{ID: "form"}))
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("\x89PNG")), nil }
	for want, upload := range map[string]func(context.Context, contents.UploadPhotoParams) (*contents.Photo, error){
		"json": func(ctx context.Context, p contents.UploadPhotoParams) (*contents.Photo, error) {
			return client.UploadPhoto(ctx, "json", p, contents.PhotoURL{URL: "u"})
		},
		"text": func(ctx context.Context, p contents.UploadPhotoParams) (*contents.Photo, error) {
			return client.UploadPhotoText(ctx, "text", p, "a text")
		},
		"png": func(ctx context.Context, p contents.UploadPhotoParams) (*contents.Photo, error) {
			return client.UploadPhotoPNG(ctx, "png", p, open)
		},
	} {
		photo, err := upload(t.Context(), contents.UploadPhotoParams{})
		require.NoError(t, err)
		require.Equal(t, want, photo.ID)
	}
	require.Equal(t, "a text", fake.UploadPhotoText.Attempts()[0].Request.Body)
	require.Equal(t, "\x89PNG", string(fake.UploadPhotoPNG.Attempts()[0].Request.Body))

	fake.GetReport.Answer(contentstest.GetReport200(contents.Report{Total: ptr(int64(1))}))
	fake.GetReportAsCSV.Answer(contentstest.GetReportAsCSV200("a,b"))
	report, err := client.GetReport(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, *report.Total)
	csv, err := client.GetReportAsCSV(t.Context())
	require.NoError(t, err)
	require.Equal(t, "a,b", csv)
	require.Equal(t, 1, fake.GetReport.Handled())
}
