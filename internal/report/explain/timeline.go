package explain

import (
	"fmt"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// Timeline is when the attempts of a call can begin and end, counted from the
// start of the first, where no response asks for a delay (Retry-After).
type Timeline struct {
	Attempts []Span `json:"attempts"`
}

// Span is one attempt.
type Span struct {
	Earliest string `json:"earliest"`      // all before it failed at once, with the shortest delays
	Latest   string `json:"latest"`        // all before it took their time, with the longest delays
	End      string `json:"end"`           // at the latest; "unlimited"
	WaitMin  string `json:"shortest_wait"` // the delay before it
	WaitMax  string `json:"longest_wait"`

	earliest, latest, end, waitMin, waitMax time.Duration
}

func timeline(op *runtime.Operation) Timeline {
	spans := schedule(op, report.Waits(op, false))
	for i := range spans {
		s := &spans[i]
		s.Earliest, s.Latest, s.End = s.earliest.String(), word(s.latest), word(s.end)
		s.WaitMin, s.WaitMax = s.waitMin.String(), s.waitMax.String()
	}
	return Timeline{spans}
}

func word(d time.Duration) string {
	if d == runtime.Unlimited {
		return "unlimited"
	}
	return d.String()
}

// schedule lays out as many attempts as the contract has, with these longest
// waits between them.
func schedule(op *runtime.Operation, waits []time.Duration) []Span {
	deadline, timeout := report.OrUnlimited(op.Deadline), report.OrUnlimited(op.AttemptTimeout)
	spans := []Span{{end: min(timeout, deadline)}}
	for attempt := 1; attempt < len(waits); attempt++ {
		before := spans[attempt-1]
		s := Span{waitMin: shortest(op, attempt), waitMax: waits[attempt]}
		s.earliest = report.Plus(before.earliest, s.waitMin)
		s.latest = report.Plus(before.end, s.waitMax)
		if deadline != runtime.Unlimited {
			s.latest = min(s.latest, deadline-op.MinAttemptBudget)
		}
		if waits[attempt] == 0 || s.earliest >= deadline-op.MinAttemptBudget {
			break // never permitted, or never in time
		}
		s.end = min(report.Plus(s.latest, timeout), deadline)
		spans = append(spans, s)
	}
	return spans
}

// shortest is the shortest delay after an attempt.
func shortest(op *runtime.Operation, attempt int) time.Duration {
	least := runtime.Unlimited
	for _, row := range report.Rows(op) {
		if a := report.Ask(op, row, attempt, 0); a.Decision.Verdict == runtime.Permit {
			least = min(least, a.Decision.Delay)
		}
	}
	return least
}

// longest is how long a call can take until its last attempt ends, with these
// longest waits.
func longest(op *runtime.Operation, waits []time.Duration) time.Duration {
	var end time.Duration
	for _, s := range schedule(op, waits) {
		end = max(end, s.end)
	}
	return end
}

func (s *Span) waits() string {
	switch {
	case s.waitMax == 0:
		return "nothing"
	case s.waitMin == s.waitMax:
		return report.Duration(s.waitMax)
	}
	return report.Duration(s.waitMin) + " to " + report.Duration(s.waitMax)
}

func (s *Span) begins() string {
	switch {
	case s.latest == runtime.Unlimited:
		return report.Duration(s.earliest) + " or later"
	case s.earliest == s.latest:
		return report.Duration(s.earliest)
	}
	return report.Duration(s.earliest) + " to " + report.Duration(s.latest)
}

func (s *Span) ends() string {
	if s.end == runtime.Unlimited {
		return "at any time"
	}
	return "by " + report.Duration(s.end)
}

// duration tells how long a call can take.
func (e *Operation) duration() string {
	last := e.Timeline.Attempts[len(e.Timeline.Attempts)-1].end
	longest, _ := time.ParseDuration(e.Longest) // 0: unlimited
	text := "Attempts and the delays between them have no limit."
	switch {
	case longest > last:
		text = fmt.Sprintf("Attempts and the delays between them take at most %s, or %s where responses ask for a delay (Retry-After).", report.Duration(last), report.Duration(longest))
	case longest > 0:
		text = fmt.Sprintf("Attempts and the delays between them take at most %s.", report.Duration(longest))
	}
	if e.deadline > longest {
		text += " Waiting for a place or a credential comes on top, up to the deadline."
	}
	return text
}
