package drill

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/runtime"
)

// Run holds a drill: a provider on the network, a gateway before it with its
// stores in dir, and as many logins as the plan says. The log is the gateway's.
func Run(ctx context.Context, p Plan, n Network, dir string, log *slog.Logger) (Report, error) {
	listener, err := n.Listen()
	if err != nil {
		return Report{}, err
	}
	start := time.Now()
	m := &meter{start: start}
	simulated := provider.New(provider.Options{Latency: p.latency(), Fault: p.fault(start), BanAbove: p.BanAbove})
	server := &http.Server{Handler: simulated, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(!p.HTTP2)
	server.Protocols.SetUnencryptedHTTP2(p.HTTP2)
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	var seen around
	send, end, err := p.sender(n, listener.Addr(), dir, m, log, &seen)
	if err != nil {
		return Report{}, err
	}
	m.load(ctx, p, send)
	if err := errors.Join(context.Cause(ctx), end()); err != nil {
		return Report{}, err
	}
	seen.messages, seen.bans = simulated.Sent(), simulated.Bans()
	return m.report(p, seen), nil
}

// load sends logins at the plan's rate, whatever becomes of them, and waits for
// the last.
func (m *meter) load(ctx context.Context, p Plan, send func(context.Context, int) (success bool, code string)) {
	var logins sync.WaitGroup
	defer logins.Wait()
	for i := range p.logins() {
		due := m.start.Add(time.Duration(i) * time.Second / time.Duration(p.Rate))
		select {
		case <-time.After(time.Until(due)):
		case <-ctx.Done():
			return
		}
		logins.Go(func() {
			begun := time.Now()
			success, code := send(ctx, i)
			m.note(login{begun.Sub(m.start), time.Since(begun), success, code})
		})
	}
}

func (p Plan) logins() int { return int(float64(p.Rate) * p.Length.Seconds()) }

// sender is how a login is sent, and how that ends.
func (p Plan) sender(n Network, to net.Addr, dir string, m *meter, log *slog.Logger, seen *around) (func(context.Context, int) (bool, string), func() error, error) {
	if p.Naive {
		naive := &naive{client: &http.Client{Transport: n.Transport()}, url: "http://" + to.String() + "/v1/messages", meter: m}
		return naive.send, func() error { naive.client.CloseIdleConnections(); return nil }, nil
	}
	config := p.config(n, to, dir)
	var lags atomic.Int64
	config.Observer = m.observe
	config.RecoveryLag = func() { lags.Add(1) }
	g, err := gateway.New(config, log)
	if err != nil {
		return nil, nil, err
	}
	end := func() error {
		if err := g.Close(context.Background()); err != nil {
			return err
		}
		seen.alerts = int(lags.Load())
		return seen.count(config)
	}
	return func(ctx context.Context, i int) (bool, string) { return ask(ctx, g.Handler(), i) }, end, nil
}

func (p Plan) config(n Network, to net.Addr, dir string) gateway.Config {
	return gateway.Config{
		ProviderURL:   "http://" + to.String(),
		ProviderToken: "drill",
		HTTP2:         p.HTTP2,
		Rate:          float64(p.Rate),
		Latency:       p.LatencyMax,
		PerLogin:      5,
		PerCaller:     p.logins(), // all come from here
		CodeTTL:       time.Hour,
		Queue:         filepath.Join(dir, "fallback.db"),
		QueueKeys:     base64.StdEncoding.EncodeToString(make([]byte, 32)),
		QueueNoSync:   n.virtual(),
		Journal:       filepath.Join(dir, "journal"),
		Transport: func() *http.Transport {
			t := n.Transport()
			if p.HTTP2 {
				t.Protocols = new(http.Protocols)
				t.Protocols.SetUnencryptedHTTP2(true)
			}
			return t
		},
	}
}

// ask asks the gateway for the code of a login.
func ask(ctx context.Context, h http.Handler, i int) (success bool, code string) {
	body, err := json.Marshal(gateway.Login{
		UserID: fmt.Sprintf("u%d", i), LoginSessionID: fmt.Sprintf("s%d", i), To: "+4915112345678", Code: "123456",
	})
	if err != nil {
		panic(err) // it is a struct of strings
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/codes", bytes.NewReader(body))
	if err != nil {
		panic(err) // the URL is a constant
	}
	answer := &answer{header: http.Header{}}
	h.ServeHTTP(answer, r)
	var problem runtime.Problem
	_ = json.Unmarshal(answer.body.Bytes(), &problem)
	return answer.status == http.StatusCreated, problem.Code
}

// answer is a response in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// count opens the queue that the gateway has left, as an operator would.
func (a *around) count(c gateway.Config) error {
	sealer, err := fallback.ParseSealer(c.QueueKeys)
	if err != nil {
		return err
	}
	q, err := fallback.Open(c.Queue, fallback.Options{Sealer: sealer})
	if err != nil {
		return err
	}
	defer q.Close()
	sends := map[string]bool{}
	for _, state := range fallback.States() {
		for after := uuid.Nil; ; {
			records, err := q.Records(state, after, 1000)
			if err != nil {
				return err
			}
			for _, r := range records {
				if sends[r.KeyHash] {
					a.twice++
				}
				sends[r.KeyHash] = true
			}
			a.queued += len(records)
			if len(records) < 1000 {
				break
			}
			after = records[len(records)-1].ID
		}
	}
	return nil
}

// latency draws the time of an answer.
func (p Plan) latency() func() time.Duration {
	draw := p.drawer(1)
	return func() time.Duration {
		return p.LatencyMin + time.Duration(draw()*float64(p.LatencyMax-p.LatencyMin))
	}
}

// fault is what a request meets.
func (p Plan) fault(start time.Time) func(provider.Arrival) provider.Fault {
	draw := p.drawer(2)
	return func(a provider.Arrival) (f provider.Fault) {
		switch {
		case p.Faulty(a.Time.Sub(start)):
			if draw() < p.FaultShare {
				f = provider.Status(http.StatusTooManyRequests)
			}
		case a.Number%p.BaselineEvery == 0:
			f = provider.Status(http.StatusServiceUnavailable)
		}
		return f
	}
}

// drawer draws numbers from 0 to 1, the same ones with the same seed.
func (p Plan) drawer(stream uint64) func() float64 {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(p.Seed, stream)) //nolint:gosec // nothing secret is drawn
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64()
	}
}
