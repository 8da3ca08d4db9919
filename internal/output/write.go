package output

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// Write carries the plans out. All new content is written to temporary files
// first, then every file is put in place by a rename, so that none is ever seen
// in parts. On failure all that was done is undone, as far as the file system
// lets it.
func (p Plans) Write() error {
	w := &writing{}
	defer w.close()
	for _, plan := range p {
		if len(plan.Changes) == 0 {
			continue
		}
		if err := w.stage(plan); err != nil {
			return w.undoAll(err)
		}
	}
	for _, put := range w.staged {
		if err := put(); err != nil {
			return w.undoAll(err)
		}
	}
	return nil
}

// writing is a transaction over all folders of a run.
type writing struct {
	roots  []*os.Root
	staged []func() error // put one file in place, or delete it
	done   []step
}

// step is something that was done to a path, and how to undo it.
type step struct {
	path string
	undo func() error
}

func (w *writing) did(path string, undo func() error) {
	w.done = append(w.done, step{path, undo})
}

func (w *writing) close() {
	for _, root := range w.roots {
		root.Close()
	}
}

// undoAll goes back to the beginning, the last step first, and adds what cannot
// be undone to the cause.
func (w *writing) undoAll(cause error) error {
	var found source.Diagnostics
	errors.As(cause, &found)
	for _, done := range slices.Backward(w.done) {
		if err := done.undo(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, failure(done.path, "cannot be put back as it was", err))
		}
	}
	return found
}

// stage opens a folder and writes its new content beside what is there.
func (w *writing) stage(plan *Plan) error {
	if err := w.makeFolder(plan.Dir); err != nil {
		return err
	}
	root, err := openFolder(plan.Dir)
	if err != nil {
		return err
	}
	w.roots = append(w.roots, root)
	for _, change := range plan.Changes {
		path := display(plan.Dir, change.Name)
		if change.Kind == Delete {
			w.staged = append(w.staged, func() error { return w.delete(root, change, path) })
			continue
		}
		temporary, err := w.temporary(root, change, change.New)
		if err != nil {
			return source.Diagnostics{failure(path, "cannot be written", err)}
		}
		w.staged = append(w.staged, func() error { return w.replace(root, temporary, change, path) })
	}
	return nil
}

// makeFolder makes a folder and those above it, and remembers which are new.
func (w *writing) makeFolder(dir string) error {
	var missing []string
	for folder := dir; isMissing(folder); folder = filepath.Dir(folder) {
		missing = append(missing, folder)
	}
	for _, folder := range slices.Backward(missing) {
		if err := os.Mkdir(folder, 0o777); err != nil {
			return source.Diagnostics{failure(display(folder, ""), "cannot be made", err)}
		}
		w.did(display(folder, ""), func() error { return os.Remove(folder) })
	}
	return nil
}

// temporary writes content to a new file, whose name Go tools skip. It bears our
// header, so the next run deletes what a killed one leaves. A file that takes
// the place of another has its permissions.
func (w *writing) temporary(root *os.Root, change Change, content []byte) (string, error) {
	temporary := "." + rand.Text()[:10] + "." + change.Name
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	w.did(temporary, func() error { return root.Remove(temporary) })
	if change.Kind != Create {
		err = f.Chmod(change.mode)
	}
	_, writeErr := f.Write(content)
	return temporary, errors.Join(err, writeErr, f.Sync(), f.Close())
}

// replace puts a temporary file in its place.
func (w *writing) replace(root *os.Root, temporary string, change Change, path string) error {
	if err := root.Rename(temporary, change.Name); err != nil {
		return source.Diagnostics{failure(path, "cannot be written", err)}
	}
	w.did(path, func() error {
		if change.Kind == Create {
			return root.Remove(change.Name)
		}
		return w.restore(root, change)
	})
	return nil
}

func (w *writing) delete(root *os.Root, change Change, path string) error {
	if err := root.Remove(change.Name); err != nil {
		return source.Diagnostics{failure(path, "cannot be deleted", err)}
	}
	w.did(path, func() error { return w.restore(root, change) })
	return nil
}

func (w *writing) restore(root *os.Root, change Change) error {
	temporary, err := w.temporary(root, change, change.Old)
	if err != nil {
		return err
	}
	return root.Rename(temporary, change.Name)
}
