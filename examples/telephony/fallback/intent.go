package fallback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Intent is a send that is about to be made.
type Intent struct {
	// Key is the idempotency key under which it is sent.
	Key Secret
	// Kind is what is sent, in a word that may be shown: "login-code", say.
	Kind string
}

// Failure is how a send ended without success.
type Failure struct {
	Class  Class
	Effect Effect
	// Problem is the code of the problem that the caller is told; it may be shown.
	Problem string
	// Recipient and Code are what another channel would deliver, until Expires.
	// Without a code there is nothing to deliver.
	Recipient Secret
	Code      Secret
	Expires   time.Time
}

// Pending is a durable intent. It ends once, by Done or by Keep; ending it
// otherwise is a fault of the caller, and the send is held as ambiguous at the
// next start.
type Pending struct {
	queue *Queue
	id    uuid.UUID

	mu    sync.Mutex
	ended bool
}

// ErrEnded: the intent has ended before, and what it became stays.
var ErrEnded = errors.New("fallback: the send has ended before")

// Begin returns when the intent is on disk. Without an intent nothing may be
// sent. If ctx ends first, the intent is taken back.
func (q *Queue) Begin(ctx context.Context, i Intent) (*Pending, error) {
	if err := i.check(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	defer q.leave()
	e, err := q.intent(i)
	if err != nil {
		return nil, err
	}
	p := &Pending{queue: q, id: e.ID}
	submitted := q.file.submit(func(s *store) error { s.move(nil, e); return nil })
	select {
	case <-submitted.done:
		if err := submitted.wait(); err != nil {
			return nil, err
		}
		return p, nil
	case <-ctx.Done():
		q.running.Go(func() { p.takeBack(submitted) })
		return nil, context.Cause(ctx)
	}
}

func (i *Intent) check() error {
	switch {
	case i.Key == "":
		return errors.New("fallback: Intent.Key is missing")
	case !token(i.Kind):
		return fmt.Errorf("fallback: Intent.Kind is %q, expected a word of at most 64 letters, digits, '-', '_', '.' or ':'", i.Kind)
	}
	return nil
}

// intent is the entry of an intent. Its class and effect are those that it has if
// nobody ends it.
func (q *Queue) intent(i Intent) (*entry, error) {
	id, err := uuid.NewV7() // sorts by time
	if err != nil {
		return nil, err
	}
	return &entry{
		Record: Record{
			ID: id, State: Sending, Kind: i.Kind, Class: Ambiguous, Effect: Unknown,
			KeyHash: keyHash(i.Key), Begun: time.Now().UTC(),
		},
		Key: q.options.Sealer.seal(id, keyPart, []byte(i.Key)),
	}, nil
}

// keyHash is what runtime.Outcome.KeyHash tells of the key.
func keyHash(key Secret) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:6])
}

// takeBack removes an intent that came too late for its caller. Nothing was sent.
func (p *Pending) takeBack(begin *submitted) {
	err := begin.wait()
	if err == nil {
		err = p.queue.file.commit(p.remove)
	}
	if err != nil {
		p.queue.options.Logger.Error("fallback: an intent without a send could not be taken back", "id", p.id, "error", err)
	}
}

// ID is the send's, from now on.
func (p *Pending) ID() uuid.UUID { return p.id }

// Done removes the intent: the send succeeded. If it fails, it can be tried again.
func (p *Pending) Done() error { return p.end(p.remove) }

// Keep makes a record of the intent, in one transaction. If it fails, it can be
// tried again.
func (p *Pending) Keep(f Failure) error {
	now := time.Now().UTC()
	if err := f.check(); err != nil {
		return err
	}
	message, err := p.seal(f, now)
	if err != nil {
		return err
	}
	return p.end(func(s *store) error {
		was, err := p.intent(s)
		if err != nil {
			return err
		}
		s.update(was, func(e *entry) {
			e.State = stateAfter(f.Class, f.Effect, message != nil)
			e.Class, e.Effect, e.Problem, e.Message, e.Ended = f.Class, f.Effect, f.Problem, message, now
			if f.Code != "" {
				e.Expires = f.Expires.UTC()
			}
			if e.State.closed() {
				e.Closed = now
			}
		})
		return nil
	})
}

func (f *Failure) check() error {
	switch {
	case !slices.Contains(Classes(), f.Class):
		return fmt.Errorf("fallback: Failure.Class is %q, expected one of %q", f.Class, Classes())
	case !slices.Contains([]Effect{Unknown, NotExecuted, Executed}, f.Effect):
		return fmt.Errorf("fallback: Failure.Effect is %q, expected a word of runtime.Effect", f.Effect)
	case f.Problem != "" && !token(f.Problem):
		return errors.New("fallback: Failure.Problem is no code, expected at most 64 letters, digits, '-', '_', '.' or ':'")
	case f.Code != "" && (f.Recipient == "" || f.Expires.IsZero()):
		return errors.New("fallback: Failure.Recipient or Failure.Expires is missing: a code has both")
	}
	return nil
}

// message is what is sealed of a failure, until it is delivered or expires.
type message struct {
	Recipient string `json:"recipient"`
	Code      string `json:"code"`
}

// seal is nil where there is no good code.
func (p *Pending) seal(f Failure, now time.Time) ([]byte, error) {
	if f.Code == "" || !now.Before(f.Expires) {
		return nil, nil
	}
	plain, err := json.Marshal(message{string(f.Recipient), string(f.Code)})
	if err != nil {
		return nil, err
	}
	return p.queue.options.Sealer.seal(p.id, messagePart, plain), nil
}

func (p *Pending) end(apply change) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return ErrEnded
	}
	err := p.queue.commit(apply)
	p.ended = err == nil
	return err
}

func (p *Pending) remove(s *store) error {
	was, err := p.intent(s)
	if err == nil {
		s.move(was, nil)
	}
	return err
}

// intent is the entry as it is stored, unless it is over.
func (p *Pending) intent(s *store) (*entry, error) {
	e, err := s.get(Sending, p.id)
	if e == nil && err == nil {
		err = ErrEnded
	}
	return e, err
}
