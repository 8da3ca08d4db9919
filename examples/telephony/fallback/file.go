package fallback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// file is the bbolt file, with changes that share transactions.
type file struct {
	path    string
	db      *bbolt.DB
	handle  *os.File
	writing sync.Mutex // held while a group is written

	mu     sync.Mutex
	next   *group // collects changes; nil where none waits
	failed error  // why the last group was not written
	broken error  // bbolt has panicked and may hold its locks: it is not asked any more
}

// change is what a transaction does for one caller. Its error is returned to that
// caller alone and undoes nothing: a change decides before it writes.
type change func(*store) error

// group is the changes of one transaction.
type group struct {
	changes []*submitted
	done    chan struct{} // closed when the transaction is over
	err     error
}

type submitted struct {
	*group
	apply change
	err   error
}

// submit adds a change to the group that will be written next.
func (f *file) submit(apply change) *submitted {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = &group{done: make(chan struct{})}
		go f.write(f.next)
	}
	s := &submitted{group: f.next, apply: apply}
	f.next.changes = append(f.next.changes, s)
	return s
}

// wait returns when the change is on disk, or is not going to be.
func (s *submitted) wait() error {
	<-s.done
	if s.group.err != nil {
		return s.group.err
	}
	return s.err
}

// commit makes a change durable.
func (f *file) commit(apply change) error { return f.submit(apply).wait() }

func (f *file) write(g *group) {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	f.next = nil // who comes now waits for the next transaction
	f.mu.Unlock()
	defer close(g.done)
	g.err = f.access(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			s := &store{tx: tx}
			for _, c := range g.changes {
				c.err = c.apply(s)
			}
			return s.err
		})
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = g.err
}

// trouble is why the last changes were not written; nil where they were.
func (f *file) trouble() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// view reads within a transaction. Damage that read meets is caught within it, so
// that bbolt lets go of its locks.
func (f *file) view(read func(*store) error) (err error) {
	failed := f.access(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			err = guarded(func() error { return read(&store{tx: tx}) })
			return nil
		})
	})
	switch {
	case failed != nil:
		return failed
	case errors.Is(err, errDamaged):
		return explain(f.path, err)
	}
	return err
}

// access uses bbolt, unless it is broken.
func (f *file) access(use func() error) error {
	if broken := f.brokenBy(); broken != nil {
		return broken
	}
	err := explain(f.path, guarded(use))
	var panicked *panicError
	if errors.As(err, &panicked) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.broken = err
	}
	return err
}

func (f *file) brokenBy() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

// close lets another process have the file.
func (f *file) close() error {
	if f.brokenBy() != nil {
		return f.handle.Close() // bbolt would wait for a lock for ever
	}
	return f.db.Close()
}

var errDamaged = errors.New("the file is damaged")

// panicError is a panic, by which bbolt and a mapped file that is too short tell
// of damage.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("%v: %v", errDamaged, e.value) }

func (e *panicError) Unwrap() error { return errDamaged }

// guarded makes an error of a panic.
func guarded(access func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return access()
}

// lockTimeout is how long a process waits for the one before it to end.
const lockTimeout = time.Second

func openFile(path string, noSync bool) (*file, error) {
	found, missing := os.Stat(path)
	if missing == nil && found.Size() > 0 && found.Size() < 2*int64(os.Getpagesize()) {
		return nil, explain(path, fmt.Errorf("%w: it was cut off behind %d bytes", errDamaged, found.Size()))
	}
	var handle *os.File
	var db *bbolt.DB
	err := guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:      lockTimeout,
			NoSync:       noSync,
			FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				var err error
				handle, err = os.OpenFile(name, flag, mode)
				return handle, err
			},
		})
		return err
	})
	if err == nil && missing != nil {
		err = syncFolder(path)
	}
	if err != nil {
		_ = handle.Close() // bbolt leaves it open, and locked, where it panics
		return nil, explain(path, err)
	}
	return &file{path: path, db: db, handle: handle}, nil
}

// syncFolder makes a new file's name as durable as its content.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// explain adds what the operator can do about an error of the file.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	remedy := ""
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("fallback: %s is in use: a queue has one owner; stop the other process, or name another file", path)
	case errors.Is(err, fs.ErrNotExist):
		remedy = "make its folder first"
	case errors.Is(err, fs.ErrPermission):
		remedy = "the process must be able to read and write the file and its folder"
	case errors.Is(err, errDamaged), errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch):
		remedy = "keep it, and put an intact copy in its place; or start with an empty file, and ask the provider for what this one held"
	default:
		return fmt.Errorf("fallback: %s: %w", path, err)
	}
	return fmt.Errorf("fallback: %s: %w: %s", path, err, remedy)
}
