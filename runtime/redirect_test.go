package runtime

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRedirects: a redirect is a further send, followed for safely idempotent
// operations only, and in the attempt's record (RULE-STATUS-3XX).
func TestRedirects(t *testing.T) {
	to := func(code int, location string) turn { return status(code, "Location", location) }
	tests := map[string]struct {
		idempotency Idempotency
		method      string
		steps       []turn
		hops        int
		status      int
		methods     []string
	}{
		"307 keeps method and body":     {Idempotent, "POST", []turn{to(307, "/b")}, 1, 200, []string{"POST", "POST"}},
		"308 keeps method and body":     {Idempotent, "PUT", []turn{to(308, "/b")}, 1, 200, []string{"PUT", "PUT"}},
		"303 becomes a GET":             {Idempotent, "POST", []turn{to(303, "/b")}, 1, 200, []string{"POST", "GET"}},
		"302 of a GET":                  {Idempotent, "GET", []turn{to(302, "/b")}, 1, 200, []string{"GET", "GET"}},
		"302 of a POST is left alone":   {Idempotent, "POST", []turn{to(302, "/b")}, 0, 302, []string{"POST"}},
		"by key, the key goes along":    {IdempotentByKey, "POST", []turn{to(307, "/b")}, 1, 200, []string{"POST", "POST"}},
		"not idempotent":                {NotIdempotent, "POST", []turn{to(307, "/b")}, 0, 307, []string{"POST"}},
		"304 is no redirect":            {Idempotent, "GET", []turn{to(304, "/b")}, 0, 304, []string{"GET"}},
		"without a location":            {Idempotent, "GET", []turn{status(302)}, 0, 302, []string{"GET"}},
		"to another scheme":             {Idempotent, "GET", []turn{to(302, "ftp://127.0.0.1/b")}, 0, 302, []string{"GET"}},
		"five hops, the sixth is a 3xx": {Idempotent, "GET", []turn{to(302, "/1"), to(302, "/2"), to(302, "/3"), to(302, "/4"), to(302, "/5"), to(302, "/6")}, 5, 302, []string{"GET", "GET", "GET", "GET", "GET", "GET"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, tt.steps...)
			op := quick(tt.idempotency)
			op.Route = tt.method + " /pets"
			var o Outcome
			body := Body{}
			if tt.method != "GET" {
				body = JSON(pet{"rex"})
			}
			_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), op,
				Request{Path: []string{"/pets"}, Body: body}, readPet, []CallOption{Report(&o)})
			require.Equal(t, tt.status == 200, err == nil, "%v", err)
			require.Equal(t, tt.status, o.Status)
			require.Len(t, o.Attempts, 1)
			require.Len(t, o.Attempts[0].Hops, tt.hops)
			requests := server.read()
			require.Len(t, requests, 1+tt.hops, "the server reads what the call reports")
			for i, r := range requests {
				require.Equal(t, tt.methods[i], r.method)
				require.Equal(t, requests[0].header.Get("Idempotency-Key"), r.header.Get("Idempotency-Key"))
				if r.method != "GET" {
					require.Equal(t, `{"name":"rex"}`, r.body)
				}
			}
		})
	}
}

// TestRedirectToAnotherHost bears neither credentials nor the key, nor anything
// else that the user has set (RULE-STATUS-3XX).
func TestRedirectToAnotherHost(t *testing.T) {
	stranger := serve(t)
	home := serve(t, status(307, "Location", stranger.URL+"/b"), status(307, "Location", "/b"))
	u := connect(t, home.URL, UpstreamConfig{Budget: plenty{}, Header: http.Header{"X-Tenant": {"a"}}, UserAgent: "shop/1"})
	call := func() Outcome {
		var o Outcome
		_, err := Do(t.Context(), u, quick(IdempotentByKey), Request{
			Path: []string{"/pets"}, Query: query("a", "1"), Body: JSON(pet{"rex"}),
			Auth: AnyOf(AllOf(Bearer("Token", Secret("t1")), APIKeyQuery("Key", "api_key", Secret("k1")))),
		}, readPet, []CallOption{Report(&o), Header("Cookie", "c=1")})
		require.NoError(t, err)
		return o
	}
	call()
	sent := stranger.read()[0]
	require.Equal(t, "/b", sent.uri)
	require.Equal(t, `{"name":"rex"}`, sent.body)
	require.Equal(t, "shop/1", sent.header.Get("User-Agent"))
	for _, name := range []string{"Authorization", "Idempotency-Key", "Cookie", "X-Tenant"} {
		require.Empty(t, sent.header.Get(name), name)
	}

	o := call()
	same := home.read()[2]
	require.Equal(t, "/b?api_key=k1", same.uri)
	require.Equal(t, "Bearer t1", same.header.Get("Authorization"))
	require.Equal(t, o.Key, same.header.Get("Idempotency-Key"))
}

// TestRedirectsOfAStranger: an attempt that has left the upstream's host never
// bears a credential again, whether the stranger sends it on to itself or back
// home (RULE-STATUS-3XX).
func TestRedirectsOfAStranger(t *testing.T) {
	home := serve(t)
	stranger := serve(t, status(307, "Location", "/c"), status(307, "Location", home.URL+"/d"))
	home.steps = []turn{status(307, "Location", stranger.URL+"/b"), status(307, "Location", "/e"), ok, ok}
	u := connect(t, home.URL, UpstreamConfig{Budget: plenty{}})
	send := func() {
		_, err := Do(t.Context(), u, quick(IdempotentByKey), Request{
			Path: []string{"/pets"}, Body: JSON(pet{"rex"}),
			Auth: AnyOf(AllOf(Bearer("Token", Secret("t1")), APIKeyQuery("Key", "api_key", Secret("k1")))),
		}, readPet, nil)
		require.NoError(t, err)
	}
	send()
	strange := append(stranger.read(), home.read()[1:]...)
	var uris []string
	for _, r := range strange {
		uris = append(uris, r.uri)
		require.Empty(t, r.header.Get("Authorization"), r.uri)
		require.Empty(t, r.header.Get("Idempotency-Key"), r.uri)
	}
	require.Equal(t, []string{"/b", "/c", "/d", "/e"}, uris)
	send()
	require.Equal(t, "/pets?api_key=k1", home.read()[3].uri, "the next call has its credential")
}

// TestNoDowngrade: never from https to http (RULE-STATUS-3XX).
func TestNoDowngrade(t *testing.T) {
	c := &call{op: quick(Idempotent), req: Request{}}
	sent, err := http.NewRequest(http.MethodGet, "https://api.test/a", nil)
	require.NoError(t, err)
	for location, followed := range map[string]bool{
		"http://api.test/b": false, "https://api.test/b": true, "/b": true, "//other.test/b": true,
		"https://user:secret@api.test/b": false, "://": false,
	} {
		response := &http.Response{StatusCode: 302, Header: http.Header{"Location": {location}}}
		require.Equal(t, followed, c.follow(sent, response, 0) != nil, location)
	}
}
