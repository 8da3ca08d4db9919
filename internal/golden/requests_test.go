package golden

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
	bodies "github.com/retrygen/retrygen/testdata/golden/bodies-by-replayability"
	matrix "github.com/retrygen/retrygen/testdata/golden/nullable-matrix"
	paths "github.com/retrygen/retrygen/testdata/golden/path-parameters"
	params "github.com/retrygen/retrygen/testdata/golden/query-and-header"
	"github.com/retrygen/retrygen/testdata/golden/security"
	"github.com/retrygen/retrygen/testdata/golden/servers"
)

// TestPathsOnTheWire: no value adds a segment, a query or a fragment.
func TestPathsOnTheWire(t *testing.T) {
	instant := time.Date(2026, 2, 3, 4, 5, 6, 7e8, time.FixedZone("", 3600))
	for want, call := range map[string]func(context.Context, *paths.Client) error{
		"/pools/7/files/a%2Fb%3Fc%23d%20%C3%A4%25.json": func(ctx context.Context, c *paths.Client) error {
			return c.GetFile(ctx, 7, "a/b?c#d ä%")
		},
		"/pools/-1/files/...json": func(ctx context.Context, c *paths.Client) error { return c.GetFile(ctx, -1, "..") },
		"/days/2026-02-03/at/2026-02-03T04%3A05%3A06.7%2B01%3A00/flags/true": func(ctx context.Context, c *paths.Client) error {
			return c.GetDay(ctx, wire.NewDate(2026, 2, 3), instant, true)
		},
		"/sets/1,2/a%2Cb,c": func(ctx context.Context, c *paths.Client) error {
			return c.GetSets(ctx, []int64{1, 2}, []string{"a,b", "c"})
		},
		"/a%20b/~0.5:-3": func(ctx context.Context, c *paths.Client) error { return c.GetOdd(ctx, 0.5, -3) },
	} {
		server := serve(t)
		require.NoError(t, call(t.Context(), client[*paths.Client](t)(paths.New(paths.Config{BaseURL: server.URL + "/root/"}))))
		require.Equal(t, "GET /root"+want, server.only(t).line)
	}
}

func TestQueryAndHeadersOnTheWire(t *testing.T) {
	server := serve(t, json200(`["a"]`))
	c := client[*params.Client](t)(params.New(params.Config{BaseURL: server.URL}))
	found, err := c.Search(t.Context(), params.SearchParams{
		Q: "a&b=c d", Words: []string{"x,y", "z"}, Tag: []string{"1", "2"}, IDs: []int64{3, 4}, Limit: ptr(int32(0)),
		Ratio: ptr(float32(0.1)), Exact: ptr(false), Since: ptr(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		Day:   ptr(wire.NewDate(2026, 1, 2)), //nolint:staticcheck // deprecated ones are sent, too
		Order: ptr(params.SearchOrderDashAge), XRequestID: "r 1", XIDs: []int64{5, 6},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, found)
	got := server.only(t)
	require.Equal(t, "GET /search?q=a%26b%3Dc%20d&words=x%2Cy,z&tag=1&tag=2&ids=3,4&limit=0&ratio=0.1&exact=false"+
		"&since=2026-01-02T03%3A04%3A05Z&day=2026-01-02&order=-age", got.line)
	require.Equal(t, []string{"r 1"}, got.header["X-Request-Id"])
	require.Equal(t, []string{"5,6"}, got.header["X-Ids"])
	require.NotContains(t, got.header, "X-Trace")
}

// TestAbsentParametersAreNotSent.
func TestAbsentParametersAreNotSent(t *testing.T) {
	server := serve(t, json200(`[]`))
	c := client[*params.Client](t)(params.New(params.Config{BaseURL: server.URL}))
	_, err := c.Search(t.Context(), params.SearchParams{Q: "", Words: []string{}, XRequestID: "r"})
	require.NoError(t, err)
	require.Equal(t, "GET /search?q=", server.only(t).line)
}

// TestNullAndAbsentDiffer: each property is what the document says, and no zero
// value turns into absence.
func TestNullAndAbsentDiffer(t *testing.T) {
	empty := matrix.PatchMRequest{RequiredList: []*string{}}
	full := matrix.PatchMRequest{
		Required: "a", RequiredNull: ptr(""), RequiredList: []*string{nil, ptr("b")},
		RequiredNullObject: &matrix.PatchMRequestRequiredNullObject{}, Optional: ptr(""),
		OptionalNull: wire.Value(""), OptionalNullNumber: wire.Value(int64(1)), OptionalNullList: wire.Value([]string{}),
	}
	null := matrix.PatchMRequest{
		RequiredList: []*string{}, OptionalNull: wire.Null[string](), OptionalNullNumber: wire.Null[int64](),
		OptionalNullObject: wire.Null[matrix.PatchMRequestOptionalNullObject](),
	}
	for _, test := range []struct {
		sent matrix.PatchMRequest
		want string
	}{
		{empty, `{"required":"","requiredNull":null,"requiredList":[],"requiredNullObject":null}`},
		{full, `{"required":"a","requiredNull":"","requiredList":[null,"b"],"requiredNullObject":{},"optional":"",` +
			`"optionalNull":"","optionalNullNumber":1,"optionalNullList":[]}`},
		{null, `{"required":"","requiredNull":null,"requiredList":[],"requiredNullObject":null,` +
			`"optionalNull":null,"optionalNullObject":null,"optionalNullNumber":null}`},
	} {
		server := serve(t, json200(`null`))
		c := client[*matrix.Client](t)(matrix.New(matrix.Config{BaseURL: server.URL}))
		answer, err := c.PatchM(t.Context(), test.sent)
		require.NoError(t, err)
		require.Nil(t, answer)
		got := server.only(t)
		require.Equal(t, test.want, got.body)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, "application/json", got.header.Get("Accept"))
	}
}

// TestBodiesAreSentAgainAsDeclared: in memory and opened anew they are the same
// on every attempt; a reader is read once (RULE-BODY).
func TestBodiesAreSentAgainAsDeclared(t *testing.T) {
	busy := answer{status: http.StatusServiceUnavailable}
	opened := 0
	open := func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader("hello")), nil
	}
	for name, test := range map[string]struct {
		call     func(context.Context, *bodies.Client) error
		requests int
		kind     string
	}{
		"in memory":    {func(ctx context.Context, c *bodies.Client) error { return c.PutBytes(ctx, []byte("hello")) }, 2, "application/octet-stream"},
		"opened anew":  {func(ctx context.Context, c *bodies.Client) error { return c.PutFile(ctx, open) }, 2, "application/zip"},
		"read once":    {func(ctx context.Context, c *bodies.Client) error { return c.PutStream(ctx, strings.NewReader("hello")) }, 1, "text/csv"},
		"of no reader": {func(ctx context.Context, c *bodies.Client) error { return c.PutStream(ctx, nil) }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, busy, answer{status: http.StatusNoContent})
			err := test.call(t.Context(), client[*bodies.Client](t)(bodies.New(bodies.Config{BaseURL: server.URL})))
			require.Equal(t, test.requests == 2, err == nil, "%v", err)
			requests := server.read()
			require.Len(t, requests, test.requests)
			for _, r := range requests {
				require.Equal(t, "hello", r.body)
				require.Equal(t, test.kind, r.header.Get("Content-Type"))
			}
		})
	}
	require.Equal(t, 2, opened)
}

// TestAbsentBodiesAreNotSent, and a body that is null is.
func TestAbsentBodiesAreNotSent(t *testing.T) {
	for want, call := range map[string]func(context.Context, *bodies.Client) error{
		"":        func(ctx context.Context, c *bodies.Client) error { return c.PatchJSON(ctx, nil) },
		`{"x":0}`: func(ctx context.Context, c *bodies.Client) error { return c.PatchJSON(ctx, &bodies.Point{}) },
		"null":    func(ctx context.Context, c *bodies.Client) error { return c.PutNull(ctx, nil) },
		"0":       func(ctx context.Context, c *bodies.Client) error { return c.PutScalar(ctx, 0) },
	} {
		server := serve(t)
		require.NoError(t, call(t.Context(), client[*bodies.Client](t)(bodies.New(bodies.Config{BaseURL: server.URL}))))
		require.Equal(t, want, server.only(t).body)
	}
}

// TestCredentialsOnTheWire: the first alternative whose credentials are all
// there is used; without one, nothing is sent.
func TestCredentialsOnTheWire(t *testing.T) {
	secret := runtime.Secret
	all := security.Config{APIKey: secret("k"), BearerAuth: secret("b"), O: secret("o"), Type: secret("t&1")}
	type sent struct{ authorization, key, query string }
	for name, test := range map[string]struct {
		config security.Config
		call   func(*security.Client, context.Context, ...runtime.CallOption) error
		want   sent
		says   string
	}{
		"none":                    {all, (*security.Client).Open, sent{}, ""},
		"none is the first":       {all, (*security.Client).Maybe, sent{authorization: "Bearer b"}, ""},
		"of the document":         {all, (*security.Client).Inherit, sent{authorization: "Bearer b"}, ""},
		"two together":            {all, (*security.Client).Both, sent{authorization: "Bearer b", key: "k"}, ""},
		"the first of two":        {all, (*security.Client).Either, sent{authorization: "Bearer o"}, ""},
		"the second of four":      {security.Config{Type: secret("t&1"), BearerAuth: secret("b")}, (*security.Client).Many, sent{query: "t&1"}, ""},
		"the last of four":        {security.Config{BearerAuth: secret("b")}, (*security.Client).Many, sent{authorization: "Bearer b"}, ""},
		"one of two is missing":   {security.Config{BearerAuth: secret("b")}, (*security.Client).Both, sent{}, "set Config.APIKey"},
		"no alternative is there": {security.Config{}, (*security.Client).Many, sent{}, "set Config.O"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			test.config.BaseURL = server.URL
			err := test.call(client[*security.Client](t)(security.New(test.config)), t.Context())
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				require.Empty(t, server.read())
				return
			}
			require.NoError(t, err)
			got := server.only(t)
			target, err := url.Parse(strings.TrimPrefix(got.line, "GET "))
			require.NoError(t, err)
			require.Equal(t, test.want, sent{got.header.Get("Authorization"), got.header.Get("X-Api-Key"), target.Query().Get("key")})
		})
	}
}

// TestConfigReachesTheWire: what users of other generators look for first.
func TestConfigReachesTheWire(t *testing.T) {
	server := serve(t)
	dialled := ""
	c := client[*servers.Client](t)(servers.New(servers.Config{Base: "v9", Port: "8443", Region: "eu", Upstream: runtime.UpstreamConfig{
		UserAgent: "shop/1",
		Header:    http.Header{"X-Tenant": {"7"}},
		Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
			dialled = r.URL.Host
			return nil, context.Canceled
		}},
	}}))
	require.Error(t, c.P(t.Context(), runtime.MaxAttempts(1)))
	require.Equal(t, "eu.example.test:8443", dialled, "the server's URL with its variables, by the user's own transport")

	c = client[*servers.Client](t)(servers.New(servers.Config{BaseURL: server.URL + "/base", Upstream: runtime.UpstreamConfig{
		UserAgent: "shop/1", Header: http.Header{"X-Tenant": {"7"}},
	}}))
	require.NoError(t, c.P(t.Context(), runtime.Header("X-Call", "8")))
	got := server.only(t)
	require.Equal(t, "GET /base/p", got.line)
	require.Equal(t, "shop/1", got.header.Get("User-Agent"))
	require.Equal(t, "7", got.header.Get("X-Tenant"))
	require.Equal(t, "8", got.header.Get("X-Call"))
	require.Equal(t, "1", got.header.Get(runtime.AttemptHeader))

	_, err := servers.New(servers.Config{Region: "moon"})
	require.ErrorContains(t, err, "moon")
}
