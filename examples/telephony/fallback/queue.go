package fallback

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Options of a queue.
type Options struct {
	// Sealer encrypts keys and codes, see [ParseSealer]. It is required.
	Sealer *Sealer
	// Attesters sign for channels, see [ParseAttesters]. Without one no channel is
	// verified, and nothing is delivered.
	Attesters []ed25519.PublicKey
	// Retention is how long a record is kept that is delivered, expired or
	// resolved; 0 means 30 days.
	Retention time.Duration
	// Deliveries is how many are under way at a time; 0 means 32.
	Deliveries int
	// Logger hears what fails in the background; nil means nobody.
	Logger *slog.Logger
	// NoSync does not wait for the disk. It is for simulations in virtual time, in
	// which every send commits alone: when the machine fails, records are lost.
	NoSync bool
}

func (o Options) complete() (Options, error) {
	if o.Sealer == nil {
		return o, errors.New("fallback: Options.Sealer is missing: codes are not stored in clear; see ParseSealer")
	}
	if o.Retention < 0 || o.Deliveries < 0 {
		return o, errors.New("fallback: Options.Retention and Options.Deliveries are not negative")
	}
	if o.Retention == 0 {
		o.Retention = 30 * 24 * time.Hour
	}
	if o.Deliveries == 0 {
		o.Deliveries = 32
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// Queue is the durable queue of sends that ended without success. It is safe for
// concurrent use.
type Queue struct {
	options Options
	file    *file
	close   func() error

	context context.Context // ends when the queue is closed
	running sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	channels map[string]*registered
}

var (
	// ErrClosed: the queue was closed before.
	ErrClosed = errors.New("fallback: the queue is closed")
	// ErrNotFound: no record has the ID, or it was purged.
	ErrNotFound = errors.New("fallback: there is no such record")
)

// Open opens the queue's file, or makes it. Intents that a crash left there become
// ambiguous records. One goroutine drops codes as they expire and purges records,
// until Close.
func Open(path string, o Options) (*Queue, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	f, err := openFile(path, o.NoSync)
	if err != nil {
		return nil, err
	}
	err = f.commit(func(s *store) error {
		err := s.prepare(o.Sealer)
		if err == nil {
			err = s.giveUpIntents(time.Now().UTC())
		}
		s.failed(err) // a file that is not ours stays as it was
		return nil
	})
	if err != nil {
		_ = f.close()
		return nil, err
	}
	q := &Queue{options: o, file: f, channels: map[string]*registered{}}
	var stop context.CancelFunc
	q.context, stop = context.WithCancel(context.Background())
	q.close = sync.OnceValue(func() error {
		q.mu.Lock()
		q.closed = true
		q.mu.Unlock()
		stop()
		q.running.Wait()
		return f.close()
	})
	q.running.Go(q.sweepUntilClosed)
	return q, nil
}

// Close waits for what is being committed and for deliveries under way, whose
// contexts it ends. Calls that still run keep their intents, which are ambiguous
// records when the file is opened again: end them first.
func (q *Queue) Close() error { return q.close() }

// Format shows where the queue is, and nothing of it.
func (q *Queue) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "fallback.Queue") }

// enter begins a use of the queue that Close waits for.
func (q *Queue) enter() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.running.Add(1)
	return nil
}

func (q *Queue) leave() { q.running.Done() }

// commit makes a change durable, unless the queue is closed.
func (q *Queue) commit(apply change) error {
	if err := q.enter(); err != nil {
		return err
	}
	defer q.leave()
	return q.file.commit(apply)
}

// view reads, unless the queue is closed.
func (q *Queue) view(read func(*store) error) error {
	if err := q.enter(); err != nil {
		return err
	}
	defer q.leave()
	return q.file.view(read)
}

// Health is why the file cannot be read, or why the last changes to it were not
// written; nil where all is well. While changes fail the queue tries one a second.
func (q *Queue) Health() error {
	if _, err := q.Stats(); err != nil {
		return err
	}
	return q.file.trouble()
}

const format = "retrygen fallback 1"

// prepare makes the buckets of a new file, or makes sure that a file is ours and
// can be read with the configured keys.
func (s *store) prepare(sealer *Sealer) error {
	if s.bucket(metaBucket) == nil {
		if name, _ := s.tx.Cursor().First(); name != nil {
			return errors.New("it is the file of another program: name another one")
		}
		s.create()
	}
	meta := s.bucket(metaBucket)
	if found := string(meta.Get([]byte("format"))); found != format {
		return fmt.Errorf("its format is %q, expected %q: open it with the program that wrote it", found, format)
	}
	if by := meta.Get([]byte("sealed by")); by != nil {
		if _, err := sealer.key(keyID(by)); err != nil {
			return fmt.Errorf("it was %w", err)
		}
	}
	s.put(metaBucket, []byte("sealed by"), sealer.keys[0].id[:])
	return nil
}

func (s *store) create() {
	names := []string{metaBucket, countsBucket, codesBucket, closedBucket}
	for _, state := range States() {
		names = append(names, string(state))
	}
	for _, name := range names {
		_, err := s.tx.CreateBucket([]byte(name))
		s.failed(err)
	}
	s.put(metaBucket, []byte("format"), []byte(format))
}

// giveUpIntents makes records of the intents whose process died.
func (s *store) giveUpIntents(now time.Time) error {
	var abandoned []*entry
	err := s.after(Sending, uuid.Nil, func(e *entry) bool {
		abandoned = append(abandoned, e)
		return true
	})
	for _, e := range abandoned {
		s.update(e, func(e *entry) { e.State, e.Ended = Held, now })
	}
	return err
}

// token reports whether a text is a short word, fit to be stored and shown.
func token(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:"
	return text != "" && len(text) <= 64 && strings.Trim(text, letters) == ""
}
