package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// UpstreamContract is what the document declares of the remote API as a whole.
type UpstreamContract struct {
	Name string
	// The retry budget: see RULE-BUDGET.
	BudgetRatio        float64
	BudgetWindow       time.Duration
	BudgetDeposit      Deposit
	BudgetMinPerWindow int
	// MaxConnections per origin, and the longest wait for one.
	MaxConnections int
	AcquireTimeout time.Duration
	// MaxConcurrent attempts, and the longest wait for a place.
	MaxConcurrent          int
	BulkheadAcquireTimeout time.Duration
}

// NoLimit is the MaxConnections or MaxConcurrent of an unlimited upstream.
const NoLimit = 0

// UpstreamConfig tunes an upstream. Its zero value works.
type UpstreamConfig struct {
	// Transport's settings (proxy, TLS, dialer, timeouts, protocols) carry over
	// to the upstream's own connections; the value itself is not used. nil takes
	// those of [http.DefaultTransport].
	Transport *http.Transport
	// RoundTripper replaces the upstream's own connections: for instrumentation,
	// say. The price is evidence: whatever fails in it counts as
	// SentNoResponse, a refused connection too, so that operations which are not
	// idempotent are never repeated after it. It must not repeat requests.
	RoundTripper http.RoundTripper
	// Breaker admits calls; nil admits all.
	Breaker Breaker
	// Budget replaces the process's own retry budget, for a fleet that shares
	// one.
	Budget Budget
	// Observer is called with every transition of every call, from the goroutine
	// of the call. It must be quick and safe for concurrent use.
	Observer func(Event)
	// UserAgent and Header are sent with every attempt.
	UserAgent string
	Header    http.Header
	// MaxResponseBytes bounds a response body, unpacked; 0 means 64 MiB.
	MaxResponseBytes int64
	// StreamIdleTimeout is how long a stream may go without a byte; 0 means 30 s.
	StreamIdleTimeout time.Duration
}

const (
	defaultMaxResponseBytes  = 64 << 20
	defaultStreamIdleTimeout = 30 * time.Second
)

// Upstream is one failure domain: its connections, retry budget, bulkhead,
// breaker and drain state are shared by all calls to one remote API, and by
// nothing else.
type Upstream struct {
	name      string
	base      *url.URL
	domain    domain
	transport transport
	budget    Budget
	breaker   Breaker
	bulkhead  bulkhead
	drain     *drain
	observer  func(Event)
	header    http.Header
	maxBytes  int64
	// streamIdle is how long a stream may go without a byte.
	streamIdle time.Duration
	started    time.Time
	callCount  atomic.Uint64
}

// NewUpstream builds an upstream and checks the ranges of its contract and of
// all operations (RULE-ANNOTATION).
func NewUpstream(contract UpstreamContract, baseURL string, config UpstreamConfig, operations []*Operation) (*Upstream, error) {
	base, err := parseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("retrygen: upstream %s: %w", contract.Name, err)
	}
	if err := checkContract(&contract, operations); err != nil {
		return nil, fmt.Errorf("retrygen: upstream %s: %w", contract.Name, err)
	}
	header := http.Header{}
	for name, values := range config.Header {
		header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	if config.UserAgent != "" {
		header.Set("User-Agent", config.UserAgent)
	}
	if err := pool.CheckHeader(header); err != nil {
		return nil, fmt.Errorf("retrygen: upstream %s: %w", contract.Name, err)
	}
	u := &Upstream{
		name:       contract.Name,
		domain:     domain{name: contract.Name},
		base:       base,
		budget:     config.Budget,
		breaker:    config.Breaker,
		bulkhead:   newBulkhead(contract.MaxConcurrent, contract.BulkheadAcquireTimeout),
		drain:      newDrain(),
		observer:   config.Observer,
		header:     header,
		maxBytes:   config.MaxResponseBytes,
		streamIdle: config.StreamIdleTimeout,
		started:    time.Now(),
	}
	if u.maxBytes <= 0 {
		u.maxBytes = defaultMaxResponseBytes
	}
	if u.streamIdle <= 0 {
		u.streamIdle = defaultStreamIdleTimeout
	}
	if err := u.isolate(&contract, &config); err != nil {
		u.domain.release()
		return nil, fmt.Errorf("retrygen: upstream %s: %w", contract.Name, err)
	}
	return u, nil
}

// isolate gives the upstream connections and a budget of its own, and refuses
// what another upstream holds.
func (u *Upstream) isolate(contract *UpstreamContract, config *UpstreamConfig) (err error) {
	for _, part := range []struct {
		what  string
		value any
	}{
		{"Transport", config.Transport},
		{"RoundTripper", config.RoundTripper},
		{"Breaker", config.Breaker},
		{"Budget", config.Budget},
	} {
		if err := u.domain.claim(part.what, part.value); err != nil {
			return err
		}
	}
	if u.budget == nil {
		u.budget, err = NewLedger(contract.BudgetRatio, contract.BudgetWindow, contract.BudgetDeposit, contract.BudgetMinPerWindow)
		if err != nil {
			return err
		}
	}
	if config.RoundTripper != nil {
		u.transport = foreign{config.RoundTripper}
		return refuseRetrier(config.RoundTripper)
	}
	u.transport, err = pool.New(pool.Options{
		Transport:      config.Transport,
		MaxConns:       contract.MaxConnections,
		AcquireTimeout: contract.AcquireTimeout,
	})
	return err
}

// Name is the upstream's name in the document.
func (u *Upstream) Name() string { return u.name }

// Drain refuses new calls and further attempts, waits for running calls, and
// closes the connections. Where ctx ends first, it returns its cause and leaves
// the running calls alone.
func (u *Upstream) Drain(ctx context.Context) error {
	if err := u.drain.wait(ctx); err != nil {
		return err
	}
	u.transport.Close()
	u.domain.release()
	return nil
}

// now is the budget's clock: monotonic, from the upstream's birth.
func (u *Upstream) now() time.Duration { return u.since(time.Now()) }

func (u *Upstream) since(t time.Time) time.Duration { return t.Sub(u.started) }

func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("the base URL does not parse")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("the base URL %q must be http:// or https:// with a host: set Config.BaseURL", u.Redacted())
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("the base URL %q may have no user, query or fragment", u.Redacted())
	}
	return u, nil
}
