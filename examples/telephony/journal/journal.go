package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
)

// Config is where a journal is and what it may hold. Dir alone is required.
type Config struct {
	// Dir is a folder of the journal's own.
	Dir string
	// Queue is how many events may wait for the disk; 16,384 unless set.
	Queue int
	// SegmentBytes is the size at which a segment is closed; 16 MiB unless set.
	SegmentBytes int64
	// MaxBytes is what all segments may hold; 1 GiB unless set. It leaves room for two
	// segments at least, so that there is always a closed one to delete.
	MaxBytes int64
	// Kafka is where the events go from here; nil: nowhere.
	Kafka *Kafka
	// Log hears of trouble; [slog.Default] unless set.
	Log *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.Queue = cmp.Or(c.Queue, 1<<14)
	c.SegmentBytes = cmp.Or(c.SegmentBytes, 16<<20)
	c.MaxBytes = cmp.Or(c.MaxBytes, 1<<30)
	c.Log = cmp.Or(c.Log, slog.Default())
	switch {
	case c.Dir == "":
		return c, errors.New("journal: Dir is empty: give the journal a folder of its own")
	case c.Queue < 1 || c.SegmentBytes < 1:
		return c, errors.New("journal: Queue and SegmentBytes must be above 0")
	case c.MaxBytes < 2*c.SegmentBytes:
		return c, fmt.Errorf("journal: MaxBytes is %d, and must be at least two segments of %d", c.MaxBytes, c.SegmentBytes)
	}
	return c, nil
}

// Journal publishes events. It is safe for concurrent use.
type Journal struct {
	config    Config
	lock      *flock.Flock
	segments  *segments
	forwarder *forwarder // nil without Kafka
	tally     tally

	mu     sync.Mutex
	queue  []lifecycle.Event
	closed bool

	queued  chan struct{} // there is something in queue; closed by Close
	written chan struct{} // there is something in the segments; closed behind the last of it
	writer  sync.WaitGroup
	watcher sync.WaitGroup
	unwatch chan struct{}
}

// Open opens the journal of a folder, which it makes if need be, and mends what a
// crash has left there. No other process may have it open.
func Open(config Config) (_ *Journal, err error) {
	config, err = config.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{config: config, queued: make(chan struct{}, 1), written: make(chan struct{}, 1), unwatch: make(chan struct{})}
	if j.lock, err = lock(config.Dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := j.begin(); err != nil {
		_ = j.lock.Unlock()
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// lock lets one process have the folder. The lock ends with the process, however
// that does.
func lock(dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"))
	switch mine, err := l.TryLock(); {
	case err != nil:
		return nil, err
	case !mine:
		return nil, fmt.Errorf("%s is open already, here or in another process: give each a folder of its own", dir)
	}
	return l, nil
}

// begin takes up what is in the folder.
func (j *Journal) begin() (err error) {
	cursor := cursorFile(filepath.Join(j.config.Dir, "cursor"))
	at := cursor.load()
	var torn int
	if j.segments, torn, err = openSegments(j.config.Dir, j.config.SegmentBytes, j.config.MaxBytes, at.Segment); err != nil {
		return err
	}
	j.tally.dropped(Illegible, torn)
	if j.config.Kafka != nil {
		if j.forwarder, err = newForwarder(j.config.Kafka, j.segments, cursor, at, &j.tally); err != nil {
			return fmt.Errorf("the client of Kafka: %w", err)
		}
		go j.forwarder.run(j.written)
	}
	j.writer.Go(j.write)
	j.watcher.Go(func() { j.watch(j.unwatch) })
	return nil
}

// Publish queues an event, and never waits. What cannot be queued is counted.
func (j *Journal) Publish(e lifecycle.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		j.tally.dropped(Closed, 1)
		return
	case len(j.queue) >= j.config.Queue:
		j.tally.dropped(QueueFull, 1)
		return
	}
	j.queue = append(j.queue, e)
	signal(j.queued)
}

// signal wakes who waits for the channel, now or next.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close writes what is queued to the disk and lets Kafka have what it takes until
// ctx ends. The error tells what is left for the next process that opens the folder.
func (j *Journal) Close(ctx context.Context) error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	close(j.queued)
	j.mu.Unlock()

	j.writer.Wait()
	var err error
	if j.forwarder != nil {
		err = j.forwarder.close(ctx)
	}
	close(j.unwatch)
	j.watcher.Wait()
	j.segments.close()
	return errors.Join(err, j.lock.Unlock())
}

// group is how many bytes are written at once, or a line more.
const group = 64 << 10

// write moves events from the queue to the segments.
func (j *Journal) write() {
	defer close(j.written)
	var events []lifecycle.Event
	var lines []byte
	for range j.queued {
		events = j.swap(events)
		for _, e := range events {
			line, err := json.Marshal(e)
			if err != nil {
				j.tally.dropped(WriteFailed, 1)
				continue
			}
			lines = append(append(lines, line...), '\n')
			if len(lines) >= group {
				lines = j.append(lines)
			}
		}
		lines = j.append(lines)
	}
}

// swap takes what is queued and leaves an empty queue, in what was taken before.
func (j *Journal) swap(taken []lifecycle.Event) []lifecycle.Event {
	clear(taken)
	j.mu.Lock()
	defer j.mu.Unlock()
	taken, j.queue = j.queue, taken[:0]
	return taken
}

// append writes lines, counts those that were not, and returns their empty buffer.
func (j *Journal) append(lines []byte) []byte {
	n, err := j.segments.append(lines)
	if err != nil {
		reason := WriteFailed
		if errors.Is(err, errFull) {
			reason = JournalFull
		}
		j.tally.diskTrouble(err)
		j.tally.dropped(reason, bytes.Count(lines[n:], newline))
	}
	j.tally.published(bytes.Count(lines[:n], newline))
	signal(j.written)
	return lines[:0]
}

var newline = []byte{'\n'}
