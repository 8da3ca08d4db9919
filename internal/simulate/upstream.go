package simulate

import (
	"math/rand/v2"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// upstream is what all processes send to.
type upstream struct {
	plan   *Plan
	random *rand.Rand

	// With a capacity: until when it is busy, where it queues; else when it took
	// each of its latest requests, as many as it takes in a second.
	busy  time.Duration
	taken []time.Duration
	next  int // the oldest of taken
}

func newUpstream(p *Plan) *upstream {
	u := &upstream{plan: p, random: stream(p.Seed, 2)}
	if p.Capacity.Rate > 0 && p.Capacity.Status != 0 {
		u.taken = make([]time.Duration, p.Capacity.Rate)
		for i := range u.taken {
			u.taken[i] = -time.Second
		}
	}
	return u
}

// answer is how an attempt ends, and how long that takes.
type answer struct {
	took     time.Duration
	evidence runtime.Evidence
	failure  runtime.Failure
	status   int
}

func (a *answer) succeeded() bool { return a.status == 200 }

// doubtful: nobody can know what the attempt has done (RULE-AMBIGUOUS-1).
func (a *answer) doubtful() bool {
	return a.evidence == runtime.SentNoResponse || a.status >= 502 && a.status <= 504
}

// take takes a request of a client that waits no longer than patience.
func (u *upstream) take(now, patience time.Duration) answer {
	a := u.work(now)
	if a.took > patience || a.evidence == runtime.SentNoResponse {
		return answer{took: patience, evidence: runtime.SentNoResponse, failure: runtime.TransportFailure}
	}
	return a
}

// work is what becomes of a request whose client waits.
func (u *upstream) work(now time.Duration) answer {
	for i := range u.plan.Faults {
		f := &u.plan.Faults[i]
		over := now >= f.To && f.To < u.plan.Length // one that lasts meets the last retries, too
		if now >= f.From && !over && u.random.Float64() < f.Share {
			return u.strike(f)
		}
	}
	c := &u.plan.Capacity
	switch {
	case c.Rate == 0:
		return u.respond(200)
	case c.Status == 0:
		return u.queue(now)
	case now-u.taken[u.next] < time.Second:
		return u.respond(c.Status)
	}
	u.taken[u.next] = now
	u.next = (u.next + 1) % len(u.taken)
	return u.respond(200)
}

func (u *upstream) strike(f *Fault) answer {
	switch f.Kind {
	case TimeoutFault:
		return answer{evidence: runtime.SentNoResponse}
	case RefusedFault:
		return answer{evidence: runtime.NotSent, failure: runtime.TransportFailure}
	}
	return u.respond(f.Status)
}

// queue works on one request after the other, in the order of their arrival.
func (u *upstream) queue(now time.Duration) answer {
	u.busy = max(u.busy, now) + time.Second/time.Duration(u.plan.Capacity.Rate)
	a := u.respond(200)
	a.took += u.busy - now
	return a
}

func (u *upstream) respond(status int) answer {
	latency := u.plan.LatencyMin
	if spread := u.plan.LatencyMax - latency; spread > 0 {
		latency += time.Duration(u.random.Int64N(int64(spread) + 1))
	}
	return answer{took: latency, evidence: runtime.ResponseReceived, status: status}
}
