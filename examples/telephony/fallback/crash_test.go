package fallback

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// The environment of a child process that is to be killed.
const (
	crashFile        = "FALLBACK_CRASH_FILE"
	crashRound       = "FALLBACK_CRASH_ROUND"
	crashEndpoint    = "FALLBACK_CRASH_ENDPOINT"
	crashAuthorities = "FALLBACK_CRASH_AUTHORITIES"
	crashAttesters   = "FALLBACK_CRASH_ATTESTERS"
	crashAttestation = "FALLBACK_CRASH_ATTESTATION"
)

func TestMain(m *testing.M) {
	if os.Getenv(crashFile) != "" {
		err := sendUntilKilled()
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fates are how the child's sends end; one more succeeds.
var fates = []Failure{
	{Class: Budget, Effect: NotExecuted, Code: "some"},
	{Class: Exhausted, Effect: Unknown, Code: "some"},
	{Class: Refused, Effect: NotExecuted},
	{Class: Ambiguous, Effect: Unknown},
}

// sendUntilKilled makes sends, and says on stdout what it was told of each: begun,
// kept, done. Meanwhile it drains.
func sendUntilKilled() error {
	sealer, err := ParseSealer(testKey)
	if err != nil {
		return err
	}
	attesters, err := ParseAttesters(os.Getenv(crashAttesters))
	if err != nil {
		return err
	}
	q, err := Open(os.Getenv(crashFile), Options{Sealer: sealer, Attesters: attesters, Deliveries: 4})
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(os.Getenv(crashAuthorities)))
	c, err := NewPush("push", os.Getenv(crashEndpoint), PushOptions{RootCAs: roots})
	if err != nil {
		return err
	}
	if err := q.Register(c, os.Getenv(crashAttestation)); err != nil {
		return err
	}
	go func() {
		for {
			_, _ = q.Drain(context.Background(), "push") // some answers are lost
		}
	}()
	failed := make(chan error)
	for sender := range 8 {
		go func() {
			for n := sender; ; n += 8 {
				if err := sendOnce(q, n); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

func sendOnce(q *Queue, n int) error {
	key := fmt.Sprintf("SMS-2FA-%s-%d", os.Getenv(crashRound), n)
	p, err := q.Begin(context.Background(), Intent{Key: Secret(key), Kind: "login-code"})
	if err != nil {
		return err
	}
	fmt.Println("begun", p.ID(), key, 0)
	fate := n % (len(fates) + 1)
	if fate == len(fates) {
		err := p.Done()
		fmt.Println("done", p.ID(), key, fate)
		return err
	}
	f := fates[fate]
	if f.Code != "" {
		f.Recipient, f.Code, f.Expires = "user4711", Secret(key), time.Now().Add(time.Hour)
	}
	err = p.Keep(f)
	fmt.Println("kept", p.ID(), key, fate)
	return err
}

// ledger is what all children were told.
type ledger struct {
	last map[uuid.UUID]string // begun, kept or done
	fate map[uuid.UUID]int
}

func (l *ledger) read(t *testing.T, out io.Reader, first func()) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var what, id, key string
		var fate int
		if n, _ := fmt.Sscan(lines.Text(), &what, &id, &key, &fate); n != 4 {
			continue // the end of a killed process's last word
		}
		first()
		l.last[uuid.MustParse(id)], l.fate[uuid.MustParse(id)] = what, fate
	}
	require.NoError(t, lines.Err())
}

// check compares the queue with what was acknowledged.
func (l *ledger) check(t *testing.T, q *Queue) {
	found := all(t, q)
	hashes := map[string]uuid.UUID{}
	for id, r := range found {
		require.NotContains(t, hashes, r.KeyHash, "each send of the child has a key of its own: this one is stored twice")
		hashes[r.KeyHash] = id
		require.NotEqual(t, Sending, r.State, "no intent outlives its process")
	}
	for id, what := range l.last {
		r, ok := found[id]
		switch {
		case what == "done":
			require.False(t, ok, "it succeeded, and is a record: %+v", r)
		case what == "kept":
			require.True(t, ok, "an acknowledged record is lost")
			require.Equal(t, fates[l.fate[id]].Class, r.Class)
			require.Equal(t, fates[l.fate[id]].Effect, r.Effect)
		case ok && r.Effect == Unknown:
			require.Equal(t, Held, r.State, "nobody knows what it did")
		}
	}
}

// receiver is the service behind the channel. It takes a delivery once, and loses
// an answer in three.
type receiver struct {
	mu    sync.Mutex
	taken map[string]string // delivery -> code
	given int
}

func (s *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var d pushed
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		return // the child was killed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given++
	s.taken[r.Header.Get("Idempotency-Key")] = d.Code
	if s.given%3 == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// TestKilledInALoop: a process that sends, keeps and drains is killed at random
// moments. No acknowledged record is lost and none is there twice; what was being
// sent is ambiguous; and the service behind the channel has each code under one ID.
func TestKilledInALoop(t *testing.T) {
	service := &receiver{taken: map[string]string{}}
	server := httptest.NewUnstartedServer(service)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes with the dead
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	channel, err := NewPush("push", server.URL, PushOptions{RootCAs: roots})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "queue")
	environment := append(os.Environ(), crashFile+"="+path, crashEndpoint+"="+server.URL,
		crashAuthorities+"="+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
		crashAttesters+"="+base64.StdEncoding.EncodeToString(attesters[0]),
		crashAttestation+"="+attest(t, channel, time.Now().Add(time.Hour)))
	l := &ledger{last: map[uuid.UUID]string{}, fate: map[uuid.UUID]int{}}
	interrupted := 0
	for round := range 30 {
		before := len(l.last)
		child := exec.Command(os.Args[0])
		child.Env = append(environment, fmt.Sprintf("%s=%d", crashRound, round))
		var complaint strings.Builder
		child.Stderr = &complaint
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		life := time.Duration(rand.IntN(60)) * time.Millisecond
		kill := sync.OnceFunc(func() { time.AfterFunc(life, func() { _ = child.Process.Kill() }) })
		l.read(t, out, kill)
		require.ErrorContains(t, child.Wait(), "signal: killed", complaint.String())
		require.Greater(t, len(l.last), before)

		q := open(t, path)
		l.check(t, q)
		require.NoError(t, q.file.db.View(func(tx *bbolt.Tx) error {
			for err := range tx.Check() {
				t.Error(err)
			}
			return nil
		}))
		require.NoError(t, q.Close())
	}
	for _, what := range l.last {
		if what == "begun" {
			interrupted++
		}
	}
	require.NotZero(t, interrupted, "else no child was killed in between")

	q := open(t, path)
	require.NoError(t, q.Register(channel, attest(t, channel, time.Now().Add(time.Hour))))
	for drained := (Drained{Failed: 1}); drained.Failed > 0; {
		drained, _ = q.Drain(t.Context(), "push")
	}
	codes := map[string]string{}
	for id, code := range service.taken {
		require.NotContains(t, codes, code, "the same send under two IDs")
		codes[code] = id
		r, err := q.Record(uuid.MustParse(id))
		require.NoError(t, err)
		require.Equal(t, Delivered, r.State)
	}
	for id, what := range l.last {
		_, taken := service.taken[id.String()]
		if what == "kept" {
			require.Equal(t, l.fate[id] == 0, taken, "what was surely not executed is delivered, and nothing else")
		}
	}
	t.Logf("%d sends were acknowledged, %d were interrupted, %d deliveries made of %d", len(l.last), interrupted, service.given, len(codes))
}
