package fallback

import (
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// Records lists records of a state, the oldest first: those after the given ID,
// uuid.Nil for the first page, and at most limit of them, which is 1,000 at most.
func (q *Queue) Records(state State, after uuid.UUID, limit int) ([]Record, error) {
	records := []Record{}
	limit = min(max(limit, 1), 1000)
	err := q.view(func(s *store) error {
		return s.after(state, after, func(e *entry) bool {
			records = append(records, e.Record)
			return len(records) < limit
		})
	})
	return records, err
}

// Record returns one.
func (q *Queue) Record(id uuid.UUID) (Record, error) {
	e, err := q.find(id)
	if err != nil {
		return Record{}, err
	}
	return e.Record, nil
}

// Key is the whole idempotency key of a record, for a person who asks the provider
// under it. It is personal data.
func (q *Queue) Key(id uuid.UUID) (Secret, error) {
	e, err := q.find(id)
	if err != nil {
		return "", err
	}
	key, err := q.options.Sealer.open(id, keyPart, e.Key)
	return Secret(key), err
}

func (q *Queue) find(id uuid.UUID) (e *entry, err error) {
	err = q.view(func(s *store) (err error) {
		e, err = s.find(id)
		return err
	})
	return e, err
}

// Stats is how many records are in a state, by class. Those that were purged do
// not count.
type Stats map[State]map[Class]int

// Stats counts, for metrics: it costs the same however many records there are.
func (q *Queue) Stats() (Stats, error) {
	stats := Stats{}
	err := q.view(func(s *store) error {
		return s.bucket(countsBucket).ForEach(func(key, value []byte) error {
			state, class, _ := strings.Cut(string(key), "/")
			if stats[State(state)] == nil {
				stats[State(state)] = map[Class]int{}
			}
			stats[State(state)][Class(class)] = int(binary.BigEndian.Uint64(value))
			return nil
		})
	})
	return stats, err
}
