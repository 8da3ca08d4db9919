// Package drill rehearses an outage of the provider (MC-RT-01): a stream of logins
// at full rate, a provider that answers many of them with 429 for a while, and a
// report of what the gateway sent, when it recovered, and what became of each
// login.
package drill

import "time"

// Plan is one drill.
type Plan struct {
	Name string `json:"name"`
	// Rate of logins per second, for so long.
	Rate   int           `json:"rate"`
	Length time.Duration `json:"length"`
	// FaultShare of the requests are answered with 429 from FaultFrom to FaultTo.
	FaultFrom  time.Duration `json:"fault_from"`
	FaultTo    time.Duration `json:"fault_to"`
	FaultShare float64       `json:"fault_share"`
	// BaselineEvery is the number of requests of which one fails with 503 while the
	// provider is well. One in a hundred would be 12 retries a second by itself.
	BaselineEvery int `json:"baseline_every"`
	// LatencyMin and LatencyMax bound the time that an answer takes.
	LatencyMin time.Duration `json:"latency_min"`
	LatencyMax time.Duration `json:"latency_max"`
	HTTP2      bool          `json:"http2"`
	// BanAbove is how many requests within one second the provider takes for a
	// stampede.
	BanAbove int `json:"ban_above"`
	// Naive sends as the service did before it had a policy: each failure at once
	// again, up to eight attempts.
	Naive bool `json:"naive"`
	// Seed makes the provider's choices repeatable.
	Seed uint64 `json:"seed"`
}

// Standard is the drill of the document: 1,200 logins per second for 75 s, 429 on
// 60% of the requests from second 10 to second 55.
func Standard() Plan {
	return Plan{
		Name:          "HTTP/1.1, 20 to 30 ms",
		Rate:          1200,
		Length:        75 * time.Second,
		FaultFrom:     10 * time.Second,
		FaultTo:       55 * time.Second,
		FaultShare:    0.6,
		BaselineEvery: 1000,
		LatencyMin:    20 * time.Millisecond,
		LatencyMax:    30 * time.Millisecond,
		BanAbove:      1800,
		Seed:          1,
	}
}

// OverHTTP2 is the standard drill with a slower provider over HTTP/2, where calls
// share connections.
func OverHTTP2() Plan {
	p := Standard()
	p.Name = "HTTP/2, 100 ms"
	p.HTTP2 = true
	p.LatencyMin, p.LatencyMax = 100*time.Millisecond, 100*time.Millisecond
	return p
}

// Half is the standard drill with 429 on half of the requests.
func Half() Plan {
	p := Standard()
	p.Name = "50% of 429"
	p.FaultShare = 0.5
	return p
}

// Naive is the standard drill with the policy of the incident that the policy of
// today answers: immediate attempts without jitter, budget or end.
func Naive() Plan {
	p := Standard()
	p.Name = "naive policy"
	p.Naive = true
	return p
}

// Short is the standard drill in ten seconds: as much after the fault as it takes to
// see a recovery, and a short fault.
func Short() Plan {
	p := Standard()
	p.Name = "ten seconds"
	p.FaultFrom, p.FaultTo, p.Length = time.Second, 2500*time.Millisecond, 10*time.Second
	return p
}

// Faulty reports whether the provider is in trouble at a time since the start.
func (p Plan) Faulty(at time.Duration) bool { return at >= p.FaultFrom && at < p.FaultTo }

// phase is a part of the drill with a name of its own.
type phase struct {
	name     string
	from, to time.Duration
}

func (p Plan) phases() []phase {
	return []phase{
		{"before", 0, p.FaultFrom},
		{"fault", p.FaultFrom, p.FaultTo},
		{"after", p.FaultTo, p.Length},
	}
}
