package fallback

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDamageUnderWay: a file that is damaged while the queue is open refuses each
// use at once, and nobody waits for a lock that bbolt's panic has left behind.
func TestDamageUnderWay(t *testing.T) {
	for name, size := range map[string]int64{"emptied": 0, "cut off": 1 << 14} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "queue")
			q, err := Open(path, Options{Sealer: sealer(t)})
			require.NoError(t, err)
			for range 50 {
				keep(t, q, retryable())
			}
			pending := begin(t, q)
			require.NoError(t, q.Health())
			require.NoError(t, os.Truncate(path, size))

			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			for range 3 {
				_, err = q.Begin(ctx, Intent{Key: wholeID, Kind: "login-code"})
				require.ErrorIs(t, err, errDamaged)
				require.ErrorIs(t, pending.Keep(retryable()), errDamaged)
				require.ErrorIs(t, q.Health(), errDamaged)
			}
			closed := make(chan error)
			go func() { closed <- q.Close() }()
			select {
			case err := <-closed:
				require.NoError(t, err)
			case <-ctx.Done():
				t.Fatal("Close waits")
			}
			require.NoError(t, os.Remove(path))
			open(t, path)
		})
	}
}

// TestFullDisk: what cannot be written is refused, shows in Health, and does so no
// longer when there is room.
func TestFullDisk(t *testing.T) {
	q := newQueue(t)
	limit := func(bytes int) {
		q.file.writing.Lock()
		defer q.file.writing.Unlock()
		q.file.db.MaxSize = bytes
	}
	require.NoError(t, q.Health())
	limit(1 << 15)
	var err error
	for err == nil {
		_, err = q.Begin(t.Context(), Intent{Key: wholeID, Kind: "login-code"})
	}
	require.ErrorIs(t, q.Health(), err)
	_, err = q.Stats()
	require.NoError(t, err, "what is there can be read")
	limit(0)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.NoError(c, q.Health()) }, 5*time.Second, 10*time.Millisecond)
	begin(t, q)
}
