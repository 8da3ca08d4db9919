package journal

import (
	"maps"
	"sync"
)

// Stats is what has become of the events of this process.
type Stats struct {
	Published uint64 // written to the segments
	Forwarded uint64 // acknowledged by Kafka, those of earlier processes too
	// PendingBytes lie in the segments, and Kafka has not acknowledged them.
	PendingBytes int64
	// Dropped counts what is lost; no reason is there without a loss.
	Dropped map[Reason]uint64
}

// Reason is why an event was dropped.
type Reason string

const (
	QueueFull   Reason = "queue_full"   // the disk is slower than the events
	JournalFull Reason = "journal_full" // Config.MaxBytes is reached
	WriteFailed Reason = "write_failed" // the disk has refused it
	Illegible   Reason = "illegible"    // it was torn by a crash, or spoilt since
	Closed      Reason = "closed"       // it came after Close
)

// Stats is what has become of the events so far.
func (j *Journal) Stats() Stats {
	s, _ := j.tally.read()
	var at position
	if j.forwarder != nil {
		at = j.forwarder.position()
	}
	s.PendingBytes = j.segments.pending(at)
	return s
}

// tally counts for Stats, and remembers what was in the way.
type tally struct {
	mu       sync.Mutex
	stats    Stats
	troubles troubles
}

// troubles are the last ones.
type troubles struct {
	disk  error
	kafka error
}

func (t *tally) published(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Published += uint64(n)
}

func (t *tally) forwarded(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Forwarded += uint64(n)
}

func (t *tally) dropped(why Reason, n int) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stats.Dropped == nil {
		t.stats.Dropped = map[Reason]uint64{}
	}
	t.stats.Dropped[why] += uint64(n)
}

func (t *tally) diskTrouble(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.troubles.disk = err
}

func (t *tally) kafkaTrouble(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.troubles.kafka = err
}

func (t *tally) read() (Stats, troubles) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Dropped = maps.Clone(s.Dropped)
	return s, t.troubles
}
