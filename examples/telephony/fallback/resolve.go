package fallback

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Decision is what a person decided on a record.
type Decision struct {
	Action Action `json:"action"`
	// By is who decided, as audits shall show it.
	By string    `json:"by"`
	At time.Time `json:"at"` // set by Resolve
}

// Action is what a person can do with a record.
type Action string

const (
	// Close: nothing more is to be done with it. It may be queued, held or expired.
	Close Action = "close"
	// Release: the person made sure that the provider has not acted and no channel
	// has delivered. What was held is queued, for any channel.
	Release Action = "release"
)

// ErrNotPossible is in the error of a decision that cannot be carried out, which
// tells why.
var ErrNotPossible = errors.New("fallback: the decision is not possible")

// Resolve carries out a person's decision.
func (q *Queue) Resolve(id uuid.UUID, d Decision) error {
	if !token(d.By) {
		return fmt.Errorf("%w: Decision.By is no name, expected at most 64 letters, digits, '-', '_', '.' or ':'", ErrNotPossible)
	}
	now := time.Now()
	d.At = now.UTC()
	return q.commit(func(s *store) error {
		was, err := s.find(id)
		if err != nil {
			return err
		}
		if err := d.fits(&was.Record, now); err != nil {
			return err
		}
		s.update(was, d.apply)
		return nil
	})
}

// fits reports whether the decision can be carried out.
func (d *Decision) fits(r *Record, now time.Time) error {
	switch {
	case d.Action != Close && d.Action != Release:
		return fmt.Errorf("%w: Decision.Action is %q, expected %q or %q", ErrNotPossible, d.Action, Close, Release)
	case r.State == Sending:
		return fmt.Errorf("%w: record %v: its call still runs", ErrNotPossible, r.ID)
	case r.State == Delivered, r.State == Resolved:
		return fmt.Errorf("%w: record %v is %s: nothing is left to decide", ErrNotPossible, r.ID, r.State)
	case d.Action == Release && r.State != Held:
		return fmt.Errorf("%w: record %v is %s: only what is held can be released", ErrNotPossible, r.ID, r.State)
	case d.Action == Release && !now.Before(r.Expires):
		return fmt.Errorf("%w: record %v has no good code: nothing is left to deliver; close it", ErrNotPossible, r.ID)
	}
	return nil
}

func (d *Decision) apply(e *entry) {
	e.Decisions = append(e.Decisions[:len(e.Decisions):len(e.Decisions)], *d)
	if d.Action == Release {
		e.State, e.Effect, e.Channel = Queued, NotExecuted, ""
		return
	}
	e.State, e.Closed, e.Message = Resolved, d.At, nil
}
