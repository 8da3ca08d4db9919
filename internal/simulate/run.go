package simulate

import (
	"math/rand/v2"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Run rehearses a plan.
func Run(p Plan) (Result, error) {
	s, err := newSimulation(p)
	if err != nil {
		return Result{}, err
	}
	s.run()
	return s.meter.result(&s.plan), nil
}

// simulation is a plan that is being rehearsed.
type simulation struct {
	plan     Plan
	arrivals *arrivals
	upstream *upstream
	budgets  []runtime.Budget // of the processes
	calls    calls
	random   *rand.Rand // what decisions draw
	meter    meter
}

func newSimulation(p Plan) (*simulation, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &simulation{plan: p, random: stream(p.Seed, 3), budgets: make([]runtime.Budget, p.Processes),
		meter: newMeter(int(1.2 * p.Rate * p.Length.Seconds()))}
	s.arrivals, s.upstream = newArrivals(&s.plan), newUpstream(&s.plan)
	for i := range s.budgets {
		budget, err := s.plan.budget()
		if err != nil {
			return nil, err
		}
		s.budgets[i] = budget
	}
	return s, nil
}

// budget is that of one process.
func (p *Plan) budget() (runtime.Budget, error) {
	if p.Policy != Contract {
		return boundless{}, nil
	}
	return p.ledger()
}

func (p *Plan) ledger() (*runtime.Ledger, error) {
	return runtime.NewLedger(p.Budget.BudgetRatio, p.Budget.BudgetWindow, p.Budget.BudgetDeposit, p.Budget.BudgetMinPerWindow)
}

// run lets calls begin, and events happen, in the order of time, until the plan and
// every call have ended.
func (s *simulation) run() {
	for end := time.Second; end <= s.plan.Length || len(s.calls.heap) > 0; end += time.Second {
		s.until(end - 1)
		if s.plan.Policy == Contract && end <= s.plan.Length {
			s.meter.left = append(s.meter.left, s.left(end-1))
		}
	}
}

// until lets everything happen up to an instant, and with it. What happens in the
// instant of an arrival comes before it.
func (s *simulation) until(limit time.Duration) {
	for {
		horizon, arrives := limit, s.arrivals.more() && s.arrivals.at <= limit
		if arrives {
			horizon = s.arrivals.at
		}
		c := s.calls.next(horizon)
		switch {
		case c != nil:
			s.happen(c)
		case arrives:
			at := s.arrivals.at
			s.attempt(&call{process: s.arrivals.next(), begun: at}, at)
		default:
			return
		}
	}
}

// happen is the event of a call.
func (s *simulation) happen(c *call) {
	switch {
	case !c.answered && !s.budgets[c.process].Commit(c.at):
		s.failed(c, runtime.BudgetExhausted)
	case !c.answered:
		s.attempt(c, c.at)
	case c.answer.succeeded():
		s.budgets[c.process].Success(c.at)
		s.meter.succeeded(c)
	default:
		s.fail(c)
	}
}

// attempt begins an attempt of a call, of which the answer is on its way.
func (s *simulation) attempt(c *call, now time.Duration) {
	c.attempts++
	if c.attempts == 1 {
		s.budgets[c.process].Primary(now)
	}
	s.meter.attempt(c, now)
	if c.doubtful && !c.repeatedInDoubt && !s.plan.safelyIdempotent() {
		c.repeatedInDoubt = true
		s.meter.repeatedInDoubt++
	}
	c.answer = s.upstream.take(now, s.patience(c, now))
	c.answered = true
	c.opened = c.opened || c.answer.evidence != runtime.NotSent
	c.doubtful = c.doubtful || c.answer.doubtful()
	s.calls.schedule(c, now+c.answer.took)
}

// patience is how long an attempt may take (RULE-DEADLINE-3).
func (s *simulation) patience(c *call, now time.Duration) time.Duration {
	patience := s.remaining(c, now)
	if timeout := s.plan.Operation.AttemptTimeout; timeout != runtime.NoTimeout {
		patience = min(patience, timeout)
	}
	return patience
}

// remaining is the time until the deadline, of which a loop knows nothing.
func (s *simulation) remaining(c *call, now time.Duration) time.Duration {
	switch deadline := s.plan.Operation.Deadline; {
	case deadline == runtime.NoDeadline:
		return runtime.Unlimited
	case s.plan.Policy == Naive:
		return deadline
	default:
		return c.begun + deadline - now
	}
}

// fail decides what follows on an attempt that has failed.
func (s *simulation) fail(c *call) {
	decision := s.decide(c)
	if decision.Verdict == runtime.Permit && !s.budgets[c.process].Reserve(c.at) {
		decision = runtime.Decision{Reason: runtime.BudgetExhausted}
	}
	if decision.Verdict != runtime.Permit {
		s.failed(c, decision.Reason)
		return
	}
	c.delay, c.answered = decision.Delay, false
	s.calls.schedule(c, c.at+decision.Delay)
}

// safelyIdempotent: doing a call twice is the same as once, and each call that has a
// key bears it (RULE-IDEMPOTENCY-1).
func (p *Plan) safelyIdempotent() bool {
	return p.Operation.Idempotency == runtime.Idempotent || p.Operation.Idempotency == runtime.IdempotentByKey
}

// failed ends a call without success: ambiguous, where it is in doubt and its
// operation is not plainly idempotent (RULE-AMBIGUOUS).
func (s *simulation) failed(c *call, why runtime.Reason) {
	s.meter.failed(why, c.doubtful && s.plan.Operation.Idempotency != runtime.Idempotent)
}

// decide asks the engine, or the loop of those who have none.
func (s *simulation) decide(c *call) runtime.Decision {
	op := s.plan.Operation
	situation := runtime.Situation{
		Attempts:      c.attempts,
		MaxAttempts:   op.MaxAttempts,
		BudgetSpent:   !s.budgets[c.process].Affords(c.at),
		Body:          op.Replayability,
		BodyOpened:    c.opened,
		Remaining:     s.remaining(c, c.at),
		Failure:       c.answer.failure,
		Evidence:      c.answer.evidence,
		Status:        c.answer.status,
		Keyed:         op.Idempotency == runtime.IdempotentByKey,
		PreviousDelay: c.delay,
		Draws:         [2]uint64{s.random.Uint64(), s.random.Uint64()},
	}
	if s.plan.Policy == Naive {
		return loop(&situation)
	}
	return runtime.Decide(op, &situation)
}

// loop repeats whatever has failed, at once.
func loop(s *runtime.Situation) runtime.Decision {
	if s.Attempts >= max(3, s.MaxAttempts) {
		return runtime.Decision{Reason: runtime.MaxAttemptsReached}
	}
	return runtime.Decision{Verdict: runtime.Permit}
}

// boundless is the budget of those who have none.
type boundless struct{}

func (boundless) Primary(time.Duration)      {}
func (boundless) Success(time.Duration)      {}
func (boundless) Affords(time.Duration) bool { return true }
func (boundless) Reserve(time.Duration) bool { return true }
func (boundless) Commit(time.Duration) bool  { return true }
func (boundless) Cancel(time.Duration)       {}

// left is how many retries all processes together could still pay for.
func (s *simulation) left(now time.Duration) (left int) {
	for _, b := range s.budgets {
		own := 0
		for b.Reserve(now) {
			own++
		}
		for range own {
			b.Cancel(now)
		}
		left += own
	}
	return left
}
