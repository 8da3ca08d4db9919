package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// chunk is how many bytes of lines are produced at once.
	chunk = 256 << 10
	// pause is the wait after Kafka has refused them.
	pause = time.Second
)

// forwarder produces what is in the segments, and forgets what Kafka has.
type forwarder struct {
	segments *segments
	cursor   cursorFile
	tally    *tally
	client   *kgo.Client

	mu   sync.Mutex
	at   position
	ctx  context.Context // of all that it does
	stop context.CancelFunc
	done chan struct{}
}

func newForwarder(k *Kafka, s *segments, cursor cursorFile, at position, t *tally) (*forwarder, error) {
	client, err := k.client(complaints{t})
	if err != nil {
		return nil, err
	}
	f := &forwarder{segments: s, cursor: cursor, tally: t, client: client, at: s.within(at), done: make(chan struct{})}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f, nil
}

// run forwards until it is stopped, or all is forwarded that was written before
// written was closed.
func (f *forwarder) run(written <-chan struct{}) {
	defer close(f.done)
	for more := true; ; {
		at := f.position()
		next, err := f.forward(at)
		switch {
		case err != nil:
			f.tally.kafkaTrouble(err)
			if !f.rest() {
				return
			}
		case next != at:
			f.advance(next)
		case !more:
			return
		default:
			select {
			case _, more = <-written:
			case <-f.ctx.Done():
				return
			}
		}
	}
}

// forward produces some of the lines behind a position, and returns the position
// behind those that Kafka has acknowledged.
func (f *forwarder) forward(at position) (position, error) {
	lines, next, err := f.segments.read(at, chunk)
	if err != nil {
		return at, err
	}
	records, illegible := recordsOf(lines)
	if err := f.client.ProduceSync(f.ctx, records...).FirstErr(); err != nil {
		return at, err
	}
	f.tally.forwarded(len(records))
	f.tally.dropped(Illegible, illegible)
	return next, nil
}

// recordsOf makes a record of each line that is an event.
func recordsOf(lines []byte) (records []*kgo.Record, illegible int) {
	for line := range bytes.Lines(lines) {
		var event struct{ Call string }
		if err := json.Unmarshal(line, &event); err != nil || event.Call == "" {
			illegible++
			continue
		}
		records = append(records, &kgo.Record{Key: []byte(event.Call), Value: bytes.TrimSuffix(line, newline)})
	}
	return records, illegible
}

// advance moves the cursor. It may fail: then more is produced again after a
// restart.
func (f *forwarder) advance(next position) {
	f.mu.Lock()
	f.at = next
	f.mu.Unlock()
	if err := f.cursor.save(next); err != nil {
		f.tally.diskTrouble(err)
	}
	if err := f.segments.forget(next.Segment); err != nil {
		f.tally.diskTrouble(err)
	}
}

// rest waits a while, and reports whether to go on.
func (f *forwarder) rest() bool {
	select {
	case <-time.After(pause):
		return true
	case <-f.ctx.Done():
		return false
	}
}

func (f *forwarder) position() position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// close waits until all is forwarded that was written, or ctx ends.
func (f *forwarder) close(ctx context.Context) error {
	select {
	case <-f.done:
	case <-ctx.Done():
	}
	f.stop()
	f.client.Close()
	<-f.done
	if left := f.segments.pending(f.position()); left > 0 {
		return fmt.Errorf("journal: %d bytes are left for the next process that opens %s: %w", left, f.segments.dir, context.Cause(ctx))
	}
	return nil
}

// complaints are the client's, who otherwise bears an outage in silence.
type complaints struct{ tally *tally }

func (complaints) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (c complaints) Log(_ kgo.LogLevel, text string, pairs ...any) {
	c.tally.kafkaTrouble(fmt.Errorf("%s %s", text, strings.TrimSuffix(fmt.Sprintln(pairs...), "\n")))
}
