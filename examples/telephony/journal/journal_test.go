package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
)

const (
	crashDir     = "JOURNAL_CRASH_DIR"
	crashBrokers = "JOURNAL_CRASH_BROKERS"
	crashRound   = "JOURNAL_CRASH_ROUND"
)

func TestMain(m *testing.M) {
	if os.Getenv(crashDir) != "" {
		publishUntilKilled()
	}
	os.Exit(m.Run())
}

// publishUntilKilled says on stdout how many events are in the segments.
func publishUntilKilled() {
	j, err := Open(Config{Dir: os.Getenv(crashDir), SegmentBytes: 4 << 10, Kafka: &Kafka{Brokers: []string{os.Getenv(crashBrokers)}}})
	if err != nil {
		panic(err)
	}
	for n := 0; ; n++ {
		j.Publish(event("r"+os.Getenv(crashRound), n))
		for j.Stats().Published <= uint64(n) {
		}
		fmt.Println(n)
	}
}

// event is the n-th of a call.
func event(call string, n int) lifecycle.Event {
	return lifecycle.Event{Schema: lifecycle.Schema, ID: fmt.Sprintf("%s-%d", call, n), Call: call, Sequence: n, KeyHash: "0123456789ab"}
}

type cluster struct {
	*kfake.Cluster
	away atomic.Bool
}

func newCluster(t *testing.T) *cluster {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, lifecycle.Topic))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	c := &cluster{Cluster: fake}
	fake.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		if c.away.Load() {
			return nil, errors.New("away"), true
		}
		return nil, nil, false
	})
	return c
}

func (c *cluster) kafka() *Kafka { return &Kafka{Brokers: c.ListenAddrs()} }

// consume reads the topic until each of the events was there, and requires that
// those of a call come in their order.
func (c *cluster) consume(t *testing.T, want ...string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(lifecycle.Topic))
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	missing, seen, last := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, id := range want {
		missing[id] = true
	}
	for len(missing) > 0 {
		fetches := client.PollFetches(ctx)
		require.NoError(t, ctx.Err(), "%d of %d events are missing", len(missing), len(want))
		fetches.EachRecord(func(r *kgo.Record) {
			var e lifecycle.Event
			require.NoError(t, json.Unmarshal(r.Value, &e))
			require.Equal(t, e.Call, string(r.Key))
			if !seen[e.ID] {
				require.GreaterOrEqual(t, e.Sequence, last[e.Call], "order within a call")
				last[e.Call] = e.Sequence
			}
			seen[e.ID] = true
			delete(missing, e.ID)
		})
	}
}

func openJournal(t *testing.T, c Config) *Journal {
	j, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { _ = closeWithin(j, time.Second) })
	return j
}

func closeWithin(j *Journal, d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return j.Close(ctx)
}

func publish(j *Journal, call string, n int) (ids []string) {
	for i := range n {
		e := event(call, i)
		j.Publish(e)
		ids = append(ids, e.ID)
	}
	return ids
}

func segmentsOf(t *testing.T, dir string) (content []byte) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	require.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		content = append(content, data...)
	}
	return content
}

// TestKafkaHasEveryEvent, those of a call in their order, when Close returns.
func TestKafkaHasEveryEvent(t *testing.T) {
	c := newCluster(t)
	j := openJournal(t, Config{Dir: t.TempDir(), Kafka: c.kafka(), SegmentBytes: 4 << 10})
	ids := append(publish(j, "a", 200), publish(j, "b", 200)...)
	require.NoError(t, closeWithin(j, 20*time.Second))
	require.Equal(t, Stats{Published: 400, Forwarded: 400}, j.Stats())
	c.consume(t, ids...)
}

// TestWithoutKafkaTheFilesAreTheProduct: the example runs alone. No code and no
// whole key is in them.
func TestWithoutKafkaTheFilesAreTheProduct(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, Config{Dir: dir})
	publish(j, "a", 100)
	require.NoError(t, closeWithin(j, time.Second))
	content := segmentsOf(t, dir)
	require.Equal(t, 100, bytes.Count(content, newline))
	require.Contains(t, string(content), `"key_hash":"0123456789ab"`)
	require.NotContains(t, string(content), "SMS-2FA-")
	require.EqualValues(t, 100, j.Stats().Published)
}

// TestOutageThenReplay: while Kafka is away events are in the segments, Close ends
// with its context and says what is left, and the next process forwards it.
func TestOutageThenReplay(t *testing.T) {
	c := newCluster(t)
	c.away.Store(true)
	dir := t.TempDir()
	j := openJournal(t, Config{Dir: dir, Kafka: c.kafka()})
	ids := publish(j, "a", 100)
	begun := time.Now()
	err := closeWithin(j, 200*time.Millisecond)
	require.ErrorContains(t, err, "bytes are left for the next process that opens")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(begun), 10*time.Second)
	require.Equal(t, 100, bytes.Count(segmentsOf(t, dir), newline))

	j = openJournal(t, Config{Dir: dir, Kafka: c.kafka()})
	ids = append(ids, publish(j, "b", 100)...)
	c.away.Store(false) // within the life of a process, too
	require.NoError(t, closeWithin(j, 20*time.Second))
	c.consume(t, ids...)
	require.Zero(t, j.Stats().PendingBytes)
}

// TestTornLastLine is cut off and counted; what stands before it and comes after it
// arrives.
func TestTornLastLine(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, Config{Dir: dir})
	publish(j, "a", 2)
	require.NoError(t, closeWithin(j, time.Second))
	content := segmentsOf(t, dir)
	require.NoError(t, os.WriteFile(j.segments.path(1), content[:len(content)-9], 0o600))

	c := newCluster(t)
	j = openJournal(t, Config{Dir: dir, Kafka: c.kafka()})
	j.Publish(event("b", 0))
	require.NoError(t, closeWithin(j, 20*time.Second))
	require.Equal(t, map[Reason]uint64{Illegible: 1}, j.Stats().Dropped)
	c.consume(t, "a-0", "b-0")
}

// TestLimitDropsVisibly: what MaxBytes does not hold is counted and logged, and
// nothing else is lost.
func TestLimitDropsVisibly(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	j := openJournal(t, Config{Dir: dir, SegmentBytes: 2 << 10, MaxBytes: 4 << 10, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for n := range 100 {
		j.Publish(event("a", n))
		require.Eventually(t, func() bool { // one group each
			s := j.Stats()
			return s.Published+s.Dropped[JournalFull] == uint64(n+1)
		}, time.Minute, 10*time.Microsecond)
	}
	require.NoError(t, closeWithin(j, time.Second))
	s := j.Stats()
	require.NotZero(t, s.Published)
	require.NotZero(t, s.Dropped[JournalFull])
	require.LessOrEqual(t, len(segmentsOf(t, dir)), 4<<10)
	require.Contains(t, log.String(), "lifecycle events were dropped")
	require.Contains(t, log.String(), "the journal is full")
}

// TestPublishNeverWaits: what finds the queue full, or the journal closed, is
// counted at once, though nobody empties the queue.
func TestPublishNeverWaits(t *testing.T) {
	j := &Journal{config: Config{Queue: 3}, queued: make(chan struct{}, 1)}
	publish(j, "a", 5)
	j.closed = true
	publish(j, "a", 1)
	require.Equal(t, map[Reason]uint64{QueueFull: 2, Closed: 1}, j.tally.stats.Dropped)
	require.Len(t, j.queue, 3)
}

// saying is what a process says, and does something when it says the first of it.
type saying struct {
	said  bytes.Buffer
	first func()
}

func (s *saying) Write(p []byte) (int, error) {
	if s.said.Len() == 0 {
		s.first()
	}
	return s.said.Write(p)
}

// TestKilledInALoop: what was in the segments when the process was killed reaches
// Kafka at least once, in the order of each call.
func TestKilledInALoop(t *testing.T) {
	c := newCluster(t)
	dir := t.TempDir()
	written := []string{}
	for round := range 10 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), crashDir+"="+dir, crashBrokers+"="+c.ListenAddrs()[0], fmt.Sprintf("%s=%d", crashRound, round))
		kill := func() {
			time.AfterFunc(time.Duration(37*round)*time.Millisecond, func() { _ = child.Process.Kill() })
		}
		out := &saying{first: func() {}}
		if round%2 == 1 {
			out.first = kill // however slow the machine is, this one has written something
		}
		child.Stdout, child.Stderr = out, os.Stderr
		require.NoError(t, child.Start())
		if round%2 == 0 {
			kill()
		}
		require.ErrorContains(t, child.Wait(), "signal: killed")
		for n := range strings.Count(out.said.String(), "\n") {
			written = append(written, fmt.Sprintf("r%d-%d", round, n))
		}
	}
	j := openJournal(t, Config{Dir: dir, Kafka: c.kafka()})
	require.NoError(t, closeWithin(j, 20*time.Second))
	require.NotEmpty(t, written)
	c.consume(t, written...)
}
