package simulate

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrygen/retrygen/runtime"
)

// usual is an idempotent operation with the usual contract.
func usual() *runtime.Operation {
	return &runtime.Operation{
		Name: "getPet", Route: "GET /pets/{id}", Idempotency: runtime.Idempotent,
		MaxAttempts: 3, Deadline: 10 * time.Second, AttemptTimeout: time.Second, MinAttemptBudget: 100 * time.Millisecond,
		BackoffBase: 100 * time.Millisecond, BackoffMax: 3 * time.Second, BackoffMultiplier: 2, RetryAfterMax: 10 * time.Second,
	}
}

func budget(floor int) runtime.UpstreamContract {
	return runtime.UpstreamContract{BudgetRatio: 0.1, BudgetWindow: time.Minute, BudgetMinPerWindow: floor}
}

// outage is a minute in which some of the requests fail for half of the time.
func outage(policy Policy, share float64) Plan {
	return Plan{
		Operation: usual(), Budget: budget(0), Policy: policy,
		Processes: 1, Rate: 500, Length: time.Minute, Arrivals: Even,
		LatencyMin: 20 * time.Millisecond, LatencyMax: 30 * time.Millisecond,
		Faults: []Fault{{Status: 503, Share: share, From: 10 * time.Second, To: 40 * time.Second}},
		Seed:   1,
	}
}

func rehearse(t *testing.T, p Plan) Result {
	t.Helper()
	r, err := Run(p)
	require.NoError(t, err)
	return r
}

// drawPlan is any plan that ends soon.
func drawPlan(t *rapid.T) Plan {
	op := usual()
	op.Idempotency = rapid.SampledFrom([]runtime.Idempotency{runtime.Undeclared, runtime.Idempotent, runtime.IdempotentByKey}).Draw(t, "idempotency")
	op.Replayability = rapid.SampledFrom([]runtime.Replayability{runtime.NoBody, runtime.Replayable, runtime.OneShot}).Draw(t, "body")
	op.MaxAttempts = rapid.IntRange(1, 5).Draw(t, "attempts")
	op.Deadline = rapid.SampledFrom([]time.Duration{0, time.Second, 4 * time.Second}).Draw(t, "deadline")
	op.AttemptTimeout = rapid.SampledFrom([]time.Duration{25 * time.Millisecond, 500 * time.Millisecond}).Draw(t, "timeout")
	p := Plan{
		Operation: op,
		Budget: runtime.UpstreamContract{
			BudgetRatio:        rapid.SampledFrom([]float64{0, 0.1, 0.29, 0.5}).Draw(t, "ratio"),
			BudgetWindow:       rapid.SampledFrom([]time.Duration{10 * time.Second, time.Minute}).Draw(t, "window"),
			BudgetDeposit:      rapid.SampledFrom([]runtime.Deposit{runtime.DepositRequest, runtime.DepositSuccess}).Draw(t, "deposit"),
			BudgetMinPerWindow: rapid.SampledFrom([]int{0, 3, 100}).Draw(t, "floor"),
		},
		Policy:     rapid.SampledFrom(Policies()).Draw(t, "policy"),
		Processes:  rapid.IntRange(1, 4).Draw(t, "processes"),
		Rate:       rapid.SampledFrom([]float64{0.7, 10, 60}).Draw(t, "rate"),
		Length:     rapid.SampledFrom([]time.Duration{13 * time.Second, 15 * time.Second}).Draw(t, "length"),
		Arrivals:   rapid.SampledFrom(AllArrivals()).Draw(t, "arrivals"),
		LatencyMin: 10 * time.Millisecond,
		LatencyMax: 40 * time.Millisecond,
		Capacity: Capacity{
			Rate:   rapid.SampledFrom([]int{0, 20, 70}).Draw(t, "capacity"),
			Status: rapid.SampledFrom([]int{0, 429, 503}).Draw(t, "answer"),
		},
		Seed: rapid.Uint64().Draw(t, "seed"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "faults") {
		from := rapid.IntRange(0, 5).Draw(t, "from")
		p.Faults = append(p.Faults, Fault{
			Kind:   rapid.SampledFrom([]FaultKind{StatusFault, TimeoutFault, RefusedFault}).Draw(t, "kind"),
			Status: rapid.SampledFrom([]int{401, 408, 425, 429, 500, 503}).Draw(t, "status"),
			Share:  rapid.SampledFrom([]float64{0.1, 0.6, 1}).Draw(t, "share"),
			From:   time.Duration(from) * time.Second,
			To:     time.Duration(from+rapid.IntRange(1, 3).Draw(t, "seconds")) * time.Second,
		})
	}
	return p
}

// TestBudgetHoldsAtEveryDispatch: whatever the plan, no process sends a retry with
// which those of its trailing window, or of its trailing second, would exceed the
// bound, counted anew from all that was sent (RULE-BUDGET-1).
func TestBudgetHoldsAtEveryDispatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		p.Policy = Contract
		s, err := newSimulation(p)
		require.NoError(t, err)
		s.run()
		for _, sent := range s.meter.attempts {
			if !sent.retry {
				continue
			}
			for span, floor := range map[time.Duration]int{p.Budget.BudgetWindow: p.Budget.BudgetMinPerWindow, time.Second: 1} {
				primaries, retries := 0, 0
				for _, a := range s.meter.attempts {
					switch {
					case a.process != sent.process || a.at <= sent.at-span || a.at > sent.at:
					case a.retry:
						retries++
					default:
						primaries++
					}
				}
				earned := int(math.Round(1000*p.Budget.BudgetRatio)) * primaries / 1000
				require.LessOrEqual(t, retries, max(earned, floor), "process %d at %v, over %v", sent.process, sent.at, span)
			}
		}
	})
}

// TestEveryCallEndsOnce: calls, attempts and seconds add up, the same seed gives the
// same result, and the shortcuts of the meter find what counting finds.
func TestEveryCallEndsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		s, err := newSimulation(p)
		require.NoError(t, err)
		s.run()
		r := s.meter.result(&p)
		failed := 0
		for why, n := range r.Failures {
			require.NotEqual(t, runtime.NoReason, why)
			failed += n
		}
		require.Equal(t, r.Calls, r.Successes+failed)
		require.Equal(t, r.Attempts, r.Calls+r.Retries)
		require.LessOrEqual(t, r.Attempts, r.Calls*max(3, p.Operation.MaxAttempts))
		require.True(t, p.Policy == Naive || r.RepeatedInDoubt == 0, "the engine repeats nothing in doubt")
		var sum Second
		for _, second := range r.Seconds {
			sum.Primary += second.Primary
			sum.Retry += second.Retry
			sum.Success += second.Success
			require.LessOrEqual(t, second.Success, second.Primary)
		}
		require.Equal(t, r.Calls, sum.Primary)
		require.Equal(t, r.Successes, sum.Success)
		require.LessOrEqual(t, sum.Retry, r.Retries, "some come after the last second")

		peak, worst := 0, 0.0
		for _, last := range s.meter.attempts {
			var within []attempt
			for _, a := range s.meter.attempts {
				if a.at > last.at-time.Second && a.at < last.at {
					within = append(within, a)
				}
			}
			for _, a := range s.meter.attempts { // of one instant, one after the other
				if a.at != last.at {
					continue
				}
				within = append(within, a)
				counted := count(within)
				peak = max(peak, len(within))
				if a.retry {
					worst = max(worst, float64(counted.retries)/float64(max(counted.primaries, 1)))
				}
			}
		}
		require.Equal(t, peak, r.Peak)
		require.InDelta(t, worst, r.WorstSecond, 1e-9)

		again, err := Run(p)
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

// TestSeedsDiffer: another seed is another rehearsal.
func TestSeedsDiffer(t *testing.T) {
	one, other := outage(Contract, 0.6), outage(Contract, 0.6)
	other.Seed = 2
	require.NotEqual(t, rehearse(t, one).Seconds, rehearse(t, other).Seconds)
}

// TestAmplification: a loop of three attempts makes 1 + p + p² of each call where a
// share p of the requests fails, and so does the contract without its budget. With
// it there is no more than a tenth on top.
func TestAmplification(t *testing.T) {
	for _, p := range []float64{0.2, 0.6, 1} {
		want := 1 + p + p*p
		for _, policy := range Policies() {
			plan := outage(policy, p)
			plan.Faults[0].From, plan.Faults[0].To = 0, plan.Length
			got := rehearse(t, plan).Amplification
			if policy == Contract {
				require.LessOrEqual(t, got, 1.1)
				require.Greater(t, got, 1.08, "the budget is there to be used")
			} else {
				require.InEpsilon(t, want, got, 0.01, "%s, %v", policy, p)
			}
		}
	}
}

// TestNaiveAttempts: the loop has as many attempts as the contract has.
func TestNaiveAttempts(t *testing.T) {
	plan := outage(Naive, 1)
	plan.Operation.MaxAttempts = 5
	plan.Faults = []Fault{{Kind: RefusedFault, Share: 1, To: plan.Length}}
	require.InDelta(t, 5, rehearse(t, plan).Amplification, 1e-9)
}

// TestNaiveTimeouts: the loop knows no deadline, so that each attempt has all of its
// time. What hangs is sent three times, and in doubt where the operation is not
// idempotent.
func TestNaiveTimeouts(t *testing.T) {
	for _, timeout := range []time.Duration{runtime.NoTimeout, time.Second} {
		for idempotency, doubtful := range map[runtime.Idempotency]bool{
			runtime.Undeclared: true, runtime.NotIdempotent: true, runtime.Idempotent: false, runtime.IdempotentByKey: false,
		} {
			plan := outage(Naive, 1)
			plan.Operation.Deadline, plan.Operation.AttemptTimeout, plan.Operation.Idempotency = 2*time.Second, timeout, idempotency
			plan.Faults = []Fault{{Kind: TimeoutFault, Share: 1, To: 20 * time.Second}}
			r := rehearse(t, plan)
			if timeout == runtime.NoTimeout {
				require.Zero(t, r.Seconds[1].Retry)
				require.Equal(t, 500, r.Seconds[3].Retry, "the second retries are sent after four seconds")
			} else {
				require.Equal(t, 500, r.Seconds[1].Retry)
				require.Equal(t, 1000, r.Seconds[3].Retry)
			}
			require.InDelta(t, 500, r.Seconds[15].Primary, 0)
			require.InDelta(t, 1000, r.Seconds[15].Retry, 0)
			want := 0
			if doubtful {
				want = 20 * 500 // each call of the fault
			}
			require.Equal(t, want, r.RepeatedInDoubt, idempotency)
		}
	}
}

// TestReasons: what kept calls from another attempt is what the engine says.
func TestReasons(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(p *Plan)
		want   runtime.Reason
		sent   float64 // attempts per call that fails
	}{
		"429 of an operation that is not idempotent": {func(p *Plan) { p.Faults[0].Status = 429 }, runtime.MaxAttemptsReached, 3},
		"503 of it":            {func(*Plan) {}, runtime.NotSafelyIdempotent, 1},
		"no answer":            {func(p *Plan) { p.Faults[0].Kind = TimeoutFault }, runtime.NotSafelyIdempotent, 1},
		"a refused connection": {func(p *Plan) { p.Faults[0].Kind = RefusedFault }, runtime.MaxAttemptsReached, 3},
		"404":                  {func(p *Plan) { p.Faults[0].Status = 404 }, runtime.StatusNotRetryable, 1},
		"a short deadline": {func(p *Plan) {
			p.Operation.Deadline, p.Faults[0].Status = 110*time.Millisecond, 429
		}, runtime.DeadlineTooNear, 1},
		"an answer later than the timeout": {func(p *Plan) {
			p.Operation.AttemptTimeout, p.Operation.Idempotency = 10*time.Millisecond, runtime.Idempotent
		}, runtime.MaxAttemptsReached, 3},
		"a body that is gone": {func(p *Plan) {
			p.Operation.Replayability, p.Faults[0].Status = runtime.OneShot, 429
		}, runtime.BodyNotReplayable, 1},
		"a body that was never opened": {func(p *Plan) {
			p.Operation.Replayability, p.Faults[0].Kind = runtime.OneShot, RefusedFault
		}, runtime.MaxAttemptsReached, 3},
	} {
		t.Run(name, func(t *testing.T) {
			plan := outage(NoBudget, 1)
			plan.Operation.Idempotency = runtime.NotIdempotent
			tt.change(&plan)
			plan.Faults[0].From, plan.Faults[0].To = 0, plan.Length
			r := rehearse(t, plan)
			require.Equal(t, map[runtime.Reason]int{tt.want: r.Calls}, r.Failures)
			require.InDelta(t, tt.sent, r.Amplification, 1e-9)
		})
	}
}

// TestArrivals: calls come at the rate of the plan, each in its own manner, and are
// shared by all processes.
func TestArrivals(t *testing.T) {
	for _, arrivals := range AllArrivals() {
		plan := outage(Contract, 0.5)
		plan.Arrivals, plan.Processes, plan.Faults, plan.Length = arrivals, 4, nil, 200*time.Second
		s, err := newSimulation(plan)
		require.NoError(t, err)
		s.run()
		r := s.meter.result(&plan)
		variance := 0.0
		for _, second := range r.Seconds {
			variance += math.Pow(float64(second.Primary)-plan.Rate, 2) / float64(len(r.Seconds))
		}
		byProcess := map[int32]int{}
		for _, a := range s.meter.attempts {
			byProcess[a.process]++
			require.True(t, arrivals != Synchronized || a.at%time.Second == 0)
		}
		for _, n := range byProcess {
			require.InEpsilon(t, 25_000, n, 0.03)
		}
		require.Len(t, byProcess, 4)
		if arrivals == Poisson {
			require.InEpsilon(t, 100_000, r.Calls, 0.01)
			require.InEpsilon(t, plan.Rate, variance, 0.3, "the variance of Poisson's is their mean")
			continue
		}
		require.Equal(t, 100_000, r.Calls)
		require.Zero(t, variance)
		if arrivals == Even {
			require.Equal(t, 500, r.Peak, "whichever second is looked at")
		}
	}
}

// TestCapacity: an upstream that refuses what is too much takes as much as it can in
// every second, and one that queues takes all, until clients stop to wait.
func TestCapacity(t *testing.T) {
	plan := outage(NoBudget, 1)
	plan.Faults, plan.Operation.MaxAttempts = nil, 1
	plan.Capacity = Capacity{Rate: 200, Status: 429}
	r := rehearse(t, plan)
	require.Equal(t, 200*60, r.Successes)
	require.Equal(t, map[runtime.Reason]int{runtime.MaxAttemptsReached: 300 * 60}, r.Failures)
	for _, second := range r.Seconds[1:] {
		require.Equal(t, 200, second.Success)
	}

	// Of 500 calls a second 250 are worked on, so that each waits twice as long after the
	// beginning as it comes: the 500 of the first second have an answer in time.
	plan.Capacity = Capacity{Rate: 250}
	plan.LatencyMin, plan.LatencyMax = 0, 0
	require.InDelta(t, 500, rehearse(t, plan).Successes, 2)
}

// TestBudgetEndsAnOverload: an upstream that queues, and for a moment answered
// nobody, never recovers from clients that repeat what has timed out: it works for
// those who are gone. Under a budget it does.
func TestBudgetEndsAnOverload(t *testing.T) {
	for policy, recovers := range map[Policy]bool{Contract: true, NoBudget: false, Naive: false} {
		plan := outage(policy, 1)
		plan.Capacity = Capacity{Rate: 650}
		plan.Faults[0] = Fault{Kind: TimeoutFault, Share: 1, From: 10 * time.Second, To: 20 * time.Second}
		r := rehearse(t, plan)
		last := r.Seconds[len(r.Seconds)-5]
		if recovers {
			require.GreaterOrEqual(t, r.Recovered, time.Duration(0))
			require.Less(t, r.Recovered, 5*time.Second)
			require.Equal(t, last.Primary, last.Success)
		} else {
			require.Equal(t, Never, r.Recovered, policy)
			require.Zero(t, last.Success, policy)
		}
	}
}

// TestRecovered: it counts from the end of the last fault that ends, and takes calls
// that succeed and retries that are few.
func TestRecovered(t *testing.T) {
	for name, tt := range map[string]struct {
		change      func(p *Plan)
		least, most time.Duration
	}{
		"at once, whenever the fault ends": {func(p *Plan) { p.Policy, p.Faults[0].To = Contract, 40_030*time.Millisecond }, 0, 0},
		"when the retries have been sent":  {func(*Plan) {}, recoveryStep, time.Second},
		"with few failures of another kind": {func(p *Plan) {
			p.Faults = append(p.Faults, Fault{Status: 503, Share: 0.001, To: p.Length})
		}, recoveryStep, time.Second},
		"not with retries that go on": {func(p *Plan) {
			p.Faults = append(p.Faults, Fault{Status: 503, Share: 0.01, To: p.Length})
		}, Never, Never},
		"not with calls that go on failing and repeat nothing": {func(p *Plan) {
			p.Faults = append(p.Faults, Fault{Status: 404, Share: 0.1, To: p.Length})
		}, Never, Never},
		"not from a fault that lasts": {func(p *Plan) { p.Faults[0].To = p.Length }, NoFault, NoFault},
		"not from nothing":            {func(p *Plan) { p.Faults = nil }, NoFault, NoFault},
	} {
		t.Run(name, func(t *testing.T) {
			plan := outage(NoBudget, 0.6)
			tt.change(&plan)
			got := rehearse(t, plan).Recovered
			require.GreaterOrEqual(t, got, tt.least)
			require.LessOrEqual(t, got, tt.most)
		})
	}
}

// TestRecoveredCounts: the sums that slide find what counting each span anew finds.
func TestRecoveredCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		s, err := newSimulation(p)
		require.NoError(t, err)
		s.run()
		from := time.Duration(rapid.IntRange(0, 8000).Draw(t, "from")) * time.Millisecond
		want := Never
		for at := from; at+recoverySpan <= p.Length; at += recoveryStep {
			switch well := count(s.meter.between(at, at+recoverySpan)).well(p.Rate); {
			case !well:
				want = Never
			case want == Never:
				want = at - from
			}
		}
		require.Equal(t, want, s.meter.recovered(p.Rate, from, p.Length))
	})
}

// TestAmbiguous: calls end so where nobody can know what they did, whatever stopped
// them.
func TestAmbiguous(t *testing.T) {
	for name, tt := range map[string]struct {
		idempotency runtime.Idempotency
		fault       Fault
		want        bool
	}{
		"no answer, not idempotent":      {runtime.NotIdempotent, Fault{Kind: TimeoutFault}, true},
		"no answer, undeclared":          {runtime.Undeclared, Fault{Kind: TimeoutFault}, true},
		"no answer, by key":              {runtime.IdempotentByKey, Fault{Kind: TimeoutFault}, true},
		"no answer, idempotent":          {runtime.Idempotent, Fault{Kind: TimeoutFault}, false},
		"503 of what is not idempotent":  {runtime.NotIdempotent, Fault{Status: 503}, true},
		"429 of what is not idempotent":  {runtime.NotIdempotent, Fault{Status: 429}, false},
		"500 of what is not idempotent":  {runtime.NotIdempotent, Fault{Status: 500}, false},
		"refused, of what is not either": {runtime.NotIdempotent, Fault{Kind: RefusedFault}, false},
	} {
		t.Run(name, func(t *testing.T) {
			plan := outage(NoBudget, 1)
			plan.Operation.Idempotency = tt.idempotency
			plan.Faults = []Fault{tt.fault}
			plan.Faults[0].Share, plan.Faults[0].To = 1, plan.Length
			r := rehearse(t, plan)
			if tt.want {
				require.Positive(t, r.Ambiguous)
				require.Equal(t, r.Calls-r.Successes, r.Ambiguous)
			} else {
				require.Zero(t, r.Ambiguous)
			}
		})
	}
}

// TestBudgetLeft: a tenth of the calls of a second can be repeated before the fault,
// and nothing more when it has lasted for a while.
func TestBudgetLeft(t *testing.T) {
	r := rehearse(t, outage(Contract, 1))
	require.InDelta(t, 50, r.Seconds[9].Left, 3)
	require.LessOrEqual(t, r.Seconds[39].Left, 2)
	require.InDelta(t, 50, r.Seconds[59].Left, 3)
	require.Zero(t, rehearse(t, outage(NoBudget, 1)).Seconds[9].Left)

	few := outage(Contract, 1)
	few.Rate, few.Budget.BudgetMinPerWindow = 0.02, 10
	for i, second := range rehearse(t, few).Seconds {
		require.True(t, i >= 10 && i < 40 || second.Left == 1, "second %d has calls or none, and may repeat one", i)
	}
}

// TestExtremePlans end, and soon.
func TestExtremePlans(t *testing.T) {
	for name, change := range map[string]func(p *Plan){
		"hardly a call":         func(p *Plan) { p.Rate = leastRate },
		"late answers":          func(p *Plan) { p.Operation.Deadline, p.Operation.AttemptTimeout, p.LatencyMax = 0, 0, longest },
		"a fault of a moment":   func(p *Plan) { p.Faults[0].To = p.Faults[0].From + 1 },
		"capacity for one call": func(p *Plan) { p.Capacity.Rate = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			for _, arrivals := range AllArrivals() {
				plan := outage(Contract, 1)
				plan.Arrivals = arrivals
				change(&plan)
				require.Len(t, rehearse(t, plan).Seconds, 60)
			}
		})
	}
}

// TestPlansThatMakeNoSense are refused, with what would make sense.
func TestPlansThatMakeNoSense(t *testing.T) {
	for want, change := range map[string]func(p *Plan){
		"0 processes; permitted are 1 to 10000":                                   func(p *Plan) { p.Processes = 0 },
		"a rate of -1 calls a second; permitted are 0.001 and more":               func(p *Plan) { p.Rate = -1 },
		"a rate of NaN calls a second":                                            func(p *Plan) { p.Rate = math.NaN() },
		"60000000 calls; at most 5000000 are rehearsed":                           func(p *Plan) { p.Rate = 1e6 },
		"a latency of 2s to 1s; permitted are 0s to 24h, the smaller one first":   func(p *Plan) { p.LatencyMin, p.LatencyMax = 2*time.Second, time.Second },
		"a length of 0s; permitted are whole seconds, from 5s to 24h":             func(p *Plan) { p.Length = 0 },
		"a length of 10.5s; permitted are whole seconds":                          func(p *Plan) { p.Length = 10500 * time.Millisecond },
		"a length of 25h0m0s; permitted are":                                      func(p *Plan) { p.Length = 25 * time.Hour },
		"a rate of 1e-300 calls a second":                                         func(p *Plan) { p.Rate = 1e-300 },
		"a latency of 0s to 2562047h47m16.854775807s":                             func(p *Plan) { p.LatencyMin, p.LatencyMax = 0, math.MaxInt64 },
		"10000 processes for 17m0s; at most 10000000 seconds of processes are":    func(p *Plan) { p.Processes, p.Length = 10_000, 17*time.Minute },
		"a capacity of -1 requests a second; permitted are 1 to 1000000":          func(p *Plan) { p.Capacity.Rate = -1 },
		"status 200 of what exceeds the capacity":                                 func(p *Plan) { p.Capacity.Status = 200 },
		`policy "eager"; expected one of [contract no-budget naive]`:              func(p *Plan) { p.Policy = "eager" },
		`arrivals "never"; expected one of [poisson even`:                         func(p *Plan) { p.Arrivals = "never" },
		"a fault of 150% of the requests; permitted are":                          func(p *Plan) { p.Faults[0].Share = 1.5 },
		"101 faults; at most 100 are rehearsed":                                   func(p *Plan) { p.Faults = make([]Fault, 101) },
		"a fault of status 200; permitted are 400 to 599":                         func(p *Plan) { p.Faults[0].Status = 200 },
		"a length of 1m0s, and the last fault ends at 56s; at least 5s more show": func(p *Plan) { p.Faults[0].To = 56 * time.Second },
		"a fault from 10s to 2m0s; it must lie within the 1m0s":                   func(p *Plan) { p.Faults[0].To = 2 * time.Minute },
		"getPet has neither a deadline nor an attempt timeout": func(p *Plan) {
			p.Operation.Deadline, p.Operation.AttemptTimeout, p.Faults[0].Kind = 0, 0, TimeoutFault
		},
		"a queue, and getPet has neither": func(p *Plan) {
			p.Operation.Deadline, p.Operation.AttemptTimeout, p.Capacity.Rate = 0, 0, 10
		},
		"budget ratio 2 is not between 0 and 0.5": func(p *Plan) { p.Budget.BudgetRatio = 2 },
	} {
		plan := outage(Contract, 0.5)
		change(&plan)
		_, err := Run(plan)
		require.ErrorContains(t, err, want)
	}
}
