package simulate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
)

// engine holds a plan with the runtime itself, in virtual time. Each process has an
// upstream of its own, as generated clients do, and all of them send to the
// simulated one.
type engine struct {
	plan     Plan
	start    time.Time
	mu       sync.Mutex
	upstream *upstream
	meter    meter
	first    map[time.Duration]int // attempts of the meter, by the instant in which their calls began
}

// send sends a request of a process.
func (e *engine) send(process int, r *http.Request) (*http.Response, error) {
	now := time.Since(e.start)
	e.mu.Lock()
	retry := r.Header.Get(runtime.AttemptHeader) != "1"
	if !retry {
		e.first[now] = len(e.meter.attempts)
	}
	e.meter.attempts = append(e.meter.attempts, attempt{at: now, process: int32(process), retry: retry})
	a := e.upstream.take(now, e.plan.Operation.AttemptTimeout)
	e.mu.Unlock()
	select {
	case <-time.After(a.took):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if a.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// process is the transport of one client.
type process struct {
	*engine
	number int
}

func (p *process) RoundTrip(r *http.Request) (*http.Response, error) { return p.send(p.number, r) }

// run makes the calls of the plan.
func (e *engine) run(t *testing.T) Result {
	clients := make([]*runtime.Upstream, e.plan.Processes)
	for i := range clients {
		contract := e.plan.Budget
		contract.Name = fmt.Sprintf("process %d", i)
		var err error
		clients[i], err = runtime.NewUpstream(contract, "http://pets.test", runtime.UpstreamConfig{RoundTripper: &process{e, i}}, nil)
		require.NoError(t, err)
	}
	e.start = time.Now()
	var all sync.WaitGroup
	for calls := newArrivals(&e.plan); calls.more(); {
		begun := calls.at
		client := clients[calls.next()]
		time.Sleep(begun - time.Since(e.start))
		all.Go(func() {
			var o runtime.Outcome
			err := runtime.Exec(t.Context(), client, e.plan.Operation, runtime.Request{Path: []string{"/pets"}},
				func(*runtime.Response) error { return nil }, []runtime.CallOption{runtime.Report(&o)})
			e.mu.Lock()
			defer e.mu.Unlock()
			if err == nil {
				e.meter.succeeded(&call{first: e.first[begun]})
			} else {
				var ambiguous *runtime.AmbiguousError
				e.meter.failed(o.Reason, errors.As(err, &ambiguous))
			}
		})
	}
	all.Wait()
	e.meter.left = make([]int, e.plan.Length/time.Second) // of budgets that tell nobody
	return e.meter.result(&e.plan)
}

// TestLikeTheEngine: the same plan in the simulator and in the runtime itself. What
// the draws decide differs by a few percent, and nothing else does.
func TestLikeTheEngine(t *testing.T) {
	plan := outage(Contract, 0.6)
	plan.Processes, plan.Rate, plan.Length = 3, 300, 30*time.Second
	plan.Faults = []Fault{
		{Status: 429, Share: 0.6, From: 5 * time.Second, To: 15 * time.Second},
		{Kind: TimeoutFault, Share: 0.3, From: 15 * time.Second, To: 20 * time.Second},
	}
	undeclared := plan
	undeclared.Operation = usual()
	undeclared.Operation.Idempotency = runtime.Undeclared
	hasty := plan
	hasty.Operation = usual()
	hasty.Operation.Deadline, hasty.Operation.BackoffJitter = 1200*time.Millisecond, runtime.DecorrelatedJitter
	hasty.Budget.BudgetDeposit, hasty.Budget.BudgetMinPerWindow = runtime.DepositSuccess, 100
	for name, plan := range map[string]Plan{"idempotent": plan, "undeclared": undeclared, "hasty": hasty} {
		t.Run(name, func(t *testing.T) {
			simulated := rehearse(t, plan)
			var actual Result
			synctest.Test(t, func(t *testing.T) {
				e := engine{plan: plan, upstream: newUpstream(&plan), meter: newMeter(0), first: map[time.Duration]int{}}
				actual = e.run(t)
			})
			t.Logf("simulated %d attempts of %d calls, peak %d, recovered %v, %v", simulated.Attempts, simulated.Calls, simulated.Peak, simulated.Recovered, simulated.Failures)
			t.Logf("actual    %d attempts of %d calls, peak %d, recovered %v, %v", actual.Attempts, actual.Calls, actual.Peak, actual.Recovered, actual.Failures)
			require.Equal(t, actual.Calls, simulated.Calls)
			require.InEpsilon(t, actual.Amplification, simulated.Amplification, 0.01)
			require.InEpsilon(t, actual.Peak, simulated.Peak, 0.05)
			require.InDelta(t, actual.Recovered.Seconds(), simulated.Recovered.Seconds(), 1)
			require.InEpsilon(t, actual.Successes, simulated.Successes, 0.03)
			require.InDelta(t, actual.Ambiguous, simulated.Ambiguous, 0.02*float64(actual.Calls))
			require.Equal(t, plan.Operation.Idempotency == runtime.Undeclared, actual.Ambiguous > 0)
			for why := range actual.Failures {
				require.InDelta(t, actual.Failures[why], simulated.Failures[why], 0.02*float64(actual.Calls), why)
			}
			for why := range simulated.Failures {
				require.InDelta(t, actual.Failures[why], simulated.Failures[why], 0.02*float64(actual.Calls), why)
			}
		})
	}
}

// TestLikeTheTelephonyDrill: the drill of examples/telephony, of a whole gateway, sent
// 92,003 requests for 90,000 logins, 1,290 in its worst second, and failed to send
// 31,504.
func TestLikeTheTelephonyDrill(t *testing.T) {
	op := usual()
	op.Deadline, op.MinAttemptBudget, op.RetryAfterMax = 4*time.Second, 500*time.Millisecond, 3*time.Second
	budget := budget(0)
	budget.BudgetDeposit = runtime.DepositSuccess
	r := rehearse(t, Plan{
		Operation: op, Budget: budget, Policy: Contract,
		Processes: 1, Rate: 1200, Length: 75 * time.Second, Arrivals: Even,
		LatencyMin: 20 * time.Millisecond, LatencyMax: 30 * time.Millisecond,
		Faults: []Fault{
			{Status: 429, Share: 0.6, From: 10 * time.Second, To: 55 * time.Second},
			{Status: 503, Share: 0.001, To: 75 * time.Second},
		},
		Seed: 1,
	})
	require.Equal(t, 90_000, r.Calls)
	require.InEpsilon(t, 92_003, r.Attempts, 0.005)
	require.InEpsilon(t, 1290, r.Peak, 0.02)
	require.InEpsilon(t, 31_504, r.Calls-r.Successes, 0.02)
	require.GreaterOrEqual(t, r.Recovered, time.Duration(0))
	require.LessOrEqual(t, r.Recovered, 500*time.Millisecond)
}
