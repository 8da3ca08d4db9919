package runtime

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/wire"
)

// ClientCredentials is the OAuth 2.0 client credentials grant (RFC 6749, section
// 4.4). The token endpoint is an upstream of its own, with its own budget and
// connections.
type ClientCredentials struct {
	TokenURL     string
	ClientID     string
	ClientSecret string
	Scopes       []string
	// Parameters are sent along: "audience", say.
	Parameters url.Values
	// Upstream tunes the connections to the token endpoint.
	Upstream UpstreamConfig
}

// String keeps the secret out of logs.
func (ClientCredentials) String() string { return "(client credentials)" }

// GoString keeps the secret out of logs.
func (ClientCredentials) GoString() string { return "runtime.ClientCredentials{…}" }

// fetchToken asks for a token. Asking twice is the same as asking once, as far
// as anybody cares, so it may be repeated.
var fetchToken = Operation{
	Name:              "token",
	Route:             "POST /",
	Idempotency:       Idempotent,
	Replayability:     Replayable,
	MaxAttempts:       3,
	Deadline:          10 * time.Second,
	AttemptTimeout:    4 * time.Second,
	MinAttemptBudget:  100 * time.Millisecond,
	BackoffBase:       100 * time.Millisecond,
	BackoffMax:        time.Second,
	BackoffMultiplier: 2,
	RetryAfterMax:     5 * time.Second,
}

var tokenEndpoint = UpstreamContract{
	Name:               "token endpoint",
	BudgetRatio:        0.1,
	BudgetWindow:       time.Minute,
	BudgetMinPerWindow: 10,
}

// NewClientCredentials builds the credential. The client's id and secret are sent
// in the Authorization header; parameters, in the body, stay the same.
func NewClientCredentials(c ClientCredentials) (*Renewable, error) {
	if c.ClientID == "" || c.ClientSecret == "" {
		return nil, errors.New("retrygen: client credentials need ClientID and ClientSecret")
	}
	endpoint, err := url.Parse(c.TokenURL)
	if err != nil {
		return nil, errors.New("retrygen: TokenURL does not parse")
	}
	base := *endpoint
	base.Path, base.RawPath, base.RawQuery = "", "", ""
	u, err := NewUpstream(tokenEndpoint, base.String(), c.Upstream, []*Operation{&fetchToken})
	if err != nil {
		return nil, err
	}
	request := Request{
		Path:   []string{endpoint.EscapedPath()},
		Query:  wire.RawQuery(endpoint.RawQuery),
		Accept: "application/json",
		Auth:   AnyOf(AllOf(Basic("ClientSecret", BasicCredential(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret))))),
		Body:   Bytes("application/x-www-form-urlencoded", []byte(c.form().Encode())),
	}
	return NewRenewable(func(ctx context.Context) (Token, error) {
		return Do(ctx, u, &fetchToken, request, readToken, nil)
	}), nil
}

func (c *ClientCredentials) form() url.Values {
	form := url.Values{"grant_type": {"client_credentials"}}
	for name, values := range c.Parameters {
		form[name] = values
	}
	if len(c.Scopes) > 0 {
		form.Set("scope", strings.Join(c.Scopes, " "))
	}
	return form
}

type tokenAnswer struct {
	AccessToken string  `json:"access_token"`
	TokenType   string  `json:"token_type"`
	ExpiresIn   float64 `json:"expires_in,omitzero"` // seconds
}

func readToken(r *Response) (Token, error) {
	if r.StatusCode != http.StatusOK {
		return Token{}, r.Undocumented()
	}
	answer, err := ReadJSON[tokenAnswer](r)
	switch {
	case err != nil:
		return Token{}, errors.New("the answer is no token") // its own words could hold one
	case answer.AccessToken == "":
		return Token{}, errors.New("the answer's access_token is empty")
	case !strings.EqualFold(answer.TokenType, "Bearer"):
		return Token{}, errors.New("the token is no bearer token")
	}
	token := Token{Secret: answer.AccessToken}
	if answer.ExpiresIn > 0 {
		token.Expires = time.Now().Add(time.Duration(answer.ExpiresIn * float64(time.Second)))
	}
	return token, nil
}
