package fallback

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// stored is a record as the file has it.
func stored(t testing.TB, q *Queue, id uuid.UUID) *entry {
	e, err := q.find(id)
	require.NoError(t, err)
	return e
}

// TestCodeIsDroppedAtItsExpiry: of what was queued, which is over then, and of what
// a person has yet to decide on, which waits on. Not before.
func TestCodeIsDroppedAtItsExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		queued := keep(t, q, retryable())
		f := retryable()
		f.Effect = Unknown
		held := keep(t, q, f)
		c := newInbox("push")
		register(t, q, c)

		time.Sleep(5*time.Minute - 1)
		synctest.Wait()
		require.Equal(t, Queued, record(t, q, queued).State)
		require.NotNil(t, stored(t, q, queued).Message)
		time.Sleep(time.Nanosecond)
		drained, err := q.Drain(t.Context(), "push")
		require.NoError(t, err)
		require.Zero(t, drained, "no code is delivered from its expiry on, swept or not")
		time.Sleep(2 * sweepInterval)
		synctest.Wait()
		require.Equal(t, Expired, record(t, q, queued).State)
		require.Equal(t, Held, record(t, q, held).State)
		for _, id := range []uuid.UUID{queued, held} {
			require.Nil(t, stored(t, q, id).Message)
			require.NotNil(t, stored(t, q, id).Key, "the rest stays, for audit")
		}
		require.ErrorContains(t, q.Resolve(held, Decision{Action: Release, By: "ann"}), "has no good code: nothing is left to deliver; close it")
		require.NoError(t, q.Resolve(held, Decision{Action: Close, By: "ann"}))
		require.Zero(t, c.given)
	})
}

// TestRetention: what is over is purged when it has been so for long enough; what
// waits for a person is not.
func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, err := Open(filepath.Join(t.TempDir(), "queue"), Options{Sealer: sealer(t), Retention: time.Minute, NoSync: true})
		require.NoError(t, err)
		defer q.Close()
		resolved := keep(t, q, retryable())
		require.NoError(t, q.Resolve(resolved, Decision{Action: Close, By: "ann"}))
		expired := keep(t, q, Failure{Class: Refused, Effect: NotExecuted})
		held := keep(t, q, Failure{Class: Ambiguous, Effect: Unknown})
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		require.Len(t, all(t, q), 3)
		time.Sleep(2 * sweepInterval)
		synctest.Wait()
		found := all(t, q)
		require.Len(t, found, 1)
		require.Contains(t, found, held)
		require.NotContains(t, found, expired)
	})
}

// TestSweepTellsOfTrouble and does the rest of its work.
func TestSweepTellsOfTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		q, err := Open(filepath.Join(t.TempDir(), "queue"), Options{Sealer: sealer(t), NoSync: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		defer q.Close()
		spoilt, intact := keep(t, q, retryable()), keep(t, q, retryable())
		require.NoError(t, q.commit(func(s *store) error {
			s.put(string(Queued), spoilt[:], []byte(`{"id"`))
			return nil
		}))
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		require.Equal(t, Expired, record(t, q, intact).State)
		require.Contains(t, log.String(), "expired codes and old records could not be removed")
		require.Contains(t, log.String(), "cannot be decoded")
		_, err = q.Record(spoilt)
		require.True(t, errors.Is(err, errDamaged))
	})
}
