package fallback

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Channel is another way to the recipient: push to registered authenticators,
// say. A delivery may come more than once, under one ID; the channel must not
// deliver it twice.
type Channel interface {
	Name() string
	// Endpoint is where it delivers to, an https URL.
	Endpoint() string
	// Deliver returns nil when the channel has taken the delivery, and an error of
	// [ErrUndeliverable] when it has not and never will.
	Deliver(ctx context.Context, d Delivery) error
}

// Delivery is what a channel is given.
type Delivery struct {
	ID        uuid.UUID `json:"id"` // the same however often it is given
	Kind      string    `json:"kind"`
	Recipient Secret    `json:"recipient"`
	Code      Secret    `json:"code"`
	Expires   time.Time `json:"expires"`
}

// ErrUndeliverable is in the error of a channel that will never deliver this, for
// a recipient without an authenticator, say. The record waits for a person.
var ErrUndeliverable = errors.New("fallback: undeliverable")

// registered is a channel with what makes it a verified one.
type registered struct {
	Channel
	attestation string
	turn        chan struct{} // held by the pass that drains into it
	after       uuid.UUID     // where the last pass failed; the next one begins behind it
}

// Register makes a channel known to [Queue.Drain]. The attestation is what
// [Attest] returned for it. A later one replaces it.
func (q *Queue) Register(c Channel, attestation string) error {
	r := &registered{Channel: c, attestation: attestation, turn: make(chan struct{}, 1)}
	if err := q.verify(r); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.channels[c.Name()] = r
	return nil
}

// verify is asked when a channel is registered, and before each use.
func (q *Queue) verify(r *registered) error {
	if reason := verify(r.Name(), r.Endpoint(), r.attestation, q.options.Attesters, time.Now()); reason != "" {
		return &BlockedError{r.Name(), reason}
	}
	return nil
}

// channel is the verified channel of a name.
func (q *Queue) channel(name string) (*registered, error) {
	q.mu.Lock()
	r, ok := q.channels[name]
	q.mu.Unlock()
	if !ok {
		return nil, &BlockedError{name, "it is not registered"}
	}
	return r, q.verify(r)
}
