package main

import (
	"context"
	"fmt"
	"time"

	"github.com/retrygen/retrygen/examples/petstore/gateway"
	"github.com/retrygen/retrygen/examples/petstore/pets"
	"github.com/retrygen/retrygen/examples/petstore/provider"
	"github.com/retrygen/retrygen/runtime"
)

// scenario is one script of the provider and the calls that meet it.
type scenario struct {
	name   string
	script func(p *provider.Provider) []provider.Fault
	calls  int  // default 1
	cold   bool // without the traffic that earns a retry budget
	call   func(ctx context.Context, g *gateway.Gateway, o *runtime.Outcome) (status int, code gateway.Code)
}

// result is what became of a scenario. last is the outcome of its last call.
type result struct {
	name     string
	calls    int
	attempts int // of all calls
	requests int // read by the provider
	reserved int
	failures int // in a row, as the breaker counts
	status   int
	code     gateway.Code
	last     runtime.Outcome
}

var scenarios = []scenario{
	{name: "healthy lookup", call: lookUp("rex")},
	{name: "503, 503, 200", call: lookUp("rex"), script: faults(provider.Status(503), provider.Status(503))},
	{name: "502, lost, 200", call: lookUp("rex"), script: faults(provider.Status(502), provider.Lost)},
	{name: "answer cut, 200", call: lookUp("rex"), script: faults(provider.Cut)},
	{name: "hangs once, 200", call: lookUp("rex"), script: faults(provider.Hang)},
	{name: "exhausted", call: lookUp("rex"), script: faults(provider.Status(503), provider.Status(504), provider.Status(503))},
	{name: "exhausted, no traffic", call: lookUp("rex"), script: faults(provider.Status(503), provider.Status(503)), cold: true},
	{name: "rate limited", call: lookUp("rex"), script: faults(provider.RateLimited(1))},
	{name: "unexpected 500", call: lookUp("rex"), script: faults(provider.Status(500))},
	{name: "missing record", call: lookUp("rex"), script: faults(provider.Status(404))},
	{name: "key refused", call: lookUp("rex"), script: faults(provider.Status(401))},
	{name: "malformed 200", call: lookUp("rex"), script: faults(provider.Malformed)},
	{name: "id is ..", call: lookUp("..")},
	{name: "breaker opens", call: lookUp("rex"), calls: 4, script: func(*provider.Provider) []provider.Fault {
		down := make([]provider.Fault, 9)
		for i := range down {
			down[i] = provider.Status(503)
		}
		return down
	}},
	{name: "reservation", call: reserve},
	{name: "reservation 503", call: reserve, script: faults(provider.Status(503))},
	{name: "reservation lost", call: reserve, script: func(p *provider.Provider) []provider.Fault {
		return []provider.Fault{p.ReservedThenLost}
	}},
}

func faults(list ...provider.Fault) func(*provider.Provider) []provider.Fault {
	return func(*provider.Provider) []provider.Fault { return list }
}

func lookUp(id string) func(context.Context, *gateway.Gateway, *runtime.Outcome) (int, gateway.Code) {
	return func(ctx context.Context, g *gateway.Gateway, o *runtime.Outcome) (int, gateway.Code) {
		answer := g.Pet(ctx, id, runtime.Report(o))
		return answer.Status, answer.Code
	}
}

func reserve(ctx context.Context, g *gateway.Gateway, o *runtime.Outcome) (int, gateway.Code) {
	answer := g.Reserve(ctx, pets.NewReservation{PetID: "rex", CustomerID: "c-1", Days: 2}, runtime.Report(o))
	return answer.Status, answer.Code
}

// play runs a scenario against a provider, a client and a breaker of its own.
func (s scenario) play(ctx context.Context) (result, error) {
	p := provider.Start()
	defer p.Close()
	breaker := gateway.NewBreaker(3, time.Minute)
	client, err := pets.New(pets.Config{
		BaseURL:  p.URL(),
		APIKey:   runtime.Secret("demo"),
		Upstream: runtime.UpstreamConfig{Breaker: breaker, UserAgent: "petstore-gateway"},
	})
	if err != nil {
		return result{}, fmt.Errorf("build the client: %w", err)
	}
	if !s.cold {
		if err := warmUp(ctx, client); err != nil {
			return result{}, fmt.Errorf("warm up: %w", err)
		}
	}
	p.Script()
	if s.script != nil {
		p.Script(s.script(p)...)
	}
	r := result{name: s.name, calls: max(s.calls, 1)}
	for range r.calls {
		r.last = runtime.Outcome{}
		r.status, r.code = s.call(ctx, gateway.New(client), &r.last)
		r.attempts += len(r.last.Attempts)
	}
	r.requests, r.reserved, r.failures = p.Requests(), p.Reserved(), breaker.Failures()
	return r, client.Upstream().Drain(ctx)
}

// traffic is how many healthy lookups come before a scenario: retries are a
// tenth of real traffic, in every second, so a client without traffic makes one
// retry a second at most.
const traffic = 100

func warmUp(ctx context.Context, client *pets.Client) error {
	for range traffic {
		if _, err := client.GetPet(ctx, "rex"); err != nil {
			return err
		}
	}
	return nil
}
