package fallback

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Push is a channel to a service that pushes to a user's registered
// authenticators: one POST per delivery, under the delivery's ID as
// Idempotency-Key.
type Push struct {
	name     string
	endpoint string
	token    Secret
	client   *http.Client
}

// PushOptions of a [Push].
type PushOptions struct {
	// Token is the bearer token that the service asks for; empty for none.
	Token Secret
	// RootCAs are who may vouch for the service; nil means the system's.
	RootCAs *x509.CertPool
	// Timeout of a delivery; 0 means 5 s.
	Timeout time.Duration
}

// NewPush makes a channel whose connections are its own, and encrypted: there is
// no way to hand it a client that does not verify certificates.
func NewPush(name, endpoint string, o PushOptions) (*Push, error) {
	s := Statement{Channel: name, Endpoint: endpoint}
	if reason := s.unfit(); reason != "" {
		return nil, &BlockedError{name, reason}
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	return &Push{name: name, endpoint: endpoint, token: o.Token, client: &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 32,
			IdleConnTimeout:     time.Minute,
		},
		// A redirect leads to an endpoint that nobody has attested.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (p *Push) Name() string     { return p.name }
func (p *Push) Endpoint() string { return p.endpoint }

// Format keeps the token out of every verb.
func (p *Push) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "fallback.Push("+p.name+")") }

// pushed is the body of a delivery.
type pushed struct {
	ID        uuid.UUID `json:"delivery_id"`
	Kind      string    `json:"kind"`
	Recipient string    `json:"recipient"`
	Code      string    `json:"code"`
	Expires   time.Time `json:"expires"`
}

// Deliver posts a delivery. 2xx takes it; 404, 410 and 422 say that this recipient
// cannot be reached.
func (p *Push) Deliver(ctx context.Context, d Delivery) error {
	body, err := json.Marshal(pushed{d.ID, d.Kind, string(d.Recipient), string(d.Code), d.Expires})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", d.ID.String())
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+string(p.token))
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	// The body is no part of any error: it may repeat the code.
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	_ = response.Body.Close()
	return pushError(response.StatusCode)
}

func pushError(status int) error {
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: status %d", ErrUndeliverable, status)
	}
	return fmt.Errorf("status %d", status)
}
