package fallback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Drained counts what one pass did.
type Drained struct {
	Delivered int // the channel took them
	Held      int // the channel never will
	Failed    int // to be tried again in another pass
}

// Drain makes one pass over the queued records: each is given to the channel at
// most once, unless another channel was given it before. A failure ends the pass,
// so that a channel in trouble is asked little; the next one begins behind it, so
// that no record keeps others from their delivery. How often there is a pass is
// the caller's matter. One pass at a time drains into a channel; a second waits.
func (q *Queue) Drain(ctx context.Context, name string) (Drained, error) {
	if err := q.enter(); err != nil {
		return Drained{}, err
	}
	defer q.leave()
	r, err := q.channel(name)
	if err != nil {
		return Drained{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(q.context, func() { cancel(ErrClosed) })()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return Drained{}, context.Cause(ctx)
	}
	p := &pass{queue: q, to: r}
	p.run(ctx)
	return p.drained, p.err
}

// pass is one pass over the queued records.
type pass struct {
	queue *Queue
	to    *registered

	mu      sync.Mutex
	drained Drained
	err     error // the first
}

// run goes from where the last pass failed to the end, and then from the
// beginning to there.
func (p *pass) run(ctx context.Context) {
	start := p.to.after
	p.to.after = uuid.Nil
	if p.span(ctx, start, uuid.Max) && start != uuid.Nil {
		p.span(ctx, uuid.Nil, start)
	}
}

// span drains what lies behind from, up to to. It reports whether all went well.
func (p *pass) span(ctx context.Context, from, to uuid.UUID) bool {
	for {
		ids, err := p.claim(ctx, from, to)
		if len(ids) == 0 || err != nil {
			p.err = err
			return err == nil
		}
		p.deliverAll(ctx, ids)
		from = ids[len(ids)-1]
		if p.err != nil {
			p.to.after = from
			return false
		}
	}
}

// claim binds the next records to the channel, durably, before it is given any of
// them.
func (p *pass) claim(ctx context.Context, from, to uuid.UUID) (ids []uuid.UUID, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := p.queue.verify(p.to); err != nil {
		return nil, err
	}
	now := time.Now()
	err = p.queue.file.commit(func(s *store) error {
		var claimed []*entry
		err := s.after(Queued, from, func(e *entry) bool {
			if bytes.Compare(e.ID[:], to[:]) > 0 {
				return false
			}
			if (e.Channel == "" || e.Channel == p.to.Name()) && now.Before(e.Expires) {
				claimed = append(claimed, e)
			}
			return len(claimed) < p.queue.options.Deliveries
		})
		if err != nil {
			return err
		}
		for _, e := range claimed {
			s.update(e, func(e *entry) { e.Channel = p.to.Name(); e.Tries++ })
			ids = append(ids, e.ID)
		}
		return nil
	})
	return ids, err
}

func (p *pass) deliverAll(ctx context.Context, ids []uuid.UUID) {
	var deliveries sync.WaitGroup
	for _, id := range ids {
		deliveries.Go(func() { p.deliver(ctx, id) })
	}
	deliveries.Wait()
}

// deliver gives one claimed record to the channel, and notes what came of it.
func (p *pass) deliver(ctx context.Context, id uuid.UUID) {
	d, err := p.delivery(id)
	if d == nil || err != nil {
		p.fail(err)
		return
	}
	ctx, cancel := context.WithDeadline(ctx, d.Expires)
	defer cancel()
	switch err := p.to.Deliver(ctx, *d); {
	case err == nil:
		p.note(&p.drained.Delivered, p.queue.delivered(id))
	case errors.Is(err, ErrUndeliverable):
		p.note(&p.drained.Held, p.queue.undeliverable(id))
	default:
		p.fail(fmt.Errorf("fallback: channel %s: delivery %v: %w", p.to.Name(), id, d.concealed(err)))
	}
}

// delivery is what the channel is given, if it is still a verified one; nil where
// a person, or time, was faster.
func (p *pass) delivery(id uuid.UUID) (*Delivery, error) {
	if err := p.queue.verify(p.to); err != nil {
		return nil, err
	}
	var e *entry
	err := p.queue.file.view(func(s *store) (err error) {
		e, err = s.get(Queued, id)
		return err
	})
	if err != nil || e == nil || !time.Now().Before(e.Expires) {
		return nil, err
	}
	plain, err := p.queue.options.Sealer.open(id, messagePart, e.Message)
	if err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(plain, &m); err != nil {
		return nil, fmt.Errorf("fallback: record %v: its message cannot be decoded", id)
	}
	return &Delivery{ID: id, Kind: e.Kind, Recipient: Secret(m.Recipient), Code: Secret(m.Code), Expires: e.Expires}, nil
}

// concealed is the channel's error, unless its text shows what it must not.
func (d *Delivery) concealed(err error) error {
	if text := err.Error(); strings.Contains(text, string(d.Code)) || strings.Contains(text, string(d.Recipient)) {
		return errors.New("an error whose text is withheld: it shows the code or the recipient")
	}
	return err
}

func (p *pass) note(count *int, err error) {
	if err != nil {
		p.fail(err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	*count++
}

// fail counts a failure. Without an error there is none.
func (p *pass) fail(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drained.Failed++
	if p.err == nil {
		p.err = err
	}
}

// delivered notes that a channel took a record: also one that has expired or that
// a person has closed meanwhile, for that is what happened.
func (q *Queue) delivered(id uuid.UUID) error {
	now := time.Now().UTC()
	return q.file.commit(func(s *store) error {
		was, err := s.find(id)
		if err != nil {
			return err
		}
		s.update(was, func(e *entry) {
			e.Delivered, e.Message = now, nil
			if e.State != Resolved {
				e.State, e.Closed = Delivered, now
			}
		})
		return nil
	})
}

// undeliverable leaves a record to a person, if it is still queued.
func (q *Queue) undeliverable(id uuid.UUID) error {
	return q.file.commit(func(s *store) error {
		was, err := s.get(Queued, id)
		if was != nil {
			s.update(was, func(e *entry) { e.State = Held })
		}
		return err
	})
}
