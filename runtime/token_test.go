package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOneFetchForAll: concurrent calls share one fetch, and it does not die with
// the call that began it (RULE-STATUS-401).
func TestOneFetchForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		r := NewRenewable(func(ctx context.Context) (Token, error) {
			fetches++
			time.Sleep(time.Second)
			return Token{Secret: fmt.Sprint("t", fetches)}, ctx.Err()
		})
		first, cancel := context.WithCancel(t.Context())
		var gaveUp error
		go func() { _, gaveUp = r.Token(first) }()
		synctest.Wait()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				token, err := r.Token(t.Context())
				require.NoError(t, err)
				require.Equal(t, "t1", token)
			})
		}
		synctest.Wait()
		cancel()
		all.Wait()
		synctest.Wait()
		require.ErrorIs(t, gaveUp, context.Canceled)
		require.Equal(t, 1, fetches)

		for range 100 { // all were rejected with the same token
			all.Go(func() { require.NoError(t, r.Refresh(t.Context(), "t1")) })
		}
		all.Wait()
		require.Equal(t, 2, fetches)
		require.NoError(t, r.Refresh(t.Context(), "t1"), "replaced already")
		require.Equal(t, 2, fetches)
	})
}

func TestTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		failing := errors.New("the endpoint is down")
		var err error
		r := NewRenewable(func(context.Context) (Token, error) {
			fetches++
			return Token{Secret: fmt.Sprint("t", fetches), Expires: time.Now().Add(time.Minute)}, err
		})
		get := func() string {
			token, err := r.Token(t.Context())
			require.NoError(t, err)
			return token
		}
		require.Equal(t, "t1", get())
		time.Sleep(49 * time.Second)
		require.Equal(t, "t1", get())
		time.Sleep(2 * time.Second)
		require.Equal(t, "t2", get(), "replaced before its end")
		err = failing
		require.ErrorIs(t, r.Refresh(t.Context(), "t2"), failing)
		_, tokenErr := r.Token(t.Context())
		require.ErrorIs(t, tokenErr, failing, "a rejected token is not used again")
	})
}

// TestManyRejectedCalls: a hundred concurrent 401s cost one fetch and one replay
// each (RULE-STATUS-401).
func TestManyRejectedCalls(t *testing.T) {
	var fetches, attempts atomic.Int64
	r := NewRenewable(func(context.Context) (Token, error) {
		return Token{Secret: fmt.Sprint("t", fetches.Add(1))}, nil
	})
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts.Add(1)
		if r.Header.Get("Authorization") != "Bearer t2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ok(w, r)
	})
	server := serve(t)
	server.Config.Handler = mux
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			_, err := Do(t.Context(), u, quick(Idempotent), Request{
				Path: []string{"/pets"}, Auth: AnyOf(AllOf(Bearer("Token", r))),
			}, readPet, nil)
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.EqualValues(t, 2, fetches.Load())
	require.LessOrEqual(t, attempts.Load(), int64(200))
}

// TestRefusedRefreshIsFinal: a token endpoint that says no to the refresh is not
// asked again, and neither is the upstream (RULE-STATUS-401).
func TestRefusedRefreshIsFinal(t *testing.T) {
	for _, refusal := range []int{400, 401, 403} {
		endpoint := serve(t, text(`{"access_token": "t-1", "token_type": "bearer"}`), status(refusal), status(refusal))
		server := serve(t, status(401))
		credential, err := NewClientCredentials(ClientCredentials{TokenURL: endpoint.URL, ClientID: "shop", ClientSecret: "hunter2"})
		require.NoError(t, err)
		var o Outcome
		_, err = Do(t.Context(), connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent),
			Request{Path: []string{"/pets"}, Auth: AnyOf(AllOf(Bearer("Token", credential)))}, readPet, []CallOption{Report(&o)})
		var failed *StatusError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, 401, failed.Status, "the upstream's own answer")
		var cause *StatusError
		require.ErrorAs(t, failed.Cause, &cause)
		require.Equal(t, refusal, cause.Status, "the endpoint's is beside it")
		require.Len(t, server.read(), 1)
		require.Len(t, endpoint.read(), 2)
	}
}

func TestClientCredentials(t *testing.T) {
	endpoint := serve(t, status(503), text(`{"access_token": "t-1", "token_type": "bearer", "expires_in": 60}`))
	credential, err := NewClientCredentials(ClientCredentials{
		TokenURL: endpoint.URL + "/oauth/token?v=2", ClientID: "shop 1", ClientSecret: "hunter2",
		Scopes: []string{"read", "write"}, Parameters: url.Values{"audience": {"pets"}},
	})
	require.NoError(t, err)
	for range 2 {
		token, err := credential.Token(t.Context())
		require.NoError(t, err)
		require.Equal(t, "t-1", token)
	}
	requests := endpoint.read()
	require.Len(t, requests, 2, "the token is kept; the 503 was repeated")
	sent := requests[1]
	require.Equal(t, "/oauth/token?v=2", sent.uri)
	require.Equal(t, "audience=pets&grant_type=client_credentials&scope=read+write", sent.body)
	require.Equal(t, "application/x-www-form-urlencoded", sent.header.Get("Content-Type"))
	request := http.Request{Header: sent.header}
	user, password, _ := request.BasicAuth()
	require.Equal(t, []string{"shop+1", "hunter2"}, []string{user, password}, "RFC 6749, section 2.3.1")
}

// TestClientCredentialsFail without showing a secret.
func TestClientCredentialsFail(t *testing.T) {
	for name, step := range map[string]turn{
		"refused":         status(400),
		"no token":        text(`{"token_type": "bearer"}`),
		"empty token":     text(`{"access_token": "", "token_type": "bearer"}`),
		"another kind":    text(`{"access_token": "hunter2", "token_type": "mac"}`),
		"no JSON":         text(`access_token=hunter2`),
		"not an object":   text(`["hunter2"]`),
		"wrong type":      text(`{"access_token": "hunter2", "token_type": {"a": "hunter2"}}`),
		"connection lost": lost,
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := serve(t, step, step, step)
			config := ClientCredentials{TokenURL: endpoint.URL, ClientID: "shop", ClientSecret: "hunter2"}
			credential, err := NewClientCredentials(config)
			require.NoError(t, err)
			_, err = credential.Token(t.Context())
			require.Error(t, err)
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, fmt.Sprintf("%v %+v %#v", config, config, config), "hunter2")
		})
	}
	_, err := NewClientCredentials(ClientCredentials{TokenURL: "https://auth.test"})
	require.ErrorContains(t, err, "need ClientID")
	_, err = NewClientCredentials(ClientCredentials{TokenURL: "file:///etc", ClientID: "a", ClientSecret: "b"})
	require.ErrorContains(t, err, "http://")
}
