package runtime

import (
	"net/http"
	"time"
)

// CallOption changes one call. An option can lower the limits of the contract,
// never raise them (RULE-OWNER).
type CallOption func(*settings)

// settings are what the options of one call add up to.
type settings struct {
	key         string
	until       time.Time // no attempt after it; zero: no such bound
	maxAttempts int
	attemptsSet bool
	deadline    time.Duration
	header      http.Header
	report      *Outcome
	page        *pageCall // of an iteration over pages
}

// Key sends key as the call's idempotency key: a stored one, for a replay after
// a crash.
func Key(key string) CallOption {
	return func(s *settings) { s.key = key }
}

// MaxAttempts lowers the number of attempts; 0 and 1 both mean one.
func MaxAttempts(n int) CallOption {
	return func(s *settings) { s.maxAttempts, s.attemptsSet = max(n, 1), true }
}

// Deadline lowers the time that the call may take.
func Deadline(d time.Duration) CallOption {
	return func(s *settings) { s.deadline = d }
}

// Header adds a header to every attempt of the call.
func Header(name, value string) CallOption {
	return func(s *settings) {
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Add(name, value)
	}
}

// Report fills o when the call has ended, well or not.
func Report(o *Outcome) CallOption {
	return func(s *settings) { s.report = o }
}

// collect applies the options; without any it allocates nothing.
func collect(opts []CallOption) (s settings) {
	if len(opts) == 0 {
		return s
	}
	return apply(opts)
}

func apply(opts []CallOption) settings {
	s := new(settings)
	for _, opt := range opts {
		if opt != nil {
			opt(s)
		}
	}
	return *s
}

// attempts is the smaller of the contract's and the call's number of attempts.
func (s *settings) attempts(op *Operation) int {
	n := max(op.MaxAttempts, 1)
	if s.attemptsSet {
		n = min(n, s.maxAttempts)
	}
	return n
}

// timeout is the smaller of the contract's and the call's deadline; NoDeadline
// without either.
func (s *settings) timeout(op *Operation) time.Duration {
	switch {
	case s.deadline <= 0:
		return op.Deadline
	case op.Deadline == NoDeadline:
		return s.deadline
	}
	return min(op.Deadline, s.deadline)
}

// end is when a call that begins now must be over; zero: whenever the context
// says.
func (s *settings) end(op *Operation, now time.Time) time.Time {
	end := s.until
	if timeout := s.timeout(op); timeout != NoDeadline && (end.IsZero() || now.Add(timeout).Before(end)) {
		end = now.Add(timeout)
	}
	return end
}
