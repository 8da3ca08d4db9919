package runtime

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNextLink: RFC 8288, section 3.
func TestNextLink(t *testing.T) {
	for header, want := range map[string]string{
		`<https://a.example/x?page=2>; rel="next"`:                         "https://a.example/x?page=2",
		`<?page=2>;rel=next`:                                               "?page=2",
		`</p?q=a,b;c>; rel="prev next"; title="x"`:                         "/p?q=a,b;c",
		`<a>; rel="prev", <b>; rel="next", <c>; rel="next"`:                "b",
		`<a>; title="x, <y>; rel=\"next\""; rel=last , <b> ; REL = "NEXT"`: "b",
		`<a>; rel=next; rel=prev`:                                          "a",
		`<a>; rel*=UTF-8''next; rel=prev; rel=next, <b>; rel=next`:         "b",
		`<a>; rel=next; anchor="#x", <b>; crossorigin; rel=next`:           "b",
		`, ,<a>; rel=next,`:                                                "a",
		` < a > ; ;rel=next`:                                               "a",
		`<>; rel=next`:                                                     "",
	} {
		target, found, err := nextLink([]string{`</style.css>; rel=preload; as="style"`, header})
		require.NoError(t, err, header)
		require.True(t, found, header)
		require.Equal(t, want, target, header)
	}
	for _, header := range []string{"", ",", "<a>", `<a>; rel="nextish"`, `<a>; rel="prev"; title=next`, `<a>; rel`} {
		_, found, err := nextLink([]string{header})
		require.NoError(t, err, header)
		require.False(t, found, header)
	}
	for _, header := range []string{"a; rel=next", "<a; rel=next", `<a>; rel="next`, `<a> rel=next`, `<a>; rel=prev <b>; rel=next`} {
		_, _, err := nextLink([]string{header})
		require.ErrorIs(t, err, errLink, header)
	}
}

// TestLinksLeadToTheOperationOnly: of a link its query is used, and nothing is sent
// elsewhere (RULE-PAGE-LINK).
func TestLinksLeadToTheOperationOnly(t *testing.T) {
	at, err := url.Parse("https://api.example.com/v1/pets%20x?page=1")
	require.NoError(t, err)
	page := &pageCall{url: *at, credential: "api+key=s%263&t=1"}
	for target, want := range map[string]string{
		"?page=2":              "page=2",
		"pets%20x?a=%2F&b=c,d": "a=%2F&b=c,d",
		"/v1/pets%20x":         "",
		"":                     "page=1",
		"https://API.example.com:443/v1/pets%20x?page=2#f": "page=2",
		"https://u:p@api.example.com/v1/pets%20x?page=2":   "page=2",
		"?api%20key=s%263&page=2&t=9&tt=1&api+key":         "page=2&tt=1",
		"//api.example.com/v1/%70ets x?page=%zz":           "page=%zz",
	} {
		query, err := page.queryOf(target)
		require.NoError(t, err, target)
		require.Equal(t, want, query, target)
	}
	for target, want := range map[string]string{
		"http://api.example.com/v1/pets%20x?page=2":      `another origin, "http://api.example.com:80"`,
		"https://api.example.com:8443/v1/pets%20x":       `another origin, "https://api.example.com:8443"`,
		"https://api.example.com.evil.example/v1/pets x": `another origin, "https://api.example.com.evil.example:443"`,
		"//evil.example/v1/pets%20x":                     `another origin, "https://evil.example:443"`,
		"javascript:alert(1)":                            "another origin",
		"/v1/pets?page=2":                                `another path, "/v1/pets"`,
		"../x?page=2":                                    `another path, "/x"`,
		"https://[::1":                                   "no URL",
		"?a=b c":                                         "no URL",
		"?a=\u00e9":                                      "no URL",
		"?a=\r\nHost: x":                                 "no URL",
	} {
		_, err := page.queryOf(target)
		require.ErrorContains(t, err, want, target)
	}
}

// FuzzNextLink: a header of any form gives a link or none, or is malformed; a
// target that was found is found again in a header of its own.
func FuzzNextLink(f *testing.F) {
	for _, seed := range []string{`<a>; rel="next"`, `<a>; rel=prev, <b>; title="\"," ; rel=next`, `<;rel`, `<a>;;=";`} {
		f.Add(seed)
	}
	at := url.URL{Scheme: "https", Host: "a.example", Path: "/x"}
	f.Fuzz(func(t *testing.T, header string) {
		target, found, err := nextLink([]string{header})
		if err != nil || !found {
			require.Empty(t, target)
			return
		}
		require.NotContains(t, target, ">")
		again, found, err := nextLink([]string{"<" + target + `>; rel="next"`})
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, target, again)
		if query, err := (&pageCall{url: at}).queryOf(target); err == nil {
			require.False(t, strings.ContainsAny(query, " \r\n#"), query)
		}
	})
}
