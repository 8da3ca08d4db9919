package drill

import (
	"fmt"
	"slices"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
)

// The bounds of a drill (MC-RT-01, INV-RTY-04).
const (
	retryRatio    = 0.1
	recoveryGrace = 2500 * time.Millisecond
	recoverySpan  = 5 * time.Second
	// SLA is the latency that 95 of 100 logins must keep.
	SLA = 1200 * time.Millisecond
)

// Report is what a drill has shown.
type Report struct {
	Plan   Plan    `json:"plan"`
	Totals Totals  `json:"totals"`
	Checks []Check `json:"checks"`
	Phases []Phase `json:"phases"`
	// Seconds are the curves, a point per second.
	Seconds []Second `json:"seconds"`
}

// Totals of a drill.
type Totals struct {
	Logins    int `json:"logins"`
	Successes int `json:"successes"`
	Attempts  int `json:"attempts"`
	Retries   int `json:"retries"`
	// Amplification is attempts per login.
	Amplification float64 `json:"amplification"`
	// PeakSecond is the largest number of attempts in a second of the clock,
	// PeakTrailing in any second.
	PeakSecond   int `json:"peak_second"`
	PeakTrailing int `json:"peak_trailing_second"`
	// WorstSecond and WorstMinute are the largest shares of retries in the primaries
	// of a trailing second and minute.
	WorstSecond float64 `json:"worst_second_ratio"`
	WorstMinute float64 `json:"worst_minute_ratio"`
	// Recovered is how long after the fault retries were few again; negative where
	// they never were.
	Recovered time.Duration `json:"recovered"`
	Queued    int           `json:"queued"`
	Messages  int           `json:"messages"`
	Bans      int           `json:"bans"`
	Alerts    int           `json:"alerts"`
	// Problems counts the logins without success by their code.
	Problems map[string]int `json:"problems"`
}

// Check is a bound and whether it held.
type Check struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Got  string `json:"got"`
	OK   bool   `json:"ok"`
}

// Phase is a part of the drill.
type Phase struct {
	Name    string        `json:"name"`
	From    time.Duration `json:"from"`
	To      time.Duration `json:"to"`
	Logins  int           `json:"logins"`
	Success float64       `json:"success"` // share of its logins
	P50     time.Duration `json:"p50"`
	P95     time.Duration `json:"p95"`
}

// Second is a second of the drill.
type Second struct {
	Primary int     `json:"primary"`
	Retry   int     `json:"retry"`
	Success float64 `json:"success"` // share of the logins that began in it
	// Budget is how many retries the second that ends here could still have paid.
	Budget int           `json:"budget"`
	P50    time.Duration `json:"p50"`
	P95    time.Duration `json:"p95"`
}

// OK reports whether all bounds held.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.OK })
}

// around is what only those know who were there.
type around struct {
	queued   int // records of the fallback queue
	twice    int // logins that have more than one
	messages int // that the provider sent
	bans     int
	alerts   int
}

// report makes a report of what was written down.
func (m *meter) report(p Plan, a around) Report {
	m.sorted()
	r := Report{Plan: p, Totals: m.totals(p, a)}
	for _, part := range p.phases() {
		logins := m.between(part.from, part.to)
		p50, p95 := latencies(logins)
		r.Phases = append(r.Phases, Phase{part.name, part.from, part.to, len(logins), successShare(logins), p50, p95})
	}
	for at := time.Duration(0); at < p.Length; at += time.Second {
		r.Seconds = append(r.Seconds, m.second(at))
	}
	r.Checks = checks(p, r, a)
	return r
}

func (m *meter) totals(p Plan, a around) Totals {
	t := Totals{
		Logins:      len(m.logins),
		Attempts:    len(m.primaries) + len(m.retries),
		Retries:     len(m.retries),
		WorstSecond: m.worstRatio(time.Second),
		WorstMinute: m.worstRatio(time.Minute),
		Recovered:   m.quiet(p.FaultTo, p.Length, recoverySpan),
		Queued:      a.queued,
		Messages:    a.messages,
		Bans:        a.bans,
		Alerts:      a.alerts,
		Problems:    map[string]int{},
	}
	t.PeakSecond, t.PeakTrailing = m.peak()
	for _, l := range m.logins {
		if l.success {
			t.Successes++
		} else {
			t.Problems[l.code]++
		}
	}
	t.Amplification = float64(t.Attempts) / float64(max(t.Logins, 1))
	return t
}

func (m *meter) second(at time.Duration) Second {
	const second = time.Second
	logins := m.between(at, at+second)
	s := Second{
		Primary: within(m.primaries, at+second-1, second),
		Retry:   within(m.retries, at+second-1, second),
		Success: successShare(logins),
	}
	earned := min(s.Primary, within(m.successes, at+second-1, second))
	s.Budget = max(0, int(retryRatio*float64(earned))-s.Retry)
	s.P50, s.P95 = latencies(logins)
	return s
}

// between are the logins that began in [from, to).
func (m *meter) between(from, to time.Duration) []login {
	index := func(t time.Duration) int {
		i, _ := slices.BinarySearchFunc(m.logins, t, func(l login, t time.Duration) int { return int(l.at - t) })
		return i
	}
	return m.logins[index(from):index(to)]
}

func successShare(logins []login) float64 {
	successes := 0
	for _, l := range logins {
		if l.success {
			successes++
		}
	}
	return float64(successes) / float64(max(len(logins), 1))
}

// latencies are the median and the 95th percentile of the time that logins took,
// successful or not.
func latencies(logins []login) (p50, p95 time.Duration) {
	if len(logins) == 0 {
		return 0, 0
	}
	took := make([]time.Duration, len(logins))
	for i, l := range logins {
		took[i] = l.took
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*95/100]
}

// checks are the bounds of the drill. The naive policy is held to none: it is
// there to break them.
func checks(p Plan, r Report, a around) []Check {
	t := r.Totals
	failed := t.Logins - t.Successes
	list := []Check{
		{"logins sent", fmt.Sprint(p.logins()), fmt.Sprint(t.Logins), t.Logins == p.logins()},
		{"retries in any trailing second", "at most 10%", percent(t.WorstSecond), t.WorstSecond <= retryRatio},
		{"retries in any trailing minute", "at most 10%", percent(t.WorstMinute), t.WorstMinute <= retryRatio},
		{"bans", "0", fmt.Sprint(t.Bans), t.Bans == 0},
		{"recovery", "within 2.5s", recovered(t.Recovered), t.Recovered >= 0 && t.Recovered <= recoveryGrace},
		{gateway.CodeRecoveryLag, "0", fmt.Sprint(t.Alerts), t.Alerts == 0},
		{"failed logins in the fallback queue", fmt.Sprint(failed), fmt.Sprint(t.Queued), t.Queued == failed && a.twice == 0},
	}
	for _, part := range r.Phases {
		list = append(list, Check{"p95 " + part.Name, "at most " + SLA.String(), part.P95.Round(time.Millisecond).String(), part.P95 <= SLA})
	}
	return list
}

func percent(ratio float64) string { return fmt.Sprintf("%.2f%%", 100*ratio) }

func recovered(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return d.String()
}
