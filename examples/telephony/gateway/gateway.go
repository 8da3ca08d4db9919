// Package gateway is a service that sends login codes by SMS. It takes requests
// over HTTP, calls the provider through the generated client, writes down what
// becomes of each send, and never sends one again that may have gone out.
//
//	POST /v1/codes ──> intent ──> provider ──> 201
//	                     │           └──────> problem, and a record in the fallback queue
//	                     └── durable before the first attempt
package gateway

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/journal"
	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/examples/telephony/notify"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// Gateway is the service.
type Gateway struct {
	config  Config
	log     *slog.Logger
	metrics *metrics
	logins  *callers // by user

	queue   *fallback.Queue
	journal *journal.Journal
	states  *lifecycle.Observer
	codes   *sms.Client
	notices *notify.Client
	handler http.Handler

	draining atomic.Bool
	stop     context.CancelFunc // ends what runs beside requests
	beside   sync.WaitGroup
	running  running
}

// New opens what a gateway needs. It must be closed.
func New(config Config, log *slog.Logger) (_ *Gateway, err error) {
	g := &Gateway{
		config:  config,
		log:     log,
		metrics: newMetrics(),
		logins:  newCallers(config.PerLogin),
	}
	for _, warning := range config.Warnings() {
		log.Warn(warning)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.closeStores(context.Background()))
		}
	}()
	if err := g.openStores(); err != nil {
		return nil, err
	}
	if err := g.connect(); err != nil {
		return nil, err
	}
	var beside context.Context
	beside, g.stop = context.WithCancel(context.Background())
	if err := g.registerPush(beside); err != nil {
		g.stop()
		return nil, err
	}
	g.gauges()
	g.handler = g.routes()
	return g, nil
}

// openStores opens the fallback queue and the journal.
func (g *Gateway) openStores() error {
	sealer, err := fallback.ParseSealer(g.config.QueueKeys)
	if err != nil {
		return fmt.Errorf("GATEWAY_QUEUE_KEY: %w", err)
	}
	var attesters []ed25519.PublicKey
	if g.config.Push.Attesters != "" {
		if attesters, err = fallback.ParseAttesters(g.config.Push.Attesters); err != nil {
			return fmt.Errorf("--attesters: %w", err)
		}
	}
	g.queue, err = fallback.Open(g.config.Queue, fallback.Options{
		Sealer:    sealer,
		Attesters: attesters,
		Logger:    g.log,
		NoSync:    g.config.QueueNoSync,
	})
	if err != nil {
		return err
	}
	g.journal, err = journal.Open(journal.Config{Dir: g.config.Journal, Kafka: g.config.Kafka, Log: g.log})
	return err
}

// connect builds the clients of the two upstreams. They share nothing (ADV-FD-01):
// not connections, not a dialer, not a budget.
func (g *Gateway) connect() (err error) {
	transport := g.config.Transport
	if transport == nil {
		transport = func() *http.Transport { return egress(g.config.HTTP2) }
	}
	token := runtime.Secret(g.config.ProviderToken)
	g.states = lifecycle.NewObserver(g.journal.Publish, g.log)
	budget := newBudget()
	recovery := g.newRecovery(budget)
	g.codes, err = sms.New(sms.Config{
		BaseURL: g.config.ProviderURL,
		Token:   token,
		Upstream: runtime.UpstreamConfig{
			Transport:        transport(),
			MaxResponseBytes: maxAnswer,
			Budget:           budget,
			Observer: func(e runtime.Event) {
				g.states.Observe(e)
				g.metrics.observe(e)
				recovery.observe(e)
				if g.config.Observer != nil {
					g.config.Observer(e)
				}
			},
		},
	})
	if err != nil {
		return err
	}
	g.notices, err = notify.New(notify.Config{
		BaseURL:  g.config.ProviderURL,
		Token:    token,
		Upstream: runtime.UpstreamConfig{Transport: transport(), MaxResponseBytes: maxAnswer, Observer: g.metrics.observe},
	})
	return err
}

func (g *Gateway) newRecovery(b *budget) *recovery {
	return &recovery{
		alert: func() {
			g.metrics.recoveryLag.Inc()
			g.log.Error(CodeRecoveryLag+": the fault is over, and retries go on", "upstream", "pool-sms-auth")
			if g.config.RecoveryLag != nil {
				g.config.RecoveryLag()
			}
		},
		reset: func() {
			b.reset()
			g.log.Error(CodeRecoveryLag+": the retry budget begins anew, empty", "upstream", "pool-sms-auth")
		},
	}
}

// Handler is the gateway's own API.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Run serves until ctx ends, and goes on doing so for the drain notice. Then it lets
// what is under way end, for the drain timeout at most. ready hears the addresses of
// the API and of the operators' one, which is nil where there is none.
func (g *Gateway) Run(ctx context.Context, ready func(api, operators net.Addr)) error {
	servers := servers{log: g.log, failed: make(chan error, 2)}
	api, err := servers.listen(g.config.Listen, g.handler)
	if err != nil {
		return errors.Join(err, g.Close(context.Background()))
	}
	var operators net.Addr
	if g.config.Operators != "" {
		if operators, err = servers.listen(g.config.Operators, g.Operators()); err != nil {
			return errors.Join(err, servers.shutdown(context.Background()), g.Close(context.Background()))
		}
	}
	ready(api, operators)
	select {
	case err = <-servers.failed:
	case <-ctx.Done():
		g.log.Info("the gateway ends", "notice", g.config.DrainNotice.String(), "timeout", g.config.DrainTimeout.String())
		g.draining.Store(true)
		time.Sleep(g.config.DrainNotice)
	}
	last, cancel := context.WithTimeout(context.Background(), g.config.DrainTimeout)
	defer cancel()
	return errors.Join(err, servers.shutdown(last), g.Close(last))
}

// Close ends running sends, the upstreams, and then what writes down what became
// of them.
func (g *Gateway) Close(ctx context.Context) error {
	g.draining.Store(true)
	g.stop()
	g.beside.Wait()
	return errors.Join(
		drain(ctx, g.codes.Upstream()),
		drain(ctx, g.notices.Upstream()),
		g.running.end(ctx),
		g.closeStores(ctx),
	)
}

func drain(ctx context.Context, u *runtime.Upstream) error {
	if err := u.Drain(ctx); err != nil {
		return fmt.Errorf("calls of %s had not ended, and are cut off: %w", u.Name(), err)
	}
	return nil
}

func (g *Gateway) closeStores(ctx context.Context) (err error) {
	if g.journal != nil {
		err = g.journal.Close(ctx)
	}
	if g.queue != nil {
		err = errors.Join(err, g.queue.Close())
	}
	return err
}
