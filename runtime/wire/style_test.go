package wire

import (
	"math"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type styled struct {
	A string            `json:"a"`
	B []string          `json:"b,omitzero"`
	C map[string]int    `json:"c,omitzero"`
	D Nullable[float64] `json:"d,omitzero"`
}

func TestQueryValue(t *testing.T) {
	object := styled{A: "x&y", B: []string{"1", "2,3"}, C: map[string]int{"k": 1}, D: Null[float64]()}
	for name, test := range map[string]struct {
		style Style
		value any
		want  string
	}{
		"form":                   {Form, object, `q=a,x%26y,b,%5B%221%22%2C%222%2C3%22%5D,c,%7B%22k%22%3A1%7D,d,`},
		"form, exploded":         {FormExplode, object, `a=x%26y&b=%5B%221%22%2C%222%2C3%22%5D&c=%7B%22k%22%3A1%7D&d=`},
		"deepObject":             {DeepObject, object, `q%5Ba%5D=x%26y&q%5Bb%5D%5B0%5D=1&q%5Bb%5D%5B1%5D=2%2C3&q%5Bc%5D%5Bk%5D=1&q%5Bd%5D=`},
		"deepObject of a list":   {DeepObject, []int{7, 8}, `q%5B0%5D=7&q%5B1%5D=8`},
		"deepObject of a scalar": {DeepObject, true, `q=true`},
		"spaceDelimited":         {SpaceDelimited, map[string]int{"k": 1}, `q=k%201`},
		"pipeDelimited":          {PipeDelimited, []string{"a", "b|c"}, `q=a%7Cb%7Cc`},
		"list":                   {Form, []string{"a", "b,c"}, `q=a,b%2Cc`},
		"list, exploded":         {FormExplode, []string{"a", "b"}, `q=a&q=b`},
		"lists":                  {FormExplode, [][]int{{1, 2}, {3}}, `q=%5B1%2C2%5D&q=%5B3%5D`},
		"scalar":                 {Form, "a,b", `q=a%2Cb`},
		"JSON":                   {JSON, []int{1}, `q=%5B1%5D`},
		"absent":                 {DeepObject, (*styled)(nil), ``},
		"absent list":            {Form, []string(nil), ``},
		"absent or null":         {JSON, Nullable[string]{}, ``},
		"empty list":             {Form, []string{}, ``},
		"big integer":            {DeepObject, map[string]uint64{"n": math.MaxUint64}, `q%5Bn%5D=18446744073709551615`},
	} {
		t.Run(name, func(t *testing.T) {
			var q Query
			q.Value("q", test.style, test.value)
			require.NoError(t, q.Err())
			require.Equal(t, test.want, q.String())
		})
	}
}

// TestQueryValueEscapes: whatever the names and values are, a server reads back
// what was sent, and no parameter more.
func TestQueryValueEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "object")
		var deep, exploded Query
		deep.Value("q", DeepObject, object)
		exploded.Value("q", FormExplode, object)
		want, wantExploded := url.Values{}, url.Values{}
		for name, value := range object {
			want.Add("q["+name+"]", value)
			wantExploded.Add(name, value)
		}
		got, err := url.ParseQuery(deep.String())
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = url.ParseQuery(exploded.String())
		require.NoError(t, err)
		require.Equal(t, wantExploded, got)
	})
}

func TestValuesThatCannotBeEncoded(t *testing.T) {
	var q Query
	q.Value("q", DeepObject, math.NaN())
	require.ErrorContains(t, q.Err(), "q: json: unsupported value")
	var h Header
	h.Value("X-A", true, math.Inf(1))
	require.ErrorContains(t, h.Err(), "X-A: json: unsupported value")
	h = Header{}
	h.JSON("X-B", math.NaN())
	require.ErrorContains(t, h.Err(), "X-B:")
	h = Header{}
	h.CookieValue("c", Form, math.NaN())
	require.ErrorContains(t, h.Err(), "c: c:")
	require.Empty(t, PathValue(false, math.NaN()), "which the runtime refuses")
	_, err := EncodeForm(math.NaN())
	require.Error(t, err)
	_, err = EncodeForm([]int{1})
	require.EqualError(t, err, "only an object can be a form")
}

func TestHeaderValues(t *testing.T) {
	var h Header
	require.Nil(t, h.Values())
	h.Value("X-Object", false, map[string]int{"a": 1, "b": 2})
	h.Value("X-Exploded", true, map[string]int{"a": 1, "b": 2})
	h.Value("X-List", true, []string{"a", "b"})
	h.Value("X-None", true, (*int)(nil))
	h.JSON("X-JSON", []int{1})
	h.JSON("X-No-JSON", nil)
	h.Cookie("a b", "c;d")
	h.CookieValue("list", FormExplode, []int{1, 2})
	h.CookieValue("none", Form, nil)
	require.NoError(t, h.Err())
	require.Equal(t, map[string][]string{
		"X-Object": {"a,1,b,2"}, "X-Exploded": {"a=1,b=2"}, "X-List": {"a,b"}, "X-Json": {"[1]"},
		"Cookie": {"a%20b=c%3Bd; list=1; list=2"},
	}, map[string][]string(h.Values()))
}

func TestPathStyles(t *testing.T) {
	list, object := []string{"a", "b/c"}, map[string]int{"k": 1, "l": 2}
	for want, got := range map[string]string{
		"a,b%2Fc":       PathValue(false, list),
		"k,1,l,2":       PathValue(false, object),
		"k=1,l=2":       PathValue(true, object),
		".a,b%2Fc":      PathLabel(false, list),
		".a.b%2Fc":      PathLabel(true, list),
		".k=1.l=2":      PathLabel(true, object),
		".5":            PathLabel(false, 5),
		";p=a,b%2Fc":    PathMatrix("p", false, list),
		";p=a;p=b%2Fc":  PathMatrix("p", true, list),
		";k=1;l=2":      PathMatrix("p", true, object),
		";p%2F=k,1,l,2": PathMatrix("p/", false, object),
		"%5B1%5D":       PathJSON([]int{1}),
		"":              PathLabel(true, []string{}) + PathMatrix("p", true, nil) + PathJSON(nil) + PathValue(true, nil),
	} {
		require.Equal(t, want, got)
	}
}

func TestEncodeForm(t *testing.T) {
	data, err := EncodeForm(styled{A: "x y", B: []string{"1", "2"}, C: map[string]int{"k": 1}},
		Styled(Form, "b"), Styled(DeepObject, "c"), Typed("text/plain", "a"))
	require.NoError(t, err)
	require.Equal(t, "a=x%20y&b=1,2&c%5Bk%5D=1", string(data))
	data, err = EncodeForm(&styled{B: []string{"1", "2"}, C: map[string]int{"k": 1}})
	require.NoError(t, err)
	require.Equal(t, "a=&b=1&b=2&c=%7B%22k%22%3A1%7D", string(data))
	require.Equal(t, "text/plain", ContentType([]Encoding{Styled(Form, "a"), Typed("text/plain", "a")}, "a"))
	require.Empty(t, ContentType(nil, "a"))
}

// FuzzQueryValue: any JSON can be a parameter, and what a server reads of it has
// no more than its values.
func FuzzQueryValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, `[]`, `"x&y=z"`, `{"":{"":""}}`, `1e400`} {
		f.Add([]byte(seed), uint8(DeepObject))
	}
	f.Fuzz(func(t *testing.T, data []byte, style uint8) {
		var q Query
		q.Value("q", Style(style%6), rawJSON(data))
		if q.Err() != nil {
			return
		}
		_, err := url.ParseQuery(q.String())
		require.NoError(t, err)
	})
}

type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }
