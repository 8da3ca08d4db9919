package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokenFunc is a credential that asks a function.
type tokenFunc func(context.Context) (string, error)

func (f tokenFunc) Token(ctx context.Context) (string, error) { return f(ctx) }

func TestSchemes(t *testing.T) {
	server := serve(t)
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
	key, token := Secret("k&1"), Secret("t1")
	tests := []struct {
		auth   Auth
		uri    string
		header http.Header
	}{
		{Auth{}, "/pets?a=1", http.Header{}},
		{AnyOf(AllOf(APIKeyHeader("Key", "X-Api-Key", key))), "/pets?a=1", http.Header{"X-Api-Key": {"k&1"}}},
		{AnyOf(AllOf(APIKeyQuery("Key", "api_key", key))), "/pets?a=1&api_key=k%261", http.Header{}},
		{AnyOf(AllOf(Bearer("Token", nil)), AllOf(Bearer("Token", token), APIKeyHeader("Key", "X-Api-Key", key))), "/pets?a=1",
			http.Header{"Authorization": {"Bearer t1"}, "X-Api-Key": {"k&1"}}},
		{AnyOf(AllOf(Bearer("Token", nil)), AllOf()), "/pets?a=1", http.Header{}},
		{AnyOf(AllOf(), AllOf(Bearer("Token", token))), "/pets?a=1", http.Header{"Authorization": {"Bearer t1"}}},
	}
	for _, tt := range tests {
		_, err := Do(t.Context(), u, quick(Idempotent), Request{Path: []string{"/pets"}, Query: query("a", "1"), Auth: tt.auth}, readPet, nil)
		require.NoError(t, err)
		requests := server.read()
		last := requests[len(requests)-1]
		require.Equal(t, tt.uri, last.uri)
		for _, name := range []string{"X-Api-Key", "Authorization"} {
			require.Equal(t, tt.header[name], last.header[name], name)
		}
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(format, Secret("hunter2")), "hunter2")
	}
}

// stale is a credential whose first token is stale.
type stale struct {
	token     string
	refreshes int
	err       error
}

func (r *stale) Token(context.Context) (string, error) { return r.token, nil }

func (r *stale) Refresh(_ context.Context, rejected string) error {
	if rejected != "stale" {
		panic(rejected)
	}
	r.refreshes++
	r.token = "fresh"
	return r.err
}

// TestRefreshOnce: one refresh and one replay for the whole call, of safely
// idempotent operations only (RULE-STATUS-401).
func TestRefreshOnce(t *testing.T) {
	tests := map[string]struct {
		op        *Operation
		steps     []turn
		err       error
		attempts  int
		refreshes int
		kind      string
	}{
		"refreshed":              {quick(Idempotent), []turn{status(401)}, nil, 2, 1, "ok"},
		"a second 401 is final":  {quick(Idempotent), []turn{status(401), status(401)}, nil, 2, 1, "status"},
		"not idempotent":         {quick(NotIdempotent), []turn{status(401)}, nil, 1, 0, "status"},
		"the refresh fails":      {quick(Idempotent), []turn{status(401)}, errors.New("no"), 1, 1, "status"},
		"other statuses do not":  {quick(Idempotent), []turn{status(403)}, nil, 1, 0, "status"},
		"by key, it is the same": {quick(IdempotentByKey), []turn{status(401)}, nil, 2, 1, "ok"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, tt.steps...)
			credential := &stale{token: "stale", err: tt.err}
			var o Outcome
			_, err := Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), tt.op,
				Request{Path: []string{"/pets"}, Auth: AnyOf(AllOf(Bearer("Token", credential)))}, readPet, []CallOption{Report(&o)})
			require.Equal(t, tt.kind, kind(err))
			require.Len(t, o.Attempts, tt.attempts)
			require.Equal(t, tt.refreshes, credential.refreshes)
			for i, r := range server.read() {
				require.Equal(t, []string{"Bearer stale", "Bearer fresh"}[i], r.header.Get("Authorization"))
			}
		})
	}
}
