package fallback

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
)

// The file's buckets. A record is in the bucket of its state, under its ID.
const (
	metaBucket   = "meta"
	countsBucket = "counts" // state and class -> how many
	codesBucket  = "codes"  // expiry and ID of each record that holds a code
	closedBucket = "closed" // time of closing and ID of each record whose retention runs
)

// entry is a record as it is stored.
type entry struct {
	Record
	Key     []byte `json:"sealed_key"`
	Message []byte `json:"sealed_message,omitempty"` // recipient and code, while they are needed
}

// store is the file within one transaction. Errors of writing stick: with one,
// nothing of the transaction is committed.
type store struct {
	tx  *bbolt.Tx
	err error
}

func (s *store) bucket(name string) *bbolt.Bucket { return s.tx.Bucket([]byte(name)) }

func (s *store) put(bucket string, key, value []byte) {
	s.failed(s.bucket(bucket).Put(key, value))
}

func (s *store) delete(bucket string, key []byte) {
	s.failed(s.bucket(bucket).Delete(key))
}

func (s *store) failed(err error) {
	if s.err == nil {
		s.err = err
	}
}

// find looks for a record in every state.
func (s *store) find(id uuid.UUID) (*entry, error) {
	for _, state := range States() {
		if e, err := s.get(state, id); e != nil || err != nil {
			return e, err
		}
	}
	return nil, fmt.Errorf("%w: %v", ErrNotFound, id)
}

// get is the record in a state; nil where it is in another.
func (s *store) get(state State, id uuid.UUID) (*entry, error) {
	value := s.bucket(string(state)).Get(id[:])
	if value == nil {
		return nil, nil
	}
	return decode(state, id[:], value)
}

func decode(state State, key, value []byte) (*entry, error) {
	e := &entry{}
	if err := json.Unmarshal(value, e); err != nil {
		return nil, fmt.Errorf("fallback: %w: the %s record %x cannot be decoded", errDamaged, state, key)
	}
	e.ID, e.State = uuid.UUID(key), state
	return e, nil
}

// after yields the records of a state whose ID is greater, until visit returns
// false.
func (s *store) after(state State, id uuid.UUID, visit func(*entry) bool) error {
	cursor := s.bucket(string(state)).Cursor()
	key, value := cursor.Seek(id[:])
	if bytes.Equal(key, id[:]) {
		key, value = cursor.Next()
	}
	for ; key != nil; key, value = cursor.Next() {
		e, err := decode(state, key, value)
		if err != nil {
			return err
		}
		if !visit(e) {
			break
		}
	}
	return nil
}

// move takes a record from where it was to where it is now, in every bucket
// that knows of it. A nil is: nowhere.
func (s *store) move(was, now *entry) {
	if was != nil {
		s.count(was, -1)
		s.unindex(was)
		if now == nil || now.State != was.State {
			s.delete(string(was.State), was.ID[:])
		}
	}
	if now != nil {
		value, err := json.Marshal(now)
		s.failed(err)
		s.put(string(now.State), now.ID[:], value)
		s.index(now)
		s.count(now, +1)
	}
}

// update moves a record to what edit makes of it.
func (s *store) update(was *entry, edit func(now *entry)) {
	now := *was
	edit(&now)
	s.move(was, &now)
}

func (s *store) index(e *entry) {
	if e.Message != nil {
		s.put(codesBucket, timeKey(e.Expires, e.ID), nil)
	}
	if e.State.closed() {
		s.put(closedBucket, timeKey(e.Closed, e.ID), nil)
	}
}

func (s *store) unindex(e *entry) {
	if e.Message != nil {
		s.delete(codesBucket, timeKey(e.Expires, e.ID))
	}
	if e.State.closed() {
		s.delete(closedBucket, timeKey(e.Closed, e.ID))
	}
}

// due lists at most limit records of an index whose time has come.
func (s *store) due(index string, now time.Time, limit int) (ids []uuid.UUID) {
	cursor := s.bucket(index).Cursor()
	end := milliseconds(now)
	for key, _ := cursor.First(); key != nil && bytes.Compare(key[:8], end) <= 0 && len(ids) < limit; key, _ = cursor.Next() {
		ids = append(ids, uuid.UUID(key[8:]))
	}
	return ids
}

// timeKey sorts by time, rounded up so that nothing is due before it.
func timeKey(t time.Time, id uuid.UUID) []byte {
	return append(milliseconds(t.Add(time.Millisecond-1)), id[:]...)
}

func milliseconds(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(0, t.UnixMilli())))
}

func (s *store) count(e *entry, by int) {
	key := []byte(string(e.State) + "/" + string(e.Class))
	n := int64(by)
	if value := s.bucket(countsBucket).Get(key); value != nil {
		n += int64(binary.BigEndian.Uint64(value))
	}
	s.put(countsBucket, key, binary.BigEndian.AppendUint64(nil, uint64(n)))
}
