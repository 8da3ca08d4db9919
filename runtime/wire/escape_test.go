package wire

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathString(t *testing.T) {
	for value, want := range map[string]string{
		"":         "",
		"a-b.c_d~": "a-b.c_d~",
		"a/b":      "a%2Fb",
		"a b+c":    "a%20b%2Bc",
		"?x#y":     "%3Fx%23y",
		"100%":     "100%25",
		"a,b;c=d":  "a%2Cb%3Bc%3Dd",
		"é":        "%C3%A9",
		"\xff\x00": "%FF%00",
		"..":       "..", // the runtime refuses it
	} {
		require.Equal(t, want, PathString(value), "%q", value)
	}
}

func TestPathArray(t *testing.T) {
	require.Equal(t, "a,b%2Cc,d%2Fe", PathArray([]string{"a", "b,c", "d/e"}))
	require.Empty(t, PathArray(nil))
}

func TestHeaderArray(t *testing.T) {
	require.Equal(t, "a,b c", HeaderArray([]string{"a", "b c"}))
}

func TestQuery(t *testing.T) {
	tests := []struct {
		name string
		add  func(*Query)
		want string
	}{
		{"empty", func(*Query) {}, ""},
		{"order of addition", func(q *Query) { q.Add("z", "1"); q.Add("a", "2"); q.Add("z", "3") }, "z=1&a=2&z=3"},
		{"space, plus and delimiters", func(q *Query) { q.Add("q", "a b+c&d=e#f") }, "q=a%20b%2Bc%26d%3De%23f"},
		{"name", func(q *Query) { q.Add("filter[name]", "x") }, "filter%5Bname%5D=x"},
		{"empty value", func(q *Query) { q.Add("q", "") }, "q="},
		{"form", func(q *Query) { q.Join("t", ",", []string{"a", "b,c"}) }, "t=a,b%2Cc"},
		{"spaceDelimited", func(q *Query) { q.Join("t", " ", []string{"a", "b"}) }, "t=a%20b"},
		{"pipeDelimited", func(q *Query) { q.Join("t", "|", []string{"a", "b"}) }, "t=a%7Cb"},
		{"no values", func(q *Query) { q.Join("t", ",", nil) }, ""},
		{"joined after added", func(q *Query) { q.Add("a", "1"); q.Join("t", ",", []string{"x"}) }, "a=1&t=x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var q Query
			test.add(&q)
			require.Equal(t, test.want, q.String())
		})
	}
}

func FuzzPathString(f *testing.F) {
	for _, s := range []string{"", "pet", "a/b?c#d", "%2F", "..", "\xff", "né e+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		segment := PathString(value)
		require.False(t, strings.ContainsAny(segment, "/?#"), segment)
		decoded, err := url.PathUnescape(segment)
		require.NoError(t, err)
		require.Equal(t, value, decoded)
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("q", "a b", "tag", "x,y", "z")
	f.Add("a&b", "=", "", "+", "%")
	f.Fuzz(func(t *testing.T, name, value, list, first, second string) {
		var q Query
		q.Add(name, value)
		q.Join(list, ",", []string{first, second})
		require.NotContains(t, q.String(), "+")

		added, joined, _ := strings.Cut(q.String(), "&")
		parsed, err := url.ParseQuery(added)
		require.NoError(t, err)
		require.Equal(t, url.Values{name: {value}}, parsed)

		_, items, _ := strings.Cut(joined, "=")
		a, b, ok := strings.Cut(items, ",")
		require.True(t, ok)
		requireUnescaped(t, first, a)
		requireUnescaped(t, second, b)
	})
}

func requireUnescaped(t *testing.T, want, encoded string) {
	t.Helper()
	decoded, err := url.QueryUnescape(encoded)
	require.NoError(t, err)
	require.Equal(t, want, decoded)
}
