package runtime

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// Credential yields the secret of one security scheme. It is asked once per
// attempt and must be safe for concurrent use.
type Credential interface {
	Token(ctx context.Context) (string, error)
}

// Secret is a credential that never changes. It does not print.
func Secret(s string) Credential { return secret{&s} }

// secret points to its text: fmt asks no method of what lies in a private
// field, and prints a pointer there as an address.
type secret struct{ text *string }

func (s secret) Token(context.Context) (string, error) {
	if *s.text == "" {
		return "", errors.New("the secret is empty")
	}
	return *s.text, nil
}

func (secret) String() string   { return "(secret)" }
func (secret) GoString() string { return "runtime.Secret(…)" }

// Scheme is one security scheme of a document with its credential.
type Scheme struct {
	field      string // the Config field that holds the credential
	credential Credential
	place      func(a *authorization, token string)
	cookie     bool
}

// authorization is what credentials add to a request.
type authorization struct {
	headers []headerField
	query   string
	cookie  string
	tokens  []string // in the order of the requirement's schemes

	oneHeader [1]headerField // backs headers,
	oneToken  [1]string      // and tokens: most requirements have one scheme
}

// headerField is a header's canonical name and its only value, in the form of an
// [http.Header].
type headerField struct {
	name  string
	value []string
}

func (a *authorization) set(name string, value []string) {
	if a.headers == nil {
		a.headers = a.oneHeader[:0]
	}
	a.headers = append(a.headers, headerField{name, value})
}

// check refuses what no header can hold, without a word of it.
func (a *authorization) check() error {
	for _, field := range a.headers {
		if err := pool.CheckField(field.name, field.value[0]); err != nil {
			return err
		}
	}
	return nil
}

// APIKeyHeader sends the credential in a header. Field names the Config field,
// for messages.
func APIKeyHeader(field, header string, c Credential) Scheme {
	return inHeader(field, header, c, func(token string) string { return token })
}

// inHeader sends what encode makes of the credential in a header. What never changes
// is made once.
func inHeader(field, header string, c Credential, encode func(token string) string) Scheme {
	header = http.CanonicalHeaderKey(header)
	place := func(a *authorization, token string) { a.set(header, []string{encode(token)}) }
	if fixed, ok := c.(secret); ok {
		value := []string{encode(*fixed.text)}
		place = func(a *authorization, _ string) { a.set(header, value) }
	}
	return Scheme{field: field, credential: c, place: place}
}

// APIKeyQuery sends the credential as a query parameter.
func APIKeyQuery(field, param string, c Credential) Scheme {
	return Scheme{field: field, credential: c, place: func(a *authorization, token string) {
		if a.query != "" {
			a.query += "&"
		}
		a.query += url.QueryEscape(param) + "=" + url.QueryEscape(token)
	}}
}

// APIKeyCookie sends the credential in a cookie, as it is (RFC 6265).
func APIKeyCookie(field, cookie string, c Credential) Scheme {
	return Scheme{field: field, credential: c, place: func(a *authorization, token string) {
		if a.cookie != "" {
			a.cookie += "; "
		}
		a.cookie += cookie + "=" + token
	}, cookie: true}
}

// isCookieValue reports whether a cookie can hold s (RFC 6265, section 4.1.1).
func isCookieValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`",;\`, r) }) < 0
}

// Bearer sends the credential as a bearer token (RFC 6750).
func Bearer(field string, c Credential) Scheme {
	return inHeader(field, "Authorization", c, func(token string) string { return "Bearer " + token })
}

// Basic sends the credential, user and password joined by a colon, as basic
// authentication (RFC 7617); see [BasicCredential].
func Basic(field string, c Credential) Scheme {
	return inHeader(field, "Authorization", c, func(token string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(token))
	})
}

// BasicCredential joins a user, who may have no colon in the name, and a
// password.
func BasicCredential(user, password string) Credential { return Secret(user + ":" + password) }

// Requirement is a set of schemes that are needed together.
type Requirement struct{ schemes []Scheme }

// AllOf needs all schemes; without any, no credential is needed.
func AllOf(schemes ...Scheme) Requirement { return Requirement{schemes} }

// Auth is what an operation demands: one of several requirements. The zero Auth
// demands nothing.
type Auth struct{ requirements []Requirement }

// AnyOf takes the first requirement whose credentials are all configured; where one
// of them needs none, and no other is met, it takes that.
func AnyOf(requirements ...Requirement) Auth { return Auth{requirements} }

// choose picks the requirement that this client can meet.
func (a Auth) choose() (Requirement, error) {
	if len(a.requirements) == 0 {
		return Requirement{}, nil
	}
	optional := false
	for _, r := range a.requirements {
		switch {
		case len(r.schemes) == 0: // a credential that is there is worth more than none
			optional = true
		case r.missing() == "":
			return r, nil
		}
	}
	if optional {
		return Requirement{}, nil
	}
	return Requirement{}, fmt.Errorf("no credential: set Config.%s", a.requirements[0].missing())
}

// missing names the first Config field that holds no credential.
func (r Requirement) missing() string {
	for _, s := range r.schemes {
		if s.credential == nil {
			return s.field
		}
	}
	return ""
}

// token asks the credential; a secret is at hand, and needs no bounded time.
func (s Scheme) token(bounded func() context.Context) (string, error) {
	if fixed, ok := s.credential.(secret); ok {
		return fixed.Token(context.Background())
	}
	return s.credential.Token(bounded())
}

// authorize asks the credentials for their tokens. Errors of a credential are
// its own words; they must not hold the secret.
func (r Requirement) authorize(bounded func() context.Context, a *authorization) error {
	for _, s := range r.schemes {
		token, err := s.token(bounded)
		switch {
		case err != nil:
			return fmt.Errorf("credential %s: %w", s.field, err)
		case token == "":
			return fmt.Errorf("credential %s is empty", s.field)
		case s.cookie && !isCookieValue(token):
			return fmt.Errorf("credential %s has a character that a cookie cannot hold", s.field)
		}
		if a.tokens == nil {
			a.tokens = a.oneToken[:0]
		}
		a.tokens = append(a.tokens, token)
		s.place(a, token)
	}
	return nil
}

// Refresher is a credential that can be renewed after a 401, once per call
// (RULE-STATUS-401). [Renewable] is one.
type Refresher interface {
	Credential
	// Refresh replaces the token that the upstream has rejected.
	Refresh(ctx context.Context, rejected string) error
}

// refreshable reports whether a scheme of the requirement can be renewed.
func (r Requirement) refreshable() bool {
	for _, s := range r.schemes {
		if _, ok := s.credential.(Refresher); ok {
			return true
		}
	}
	return false
}

// refresh renews what can be renewed of the tokens that were rejected.
func (r Requirement) refresh(ctx context.Context, rejected []string) error {
	for i, s := range r.schemes {
		if credential, ok := s.credential.(Refresher); ok {
			if err := credential.Refresh(ctx, rejected[i]); err != nil {
				return fmt.Errorf("credential %s: %w", s.field, err)
			}
		}
	}
	return nil
}
