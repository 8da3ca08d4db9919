package gateway

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
)

const (
	pushName  = "push"
	pushPause = 2 * time.Second // between two passes over the queue
)

// registerPush makes the channel known, if one is configured, and delivers queued
// codes to it until ctx ends. A channel that is not verified is refused, and the
// gateway does not start (ADV-UC-01).
func (g *Gateway) registerPush(ctx context.Context) error {
	p := g.config.Push
	if p.Endpoint == "" {
		return nil
	}
	authorities, err := p.authorities()
	if err != nil {
		return fmt.Errorf("--push-authorities: %w", err)
	}
	channel, err := fallback.NewPush(pushName, p.Endpoint, fallback.PushOptions{Token: fallback.Secret(p.Token), RootCAs: authorities})
	if err != nil {
		return err
	}
	if err := g.queue.Register(channel, p.Attestation); err != nil {
		return err
	}
	g.beside.Go(func() { g.drainInto(ctx, pushName) })
	return nil
}

func (p *Push) authorities() (*x509.CertPool, error) {
	if p.Authorities == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(p.Authorities)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM", p.Authorities)
	}
	return pool, nil
}

func (g *Gateway) drainInto(ctx context.Context, channel string) {
	ticker := time.NewTicker(pushPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if drained, err := g.queue.Drain(ctx, channel); err != nil && ctx.Err() == nil {
			g.log.Error("queued codes could not all be delivered", "channel", channel,
				"delivered", drained.Delivered, "failed", drained.Failed, "error", err)
		}
	}
}
