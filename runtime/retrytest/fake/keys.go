package fake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"
)

// keys are the idempotency keys that an operation remembers, as an upstream does:
// what succeeded under a key is not done again, and its answer is given again.
// What did not succeed has not happened.
type keys struct {
	mu      sync.Mutex
	entries map[string]*entry
	seen    map[string]bool
	last    map[digest]sender
}

// entry is what is known of a key.
type entry struct {
	content digest
	done    chan struct{} // closed when the handler has ended
	answer  Answer        // its Status is 0 where nothing was done
	until   time.Time     // zero: for ever
}

// sender is who has sent a content last.
type sender struct {
	key     string
	attempt int
}

// digest is equal for requests with the same content.
type digest [sha256.Size]byte

func fingerprint(r *http.Request, body []byte) digest {
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && params["boundary"] != "" {
		body = bytes.ReplaceAll(body, []byte(params["boundary"]), []byte("boundary")) // it is drawn
	}
	h := sha256.New()
	_, _ = io.WriteString(h, r.RequestURI+"\n")
	h.Write(body)
	return digest(h.Sum(nil))
}

// follows reports whether an attempt may bear the key: a further one bears that of
// the one before.
func (k *keys) follows(key string, content digest, attempt int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil {
		k.last, k.seen = map[digest]sender{}, map[string]bool{}
	}
	before, known := k.last[content]
	changed := known && attempt > 1 && before.attempt == attempt-1 && before.key != key && !k.seen[key]
	k.last[content], k.seen[key] = sender{key, attempt}, true
	return !changed
}

var errReused = errors.New("its idempotency key came with another content before: an upstream refuses it, or answers what it answered then")

// enter waits for a handler that runs under the key, and tells whether its answer
// is known. If not, the handler is to run, and leave must follow.
func (k *keys) enter(ctx context.Context, key string, content digest) (e *entry, known bool, err error) {
	for {
		e, running := k.look(key, content)
		switch {
		case !running:
			return e, false, nil
		case e.content != content:
			return nil, false, errReused
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
		if e.answer.Status != 0 {
			return e, true, nil
		}
	}
}

// look is the entry of a key: a new one where there is none any more.
func (k *keys) look(key string, content digest) (e *entry, old bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e = k.entries[key]; e != nil && (e.until.IsZero() || time.Now().Before(e.until)) {
		return e, true
	}
	if k.entries == nil {
		k.entries = map[string]*entry{}
	}
	e = &entry{content: content, done: make(chan struct{})}
	k.entries[key] = e
	return e, false
}

// leave remembers an answer, if it is a success.
func (k *keys) leave(key string, e *entry, answer Answer, retention time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if answer.Status/100 == 2 {
		e.answer = answer
		if retention > 0 {
			e.until = time.Now().Add(retention)
		}
	} else if k.entries[key] == e {
		delete(k.entries, key)
	}
	close(e.done)
}

func (k *keys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries, k.seen, k.last = nil, nil, nil
}
