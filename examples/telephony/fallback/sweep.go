package fallback

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

const (
	sweepInterval = time.Second
	sweepBatch    = 1000 // records of one transaction, between which others have theirs
)

func (q *Queue) sweepUntilClosed() {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		if err := q.sweep(); err != nil {
			q.options.Logger.Error("fallback: expired codes and old records could not be removed", "error", err)
		}
		select {
		case <-ticker.C:
		case <-q.context.Done():
			return
		}
	}
}

// sweep drops every code that has expired and purges every record whose retention
// has ended. After changes that failed it makes one, to see whether they do still.
func (q *Queue) sweep() error {
	if q.file.trouble() != nil {
		if err := q.file.commit((*store).try); err != nil {
			return err
		}
	}
	for q.context.Err() == nil {
		now := time.Now().UTC()
		var expired, old []uuid.UUID
		if err := q.file.view(func(s *store) error {
			expired, old = s.overdue(now, q.options.Retention)
			return nil
		}); err != nil || len(expired)+len(old) == 0 {
			return err
		}
		if err := q.file.commit(func(s *store) error { return s.sweep(now, q.options.Retention) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) overdue(now time.Time, retention time.Duration) (expired, old []uuid.UUID) {
	return s.due(codesBucket, now, sweepBatch), s.due(closedBucket, now.Add(-retention), sweepBatch)
}

func (s *store) sweep(now time.Time, retention time.Duration) error {
	expired, old := s.overdue(now, retention)
	var errs []error
	for _, id := range expired {
		e, err := s.find(id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.update(e, func(e *entry) { e.expire(now) })
	}
	for _, id := range old {
		e, err := s.find(id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.move(e, nil)
	}
	return errors.Join(errs...)
}

// expire drops the code. What waits for a person goes on waiting.
func (e *entry) expire(now time.Time) {
	e.Message = nil
	if e.State == Queued {
		e.State, e.Closed = Expired, now
	}
}

// try changes nothing that anybody reads.
func (s *store) try() error {
	s.put(metaBucket, []byte("tried"), milliseconds(time.Now()))
	return nil
}
