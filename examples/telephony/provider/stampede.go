package provider

import "time"

// stampede bans a client that sends too many requests within one second. There is
// one client: who else would call a simulator.
type stampede struct {
	above int
	rest  time.Duration

	recent []time.Time // a ring of the last above requests
	next   int
	until  time.Time // the end of the ban
	bans   int
}

func newStampede(above int, rest time.Duration) *stampede {
	if rest == 0 {
		rest = 35 * time.Minute
	}
	return &stampede{above: above, rest: rest, recent: make([]time.Time, above)}
}

// banned notes a request, and reports whether it meets a ban.
func (s *stampede) banned(now time.Time) bool {
	if s.above == 0 {
		return false
	}
	if now.Before(s.until) {
		return true
	}
	oldest := s.recent[s.next]
	s.recent[s.next] = now
	s.next = (s.next + 1) % s.above
	if oldest.IsZero() || now.Sub(oldest) >= time.Second {
		return false
	}
	s.until = now.Add(s.rest)
	s.bans++
	clear(s.recent)
	return true
}
