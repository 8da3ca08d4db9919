package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hidden are the secrets that a call knows, each in the form in which it would
// show.
var hidden = map[string]string{
	"API key in a header":      "header-hunter2",
	"API key in the query":     "query-hunter2",
	"bearer token":             "bearer-hunter2",
	"basic password":           "basic-hunter2",
	"basic credential on wire": base64.StdEncoding.EncodeToString([]byte("me:basic-hunter2")),
	"OAuth client secret":      "client-hunter2",
	"OAuth token":              "token-hunter2",
	"idempotency key":          "customer-hunter2",
	"cookie of the response":   "cookie-hunter2",
	"body of the response":     "body-hunter2",
	"body of the request":      "request-hunter2",
}

// withSecrets adds a cookie to what a step answers.
func withSecrets(step turn) turn {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "s=cookie-hunter2")
		step(w, r)
	}
}

func secretAnswer(code int, body string) turn {
	return withSecrets(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}

// raw answers with text that net/http would not write.
func raw(text string) turn {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		conn.Close()
	}
}

// secretly makes a call that knows every secret.
func secretly(ctx context.Context, t *testing.T, u *Upstream, credential Credential, opts ...CallOption) (Request, Outcome, error) {
	t.Helper()
	request := Request{
		Path: []string{"/pets"}, Body: JSON(pet{"request-hunter2"}),
		Auth: AnyOf(AllOf(
			APIKeyHeader("Key", "X-Api-Key", Secret("header-hunter2")),
			APIKeyQuery("Query", "api_key", Secret("query-hunter2")),
			Basic("Password", BasicCredential("me", "basic-hunter2")),
			Bearer("Token", credential),
		)),
	}
	op := quick(IdempotentByKey)
	op.KeyRetention = time.Hour
	var o Outcome
	_, err := Do(ctx, u, op, request, readPet, append(opts, Report(&o), Key("customer-hunter2")))
	return request, o, err
}

// requireNoSecret prints v in every way that logs do.
func requireNoSecret(t *testing.T, what string, v any) {
	t.Helper()
	encoded, err := json.Marshal(v)
	require.NoError(t, err, what)
	texts := []string{fmt.Sprintf("%v", v), fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v), fmt.Sprintf("%s", v), string(encoded)}
	for name, secret := range hidden {
		for _, text := range texts {
			require.NotContains(t, text, secret, "%s shows the %s", what, name)
		}
	}
}

// TestNothingShowsASecret: whatever a failing call leaves behind, an error, an
// outcome, an event, a problem, can be logged as it is (RULE-KEY-PRIVATE).
func TestNothingShowsASecret(t *testing.T) {
	bearer := Secret("bearer-hunter2")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx        context.Context
		steps      []turn
		credential Credential
		config     UpstreamConfig
		opts       []CallOption
		kind       string
	}{
		"success":                 {steps: []turn{secretAnswer(200, `{"name":"body-hunter2"}`)}, kind: "ok"},
		"status":                  {steps: []turn{secretAnswer(404, `{"title":"body-hunter2"}`)}, kind: "status"},
		"401, not refreshable":    {steps: []turn{secretAnswer(401, `{"title":"body-hunter2"}`)}, kind: "status"},
		"status of a broken body": {steps: []turn{withSecrets(cut(404))}, kind: "status"},
		"broken 2xx":              {steps: []turn{withSecrets(cut(200)), withSecrets(cut(200)), withSecrets(cut(200))}, kind: "transport"},
		"malformed body":          {steps: []turn{secretAnswer(200, `body-hunter2`)}, kind: "malformed"},
		"body of another type":    {steps: []turn{secretAnswer(200, `{"name":["body-hunter2"]}`)}, kind: "malformed"},
		"malformed status line":   {steps: []turn{raw("body-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"malformed header":        {steps: []turn{raw("HTTP/1.1 200 OK\r\nSet-Cookie s=cookie-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"malformed header name":   {steps: []turn{raw("HTTP/1.1 200 OK\r\nSet Cookie: s=cookie-hunter2\r\n\r\n")}, kind: "malformed"},
		"malformed first header":  {steps: []turn{raw("HTTP/1.1 200 OK\r\n Set-Cookie: s=cookie-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"header without a name":   {steps: []turn{raw("HTTP/1.1 200 OK\r\n: s=cookie-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"malformed status":        {steps: []turn{raw("HTTP/1.1 cookie-hunter2 OK\r\n\r\n")}, kind: "ambiguous"},
		"malformed version":       {steps: []turn{raw("HTTP/cookie-hunter2 200 OK\r\n\r\n")}, kind: "ambiguous"},
		"malformed length":        {steps: []turn{raw("HTTP/1.1 200 OK\r\nContent-Length: cookie-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"unknown coding":          {steps: []turn{raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: cookie-hunter2\r\n\r\n")}, kind: "ambiguous"},
		"ambiguous by loss":       {steps: []turn{lost, lost, lost}, kind: "ambiguous"},
		"ambiguous by status": {steps: []turn{secretAnswer(503, "body-hunter2"), secretAnswer(503, "body-hunter2"), secretAnswer(503, "body-hunter2")},
			kind: "ambiguous"},
		"redirect to nowhere": {steps: []turn{status(302, "Location", "http://[cookie-hunter2/")}, kind: "status"},
		"cancelled":           {ctx: cancelled, kind: "cancelled"},
		"breaker":             {config: UpstreamConfig{Breaker: &countingBreaker{err: fmt.Errorf("open")}}, kind: "rejected"},
		"credential":          {credential: Secret(""), kind: "rejected"},
		"header of two lines": {credential: Secret("bearer-hunter2\n"), kind: "rejected"},
		"token of two lines":  {opts: []CallOption{Header("X-Key", "header-hunter2\n")}, kind: "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			var events []Event
			tt.config.Budget = plenty{}
			tt.config.Observer = func(e Event) { events = append(events, e) }
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			if tt.credential == nil {
				tt.credential = bearer
			}
			u := connect(t, serve(t, tt.steps...).URL, tt.config)
			request, o, err := secretly(tt.ctx, t, u, tt.credential, tt.opts...)
			require.Equal(t, tt.kind, kind(err), "%v", err)
			requireNoSecret(t, "the error", err)
			requireNoSecret(t, "the outcome", o)
			requireNoSecret(t, "the outcome", &o)
			requireNoSecret(t, "the problem", ProblemOf(err))
			requireNoSecret(t, "an attempt", attemptTexts(o))
			require.NotEmpty(t, events)
			for _, e := range events {
				requireNoSecret(t, "an event", e)
			}
			require.NotContains(t, fmt.Sprintf("%+v %#v", request.Auth, request.Auth), "hunter2", "a secret in a private field")
		})
	}
}

// attemptTexts are the attempts as a log of them reads.
func attemptTexts(o Outcome) (texts []string) {
	for _, a := range o.Attempts {
		texts = append(texts, fmt.Sprintf("%+v", a))
	}
	return texts
}

// TestTokenEndpointShowsNoSecret: the endpoint fails in every way, and the call
// that needed the token says no more than that (RULE-KEY-PRIVATE).
func TestTokenEndpointShowsNoSecret(t *testing.T) {
	for name, step := range map[string]turn{
		"refused":         secretAnswer(400, `{"error":"client-hunter2"}`),
		"echo":            secretAnswer(500, `{"access_token":"token-hunter2"}`),
		"not JSON":        secretAnswer(200, `token-hunter2`),
		"another type":    secretAnswer(200, `{"access_token":"token-hunter2","token_type":"mac"}`),
		"wrong type":      secretAnswer(200, `{"access_token":["token-hunter2"]}`),
		"lost":            lost,
		"malformed":       raw("HTTP/1.1 200 OK\r\nSet-Cookie s=cookie-hunter2\r\n\r\n"),
		"token no header": secretAnswer(200, `{"access_token":"token-hunter2\n","token_type":"bearer"}`),
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := serve(t, step, step, step)
			credential, err := NewClientCredentials(ClientCredentials{TokenURL: endpoint.URL, ClientID: "me", ClientSecret: "client-hunter2"})
			require.NoError(t, err)
			_, o, err := secretly(t.Context(), t, connect(t, serve(t).URL, UpstreamConfig{Budget: plenty{}}), credential)
			require.Equal(t, "rejected", kind(err))
			requireNoSecret(t, "the error", err)
			requireNoSecret(t, "the outcome", o)
			requireNoSecret(t, "the problem", ProblemOf(err))
			requireNoSecret(t, "the cause", err.(*RejectedError).Cause.Error())
			for _, text := range []string{fmt.Sprintf("%+v", credential), fmt.Sprintf("%#v", credential), fmt.Sprintf("%+v", Bearer("Token", credential))} {
				require.NotContains(t, text, "hunter2")
			}
		})
	}
}

// TestHeldTokenDoesNotPrint, wherever its credential is kept.
func TestHeldTokenDoesNotPrint(t *testing.T) {
	r := NewRenewable(func(context.Context) (Token, error) { return Token{Secret: "token-hunter2"}, nil })
	_, err := r.Token(t.Context())
	require.NoError(t, err)
	private := struct {
		c Credential
		s Scheme
	}{r, Bearer("Token", r)}
	for _, format := range []string{"%v", "%+v", "%#v"} {
		require.NotContains(t, fmt.Sprintf(format, r), "hunter2")
		require.NotContains(t, fmt.Sprintf(format, private), "hunter2")
	}
}
