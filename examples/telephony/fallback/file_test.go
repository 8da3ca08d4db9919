package fallback

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// TestOpenRefuses: the error tells what is wrong with the file, and how to mend it;
// the file stays as it was.
func TestOpenRefuses(t *testing.T) {
	other := func(t *testing.T, path string, fill func(tx *bbolt.Tx) error) {
		db, err := bbolt.Open(path, 0o600, nil)
		require.NoError(t, err)
		require.NoError(t, db.Update(fill))
		require.NoError(t, db.Close())
	}
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"in use":    {func(t *testing.T, path string) { open(t, path) }, "is in use: a queue has one owner; stop the other process"},
		"no folder": {func(t *testing.T, path string) { require.NoError(t, os.Remove(filepath.Dir(path))) }, "make its folder first"},
		"no bbolt file": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, make([]byte, 1<<14), 0o600))
		}, "put an intact copy in its place"},
		"cut off": {func(t *testing.T, path string) {
			q, err := Open(path, Options{Sealer: sealer(t)})
			require.NoError(t, err)
			for range 50 {
				keep(t, q, retryable())
			}
			require.NoError(t, q.Close())
			require.NoError(t, os.Truncate(path, 1<<14))
		}, "put an intact copy in its place"},
		"cut off early": {func(t *testing.T, path string) {
			q, err := Open(path, Options{Sealer: sealer(t)})
			require.NoError(t, err)
			require.NoError(t, q.Close())
			require.NoError(t, os.Truncate(path, 4096))
		}, "put an intact copy in its place"},
		"of another program": {func(t *testing.T, path string) {
			other(t, path, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("cats")); return err })
		}, "it is the file of another program: name another one"},
		"of another format": {func(t *testing.T, path string) {
			other(t, path, func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte(metaBucket))
				require.NoError(t, err)
				return b.Put([]byte("format"), []byte("retrygen fallback 2"))
			})
		}, `its format is "retrygen fallback 2", expected "retrygen fallback 1": open it with the program that wrote it`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "queue")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			test.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := Open(path, Options{Sealer: sealer(t)})
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, test.want)
			after, _ := os.ReadFile(path)
			require.True(t, bytes.Equal(before, after), "the file was changed")
		})
	}
}
