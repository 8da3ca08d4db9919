package fallback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
)

// TestIntentIsDurableBeforeTheFirstAttempt: when Begin returns, the file says that
// there is a send: its key and class, and no code. Whoever opens a copy of that
// moment's bytes, as after a crash, finds one ambiguous record.
func TestIntentIsDurableBeforeTheFirstAttempt(t *testing.T) {
	q := newQueue(t)
	p := begin(t, q)
	copied := copyOf(t, q)
	running := record(t, q, p.ID())
	require.Equal(t, Sending, running.State)
	require.Equal(t, Ambiguous, running.Class)
	require.Equal(t, Unknown, running.Effect)

	crashed := open(t, copied)
	found := all(t, crashed)
	require.Len(t, found, 1)
	r := found[p.ID()]
	require.Equal(t, Held, r.State, "nobody knows what the send did")
	require.Equal(t, Ambiguous, r.Class)
	require.Equal(t, Unknown, r.Effect)
	require.False(t, r.Ended.IsZero())
	require.Zero(t, r.Expires, "an intent has no code")
	key, err := crashed.Key(p.ID())
	require.NoError(t, err)
	require.Equal(t, wholeID, string(key), "a person asks the provider under it")
	require.Equal(t, (&runtime.Outcome{Key: wholeID}).KeyHash(), r.KeyHash, "as the runtime's events show it")

	again := open(t, copyOf(t, crashed))
	require.Equal(t, found, all(t, again), "a second start adds nothing")
}

func copyOf(t testing.TB, q *Queue) string {
	content, err := os.ReadFile(q.file.path)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "queue")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// TestEveryEndWithoutSuccessIsOneRecord: with its class and effect, in the state
// that they lead to. Only what was surely not executed may be delivered by itself.
func TestEveryEndWithoutSuccessIsOneRecord(t *testing.T) {
	for _, class := range Classes() {
		for _, effect := range []Effect{Unknown, NotExecuted, Executed} {
			for _, codeFor := range []time.Duration{0, -time.Minute, time.Minute} {
				t.Run(fmt.Sprintf("%s %s %v", class, effect, codeFor), func(t *testing.T) {
					want := Held
					if effect == NotExecuted && class != Ambiguous {
						want = Expired
						if codeFor > 0 {
							want = Queued
						}
					}
					f := Failure{Class: class, Effect: effect, Problem: "P"}
					if codeFor != 0 {
						f.Recipient, f.Code, f.Expires = "user4711", code, time.Now().Add(codeFor)
					}
					q := newQueue(t)
					id := keep(t, q, f)
					found := all(t, q)
					require.Len(t, found, 1)
					require.Equal(t, want, found[id].State)
					require.Equal(t, class, found[id].Class)
					require.Equal(t, effect, found[id].Effect)
					require.Equal(t, "P", found[id].Problem)
					require.Equal(t, want == Expired, !found[id].Closed.IsZero(), "the retention runs")
				})
			}
		}
	}
}

// TestEndIsOneTransaction: the intent is removed, or is a record, in the same
// commit; and it ends once.
func TestEndIsOneTransaction(t *testing.T) {
	q := newQueue(t)
	for name, end := range map[string]func(*Pending) error{
		"Done": (*Pending).Done,
		"Keep": func(p *Pending) error { return p.Keep(retryable()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := begin(t, q)
			before := commits(t, q)
			require.NoError(t, end(p))
			require.Equal(t, before+1, commits(t, q))
			_, err := q.Record(p.ID())
			require.Equal(t, name == "Done", errors.Is(err, ErrNotFound))
			require.ErrorIs(t, p.Done(), ErrEnded)
			require.ErrorIs(t, p.Keep(retryable()), ErrEnded)
		})
	}
	require.Len(t, all(t, q), 1)
}

// TestTwoSendsUnderOneKeyAreTwoRecords: each is told what became of it.
func TestTwoSendsUnderOneKeyAreTwoRecords(t *testing.T) {
	q := newQueue(t)
	keep(t, q, retryable())
	keep(t, q, retryable())
	require.Len(t, all(t, q), 2)
}

// TestCommitsAreGrouped: what comes while a transaction is written shares the next.
func TestCommitsAreGrouped(t *testing.T) {
	q := newQueue(t)
	before := commits(t, q)
	q.file.writing.Lock() // as the transaction before does
	var waiting []*submitted
	for range 100 {
		e, err := q.intent(Intent{Key: wholeID, Kind: "login-code"})
		require.NoError(t, err)
		waiting = append(waiting, q.file.submit(func(s *store) error { s.move(nil, e); return nil }))
	}
	mine := errors.New("only mine")
	refused := q.file.submit(func(*store) error { return mine })
	q.file.writing.Unlock()
	for _, w := range waiting {
		require.NoError(t, w.wait(), "what another change says is its own matter")
	}
	require.ErrorIs(t, refused.wait(), mine)
	require.Equal(t, before+1, commits(t, q))
	require.Len(t, all(t, q), 100)
}

// TestFailedCommitKeepsNothing: whoever shared it hears so, and may try again.
func TestFailedCommitKeepsNothing(t *testing.T) {
	q := newQueue(t)
	p := begin(t, q)
	q.file.writing.Lock()
	broken := q.file.submit(func(s *store) error { s.failed(errors.New("disk full")); return nil })
	ended := make(chan error)
	go func() { ended <- p.Keep(retryable()) }()
	require.Eventually(t, func() bool {
		q.file.mu.Lock()
		defer q.file.mu.Unlock()
		return len(q.file.next.changes) == 2
	}, time.Minute, time.Millisecond)
	q.file.writing.Unlock()
	require.ErrorContains(t, broken.wait(), "disk full")
	require.ErrorContains(t, <-ended, "disk full")
	require.Equal(t, Sending, record(t, q, p.ID()).State)
	require.NoError(t, p.Keep(retryable()))
	require.Equal(t, Queued, record(t, q, p.ID()).State)
}

// TestBeginWithoutTimeTakesTheIntentBack: nothing was sent, so nothing is left.
func TestBeginWithoutTimeTakesTheIntentBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	q := open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	q.file.writing.Lock()
	begun := make(chan error)
	go func() {
		_, err := q.Begin(ctx, Intent{Key: wholeID, Kind: "login-code"})
		begun <- err
	}()
	cancel()
	require.ErrorIs(t, <-begun, context.Canceled)
	q.file.writing.Unlock()
	require.NoError(t, q.Close(), "waits for it")
	require.Empty(t, all(t, open(t, path)))
}

// TestRefusals: what is wrong with a call, and how to mend it; without a secret.
func TestRefusals(t *testing.T) {
	q := newQueue(t)
	p := begin(t, q)
	for name, test := range map[string]struct {
		call func() error
		want string
	}{
		"no key":  {func() error { _, err := q.Begin(t.Context(), Intent{Kind: "k"}); return err }, "Intent.Key is missing"},
		"kind":    {func() error { _, err := q.Begin(t.Context(), Intent{Key: wholeID, Kind: "a b"}); return err }, `Intent.Kind is "a b", expected a word`},
		"class":   {func() error { return p.Keep(Failure{Class: "bad", Effect: Unknown}) }, `Failure.Class is "bad", expected one of`},
		"effect":  {func() error { return p.Keep(Failure{Class: Budget, Effect: "bad"}) }, `Failure.Effect is "bad", expected a word of runtime.Effect`},
		"problem": {func() error { return p.Keep(Failure{Class: Budget, Effect: Unknown, Problem: code + " " + wholeID}) }, "Failure.Problem is no code"},
		"no expiry": {func() error {
			return p.Keep(Failure{Class: Budget, Effect: Unknown, Recipient: "u", Code: code})
		}, "Failure.Recipient or Failure.Expires is missing"},
		"no such record": {func() error { _, err := q.Record(uuid.Max); return err }, "there is no such record: ffffffff"},
		"no such key":    {func() error { _, err := q.Key(uuid.Max); return err }, "there is no such record"},
		"by nobody":      {func() error { return q.Resolve(p.ID(), Decision{Action: Close}) }, "Decision.By is no name"},
		"action": {func() error { return q.Resolve(p.ID(), Decision{Action: "burn", By: "ann"}) },
			`Decision.Action is "burn", expected "close" or "release"`},
		"no sealer": {func() error { _, err := Open(q.file.path, Options{}); return err }, "Options.Sealer is missing"},
		"retention": {func() error { _, err := Open(q.file.path, Options{Sealer: sealer(t), Retention: -1}); return err },
			"are not negative"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.call()
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), code)
			require.NotContains(t, err.Error(), wholeID)
		})
	}
	require.Equal(t, Sending, record(t, q, p.ID()).State, "a refused end ends nothing")
}

// TestClosed: a closed queue refuses, and what was running is ambiguous afterwards.
func TestClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	q := open(t, path)
	p := begin(t, q)
	require.NoError(t, q.Close())
	require.NoError(t, q.Close())
	require.ErrorIs(t, p.Done(), ErrClosed)
	_, err := q.Begin(t.Context(), Intent{Key: wholeID, Kind: "k"})
	require.ErrorIs(t, err, ErrClosed)
	_, err = q.Stats()
	require.ErrorIs(t, err, ErrClosed)
	_, err = q.Drain(t.Context(), "push")
	require.ErrorIs(t, err, ErrClosed)
	c := newInbox("push")
	require.ErrorIs(t, q.Register(c, attest(t, c, time.Now().Add(time.Hour))), ErrClosed)
	require.Equal(t, Ambiguous, record(t, open(t, path), p.ID()).Class)
}

// TestFileShowsNoSecret: neither the code nor the key nor the recipient is among
// the file's bytes, whatever state the record is in.
func TestFileShowsNoSecret(t *testing.T) {
	q := newQueue(t)
	begin(t, q)
	queued := keep(t, q, retryable())
	f := retryable()
	f.Effect = Unknown
	keep(t, q, f)
	c := newInbox("push")
	register(t, q, c)
	_, err := q.Drain(t.Context(), "push")
	require.NoError(t, err)
	require.Equal(t, code, string(c.taken[queued].Code), "the channel is given it")
	content, err := os.ReadFile(q.file.path)
	require.NoError(t, err)
	require.True(t, bytes.Contains(content, []byte("login-code")), "the bytes are those of the records")
	for _, secret := range []string{code, wholeID, "user4711", "session0815"} {
		require.False(t, bytes.Contains(content, []byte(secret)), "%s", secret)
	}
}
