package fallback

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestDeliveryIsAtLeastOnceUnderOneID: where the channel's answer is lost the
// delivery is made again, under the same ID, also after a restart; so the channel
// can tell that it has it.
func TestDeliveryIsAtLeastOnceUnderOneID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	q := open(t, path)
	id := keep(t, q, retryable())
	c := newInbox("push")
	c.answer = func(Delivery) (bool, error) { return true, errLost }
	register(t, q, c)
	for range 2 {
		drained, err := q.Drain(t.Context(), "push")
		require.ErrorIs(t, err, errLost)
		require.Equal(t, Drained{Failed: 1}, drained)
	}
	require.NoError(t, q.Close())

	q = open(t, path)
	c.answer = func(Delivery) (bool, error) { return true, nil }
	register(t, q, c)
	drained, err := q.Drain(t.Context(), "push")
	require.NoError(t, err)
	require.Equal(t, Drained{Delivered: 1}, drained)
	require.Equal(t, 3, c.given)
	require.Len(t, c.taken, 1, "the channel has one delivery, under the ID of the record")
	require.Contains(t, c.taken, id)
	r := record(t, q, id)
	require.Equal(t, Delivered, r.State)
	require.Equal(t, 3, r.Tries)

	drained, err = q.Drain(t.Context(), "push")
	require.NoError(t, err)
	require.Zero(t, drained)
	require.Equal(t, 3, c.given, "what is delivered stays so")
}

// TestNoOtherChannelIsGivenIt: a record whose first try may have been taken is
// bound to its channel; the other could not tell that it has it.
func TestNoOtherChannelIsGivenIt(t *testing.T) {
	q := newQueue(t)
	id := keep(t, q, retryable())
	first, second := newInbox("push"), newInbox("mail")
	first.answer = func(Delivery) (bool, error) { return true, errLost }
	register(t, q, first)
	register(t, q, second)
	_, err := q.Drain(t.Context(), "push")
	require.ErrorIs(t, err, errLost)
	drained, err := q.Drain(t.Context(), "mail")
	require.NoError(t, err)
	require.Zero(t, drained)
	require.Zero(t, second.given)
	require.Equal(t, "push", record(t, q, id).Channel)
}

// TestWhatMayHaveExecutedIsNeverResent by the queue, under whatever key and over
// whatever channel: it is held until a person has decided.
func TestWhatMayHaveExecutedIsNeverResent(t *testing.T) {
	for name, f := range map[string]Failure{
		"effect unknown":            {Class: Budget, Effect: Unknown},
		"executed":                  {Class: Exhausted, Effect: Executed},
		"ambiguous":                 {Class: Ambiguous, Effect: Unknown},
		"ambiguous, says one field": {Class: Ambiguous, Effect: NotExecuted},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "queue")
			q := open(t, path)
			f.Recipient, f.Code, f.Expires = "user4711", code, time.Now().Add(time.Hour)
			id := keep(t, q, f)
			push, mail := newInbox("push"), newInbox("mail")
			for range 2 { // before and after a restart
				for _, c := range []*inbox{push, mail} {
					register(t, q, c)
					drained, err := q.Drain(t.Context(), c.name)
					require.NoError(t, err)
					require.Zero(t, drained)
				}
				require.NoError(t, q.Close())
				q = open(t, path)
			}
			require.Zero(t, push.given+mail.given)
			require.Equal(t, Held, record(t, q, id).State)

			require.NoError(t, q.Resolve(id, Decision{Action: Release, By: "ann"}))
			register(t, q, mail)
			_, err := q.Drain(t.Context(), "mail")
			require.NoError(t, err)
			require.Equal(t, code, string(mail.taken[id].Code), "once a person has made sure")
			require.Equal(t, "ann", record(t, q, id).Decisions[0].By)
		})
	}
}

// TestFailureEndsThePass, and the next begins behind it: no record keeps others
// from their delivery.
func TestFailureEndsThePass(t *testing.T) {
	q, err := Open(filepath.Join(t.TempDir(), "queue"), Options{Sealer: sealer(t), Attesters: attesters, Deliveries: 1, NoSync: true})
	require.NoError(t, err)
	defer q.Close()
	ids := []uuid.UUID{keep(t, q, retryable()), keep(t, q, retryable()), keep(t, q, retryable())}
	c := newInbox("push")
	c.answer = func(d Delivery) (bool, error) {
		if d.ID == ids[1] {
			return false, errLost
		}
		return true, nil
	}
	register(t, q, c)
	drained, err := q.Drain(t.Context(), "push")
	require.ErrorIs(t, err, errLost)
	require.Equal(t, Drained{Delivered: 1, Failed: 1}, drained)
	require.Equal(t, 2, c.given)
	drained, err = q.Drain(t.Context(), "push")
	require.ErrorIs(t, err, errLost, "it has its turn at the end")
	require.Equal(t, Drained{Delivered: 1, Failed: 1}, drained)
	require.Contains(t, c.taken, ids[2])
}

// TestUndeliverableWaitsForAPerson: the channel never will.
func TestUndeliverableWaitsForAPerson(t *testing.T) {
	q := newQueue(t)
	id := keep(t, q, retryable())
	c := newInbox("push")
	c.answer = func(Delivery) (bool, error) { return false, fmt.Errorf("no authenticator: %w", ErrUndeliverable) }
	register(t, q, c)
	for _, want := range []Drained{{Held: 1}, {}} {
		drained, err := q.Drain(t.Context(), "push")
		require.NoError(t, err)
		require.Equal(t, want, drained)
	}
	require.Equal(t, Held, record(t, q, id).State)
}

// TestPersonIsFaster: what was closed while it was on its way is not delivered; or
// it was, and then the record says both.
func TestPersonIsFaster(t *testing.T) {
	q := newQueue(t)
	id := keep(t, q, retryable())
	c := newInbox("push")
	c.answer = func(d Delivery) (bool, error) { return true, q.Resolve(d.ID, Decision{Action: Close, By: "ann"}) }
	register(t, q, c)
	drained, err := q.Drain(t.Context(), "push")
	require.NoError(t, err)
	require.Equal(t, Drained{Delivered: 1}, drained)
	r := record(t, q, id)
	require.Equal(t, Resolved, r.State)
	require.False(t, r.Delivered.IsZero())

	p := &pass{queue: q, to: q.channels["push"]}
	p.deliver(t.Context(), id)
	require.NoError(t, p.err)
	require.Zero(t, p.drained)
	require.Equal(t, 1, c.given)
}

// TestErrorOfTheChannelShowsNoSecret: a text that repeats one is withheld.
func TestErrorOfTheChannelShowsNoSecret(t *testing.T) {
	q := newQueue(t)
	keep(t, q, retryable())
	c := newInbox("push")
	c.answer = func(d Delivery) (bool, error) { return false, errors.New("no route for " + string(d.Code)) }
	register(t, q, c)
	_, err := q.Drain(t.Context(), "push")
	require.ErrorContains(t, err, "an error whose text is withheld")
	require.NotContains(t, err.Error(), code)
}

// TestCloseEndsDeliveries: Drain returns with ErrClosed, and Close waits for it.
func TestCloseEndsDeliveries(t *testing.T) {
	q := newQueue(t)
	id := keep(t, q, retryable())
	under := make(chan struct{})
	register(t, q, waiting{newInbox("push"), under})
	var err error
	ended := make(chan struct{})
	go func() {
		_, err = q.Drain(context.Background(), "push")
		close(ended)
	}()
	<-under
	require.NoError(t, q.Close())
	<-ended
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, Queued, record(t, open(t, q.file.path), id).State)
}

// waiting is a channel whose deliveries take as long as they may.
type waiting struct {
	*inbox
	under chan struct{}
}

func (c waiting) Deliver(ctx context.Context, _ Delivery) error {
	close(c.under)
	<-ctx.Done()
	return ctx.Err()
}
