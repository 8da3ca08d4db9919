package runtime

import (
	"context"
	"sync"
	"time"
)

// Renewable is a credential whose tokens expire. It fetches a token when one is
// needed, keeps it until shortly before its end, and replaces it once when an
// upstream rejects it. Concurrent calls share one fetch, and the fetch does not
// die with the context of the call that began it (RULE-STATUS-401).
type Renewable struct {
	fetch func(context.Context) (Token, error)

	mu      sync.Mutex
	token   Token
	renewal *renewal // under way; nil otherwise
}

// Token is a secret with an end.
type Token struct {
	Secret  string
	Expires time.Time // zero: unknown, kept until it is rejected
}

// String keeps the secret out of logs.
func (Token) String() string { return "(token)" }

// GoString keeps the secret out of logs.
func (Token) GoString() string { return "runtime.Token{…}" }

// expiryLeeway is how long before its end a token is no longer used: time to
// travel, and for clocks that differ.
const expiryLeeway = 10 * time.Second

// fetchTimeout bounds a fetch, which no caller's context does.
const fetchTimeout = 30 * time.Second

// renewal is one fetch that callers wait for.
type renewal struct {
	done  chan struct{}
	token Token
	err   error
}

// NewRenewable builds a credential on a function that fetches a token, from an
// OpenID Connect library, say. The function's errors are shown to callers; they
// must not hold a secret.
func NewRenewable(fetch func(context.Context) (Token, error)) *Renewable {
	return &Renewable{fetch: fetch}
}

// String keeps the token out of logs.
func (*Renewable) String() string { return "(renewable)" }

// GoString keeps the token out of logs.
func (*Renewable) GoString() string { return "&runtime.Renewable{…}" }

// Token implements [Credential].
func (r *Renewable) Token(ctx context.Context) (string, error) {
	r.mu.Lock()
	if r.token.valid(time.Now()) {
		defer r.mu.Unlock()
		return r.token.Secret, nil
	}
	return r.renew(ctx)
}

// Refresh implements [Refresher]. It does nothing where another call has
// replaced the rejected token already.
func (r *Renewable) Refresh(ctx context.Context, rejected string) error {
	r.mu.Lock()
	if r.token.Secret != rejected && r.token.valid(time.Now()) {
		r.mu.Unlock()
		return nil
	}
	r.token = Token{}
	_, err := r.renew(ctx)
	return err
}

func (t Token) valid(now time.Time) bool {
	return t.Secret != "" && (t.Expires.IsZero() || now.Before(t.Expires.Add(-expiryLeeway)))
}

// renew joins the fetch that is under way, or begins one. It is called with the
// lock held and releases it.
func (r *Renewable) renew(ctx context.Context) (string, error) {
	under := r.renewal
	if under == nil {
		under = &renewal{done: make(chan struct{})}
		r.renewal = under
		go r.run(context.WithoutCancel(ctx), under)
	}
	r.mu.Unlock()
	select {
	case <-under.done:
		return under.token.Secret, under.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (r *Renewable) run(ctx context.Context, under *renewal) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	under.token, under.err = r.fetch(ctx)
	r.mu.Lock()
	if under.err == nil {
		r.token = under.token
	}
	r.renewal = nil
	r.mu.Unlock()
	close(under.done)
}
