package fallback

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

const (
	testKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	wholeID = "SMS-2FA-user4711-session0815" // an idempotency key, which is personal data
	code    = "739184"
)

func sealer(t testing.TB) *Sealer {
	s, err := ParseSealer(testKey)
	require.NoError(t, err)
	return s
}

var attesters, attesterKey, _ = func() ([]ed25519.PublicKey, ed25519.PrivateKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	return []ed25519.PublicKey{public}, private, err
}()

func attest(t testing.TB, c Channel, expires time.Time) string {
	text, err := Attest(Statement{Channel: c.Name(), Endpoint: c.Endpoint(), Expires: expires}, attesterKey)
	require.NoError(t, err)
	return text
}

func open(t testing.TB, path string) *Queue {
	q, err := Open(path, Options{Sealer: sealer(t), Attesters: attesters, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.Close()) })
	return q
}

func newQueue(t testing.TB) *Queue { return open(t, filepath.Join(t.TempDir(), "queue")) }

func begin(t testing.TB, q *Queue) *Pending {
	p, err := q.Begin(t.Context(), Intent{Key: wholeID, Kind: "login-code"})
	require.NoError(t, err)
	return p
}

// retryable is a failure that draining delivers.
func retryable() Failure {
	return Failure{Class: Budget, Effect: NotExecuted, Problem: "RETRY_BUDGET_EXHAUSTED", Recipient: "user4711", Code: code,
		Expires: time.Now().Add(5 * time.Minute)}
}

func keep(t testing.TB, q *Queue, f Failure) uuid.UUID {
	p := begin(t, q)
	require.NoError(t, p.Keep(f))
	return p.ID()
}

func record(t testing.TB, q *Queue, id uuid.UUID) Record {
	r, err := q.Record(id)
	require.NoError(t, err)
	return r
}

// all is every record there is, in whatever state. One that is there twice fails
// the test.
func all(t require.TestingT, q *Queue) map[uuid.UUID]Record {
	found := map[uuid.UUID]Record{}
	counted := Stats{}
	for _, state := range States() {
		for after := uuid.Nil; ; {
			page, err := q.Records(state, after, 7)
			require.NoError(t, err)
			for _, r := range page {
				require.NotContains(t, found, r.ID, "a second record of one send")
				require.Equal(t, state, r.State)
				found[r.ID] = r
				if counted[state] == nil {
					counted[state] = map[Class]int{}
				}
				counted[state][r.Class]++
				after = r.ID
			}
			if len(page) < 7 {
				break
			}
		}
	}
	stats, err := q.Stats()
	require.NoError(t, err)
	for state, classes := range stats {
		for class, n := range classes {
			require.Equal(t, counted[state][class], n, "Stats of %s/%s", state, class)
		}
	}
	return found
}

// commits is how many transactions the file has seen.
func commits(t testing.TB, q *Queue) (n int) {
	require.NoError(t, q.file.db.View(func(tx *bbolt.Tx) error { n = tx.ID(); return nil }))
	return n
}

// inbox is a channel in memory. It takes a delivery, or not, as answer says, and
// knows one that it has taken.
type inbox struct {
	name     string
	endpoint string
	answer   func(Delivery) (taken bool, err error)

	mu    sync.Mutex
	given int
	taken map[uuid.UUID]Delivery
}

var errLost = errors.New("the answer is lost")

func newInbox(name string) *inbox {
	return &inbox{name: name, endpoint: "https://push.example/" + name, taken: map[uuid.UUID]Delivery{},
		answer: func(Delivery) (bool, error) { return true, nil }}
}

func (c *inbox) Name() string     { return c.name }
func (c *inbox) Endpoint() string { return c.endpoint }

func (c *inbox) Deliver(_ context.Context, d Delivery) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	taken, err := c.answer(d)
	if taken {
		c.taken[d.ID] = d
	}
	return err
}

func register(t testing.TB, q *Queue, c Channel) {
	require.NoError(t, q.Register(c, attest(t, c, time.Now().Add(time.Hour))))
}
