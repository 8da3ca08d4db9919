package fake

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
)

type inner struct {
	Flag *bool `json:"flag,omitzero"`
}

type everything struct {
	Text   string                `json:"text"`
	Number *int64                `json:"number,omitzero"`
	Float  *float64              `json:"float,omitzero"`
	At     *time.Time            `json:"at,omitzero"`
	Day    wire.Date             `json:"day,omitzero"`
	Bytes  []byte                `json:"bytes,omitzero"`
	Note   wire.Nullable[string] `json:"note,omitzero"`
	Texts  []string              `json:"texts,omitzero"`
	Inner  *inner                `json:"inner,omitzero"`
	Table  map[string]string     `json:"table,omitzero"`
}

// anything draws a value that a style can hold which knows how to write it all.
func anything(t *rapid.T) everything {
	at := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), 0).UTC()
	v := everything{
		Text:   rapid.String().Draw(t, "text"),
		Number: rapid.Ptr(rapid.Int64(), true).Draw(t, "number"),
		Float:  rapid.Ptr(rapid.Float64Range(-1e9, 1e9), true).Draw(t, "float"),
		Day:    wire.NewDate(at.Date()),
		Bytes:  rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes"),
		Note:   wire.Value(rapid.String().Draw(t, "note")),
		Texts:  rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "texts"),
		Table:  rapid.MapOfN(rapid.StringMatching(`[a-z.%&=,;]+`), rapid.String(), 1, 3).Draw(t, "table"),
	}
	if rapid.Bool().Draw(t, "more") {
		v.At, v.Inner = &at, &inner{Flag: new(bool)}
	}
	return v
}

// request is one as a server reads it.
func request(t require.TestingT, query, body string, header http.Header) *http.Request {
	r, err := http.NewRequest(http.MethodPost, "http://localhost/x", strings.NewReader(body))
	require.NoError(t, err)
	r.URL.RawQuery = query
	if header != nil {
		r.Header = header
	}
	return r
}

// TestInputReadsWhatIsWritten: whatever the value is, in every style that can hold
// it.
func TestInputReadsWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anything(t)
		for _, style := range []wire.Style{wire.Form, wire.FormExplode, wire.DeepObject, wire.JSON} {
			var query wire.Query
			query.Value("v", style, want)
			var header wire.Header
			if style != wire.DeepObject {
				header.CookieValue("v", style, want)
			}
			require.NoError(t, query.Err())
			require.NoError(t, header.Err())
			in := newInput(request(t, query.String(), "", header.Values()), nil, nil)
			var got, cookie everything
			in.Query("v", style, &got)
			require.NoError(t, in.finish())
			require.Equal(t, want, got, "style %d: %s", style, query.String())
			if style != wire.DeepObject {
				in.Cookie("v", style, &cookie)
				require.NoError(t, in.finish())
				require.Equal(t, want, cookie)
			}
		}
		for _, explode := range []bool{false, true} {
			in := newInput(request(t, "", "", nil), map[string]string{
				"simple": wire.PathValue(explode, want), "matrix": wire.PathMatrix("matrix", explode, want), "json": wire.PathJSON(want),
			}, nil)
			for name, style := range map[string]PathStyle{"simple": Simple, "matrix": Matrix, "json": PathJSON} {
				var got everything
				in.Path(name, style, explode, &got)
				require.NoError(t, in.finish())
				require.Equal(t, want, got, "%s %v: %s", name, explode, in.path[name])
			}
		}
	})
}

// TestInputReadsForms, with the styles of their properties.
func TestInputReadsForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anything(t)
		styles := []wire.Encoding{wire.Styled(wire.Form, "texts"), wire.Styled(wire.DeepObject, "table", "inner")}
		for _, encodings := range [][]wire.Encoding{nil, styles} {
			data, err := wire.EncodeForm(want, encodings...)
			require.NoError(t, err)
			in := newInput(request(t, "", "", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}), nil, data)
			var got everything
			in.Form(&got, encodings...)
			require.NoError(t, in.finish())
			require.Equal(t, want, got, "%s", data)
		}
	})
}

type parts struct {
	everything
	One  runtime.FileReader  `json:"one"`
	Many []runtime.File      `json:"many,omitzero"`
	No   *runtime.FileOpener `json:"no,omitzero"`
}

// TestInputReportsWhatIsWrong, all of it, and by its place.
func TestInputReportsWhatIsWrong(t *testing.T) {
	in := newInput(request(t, "n=x&o%5Ba%5D=1", "", http.Header{"X-N": {"y"}, "Cookie": {"c=z"}}), map[string]string{"p": "q"}, []byte("{"))
	var n int
	var o struct {
		A bool `json:"a"`
	}
	in.Query("n", wire.FormExplode, &n)
	in.Query("o", wire.DeepObject, &o)
	in.Query("absent", wire.FormExplode, &n)
	in.Header("X-N", false, &n)
	in.Cookie("c", wire.FormExplode, &n)
	in.Path("p", Simple, false, &n)
	in.http.Header.Set("Content-Type", "application/json")
	in.JSON("application/json", &o)
	in.http.Header.Set("Content-Type", "multipart/form-data")
	in.Multipart("multipart/form-data", new(parts))
	err := in.finish()
	for _, want := range []string{
		"query parameter n is not what", "query parameter o is not what", "query parameter absent is missing", "header X-N is not what",
		"cookie c is not what", "path parameter p is not what", "the body is not what the document describes: unexpected end",
	} {
		require.ErrorContains(t, err, want)
	}
}

// TestAnswersAreReadableHeaders: what [Answer.With] writes, runtime/wire.ParseHeader
// reads.
func TestAnswersAreReadableHeaders(t *testing.T) {
	type headers struct {
		Count *int64     `header:"X-Count"`
		At    *time.Time `header:"X-At"`
		Tags  []string   `header:"X-Tags"`
		Bytes []byte     `header:"X-Bytes"`
		Empty *string    `header:"X-Empty"`
		No    *string    `header:"X-No"`
	}
	zero, empty, noon := int64(0), "", time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	want := headers{Count: &zero, At: &noon, Tags: []string{"a", "b c"}, Bytes: []byte{0xff, 0xfe}, Empty: &empty}
	var got headers
	require.NoError(t, wire.ParseHeader(Empty(204).With(want).Header, &got))
	require.Equal(t, want, got)
}

// FuzzInput: whatever a request bears, decoding ends, with a value or an error.
func FuzzInput(f *testing.F) {
	f.Add("v[a][0]=1&v%5Bb%5D=&text=%zz", ";v=a;v=b", "text=a&table[b]=c&%", "application/x-www-form-urlencoded")
	f.Add("v=a,b,c", ".a.b", `{"text":1}`, "application/json")
	f.Add("v={", "a=b,c", "--b\r\nContent-Disposition: form-data; name=\"one\"; filename=x\r\n\r\ny\r\n--b--\r\n", "multipart/form-data; boundary=b")
	f.Fuzz(func(t *testing.T, query, path, body, contentType string) {
		header := http.Header{"Content-Type": {contentType}, "Cookie": {query}, "X-V": {path}}
		in := newInput(request(t, query, body, header), map[string]string{"v": path}, []byte(body))
		for style := wire.Form; style <= wire.JSON; style++ {
			in.Query("v", style, new(everything))
			in.Query("v", style, new([]int))
			in.Query("v", style, new(map[string]any))
			in.Cookie("v", style, new(wire.Union))
		}
		for _, explode := range []bool{false, true} {
			for style := Simple; style <= PathJSON; style++ {
				in.Path("v", style, explode, new(everything))
				in.Path("v", style, explode, new([]time.Time))
			}
			in.Header("X-V", explode, new(map[string]string))
			in.Header("X-V", explode, new([]bool))
		}
		in.JSON("application/json", new(everything))
		in.Text("", new(wire.Date))
		in.Form(new(any))
		in.Form(new(everything), wire.Styled(wire.DeepObject, "table"))
		form := new(parts)
		in.Multipart("multipart/form-data", form)
		if form.One.Reader != nil {
			data, err := io.ReadAll(form.One.Reader)
			require.NoError(t, err)
			require.True(t, bytes.Contains([]byte(body), data))
		}
		_ = in.finish()
	})
}
