package output

import (
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// WriteNew makes files in a folder that exists, and never touches one that is there:
// all of them are made, or none.
func WriteNew(dir string, files map[string][]byte) error {
	root, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	names := slices.Sorted(maps.Keys(files))
	if err := refuseExisting(root, dir, names); err != nil {
		return err
	}
	w := &writing{}
	for _, name := range names {
		if err := w.create(root, name, files[name]); err != nil {
			return w.undoAll(source.Diagnostics{failure(display(dir, name), "cannot be written", err)})
		}
	}
	return nil
}

// refuseExisting names all files that are there already, links that lead nowhere
// included.
func refuseExisting(root *os.Root, dir string, names []string) error {
	var there source.Diagnostics
	for _, name := range names {
		if _, err := root.Lstat(name); err == nil {
			there = append(there, source.Diagnostic{
				Pos:     source.Pos{File: display(dir, name)},
				Message: "is there already; no file is ever overwritten",
				Fix:     "move it away, or leave it and write what is missing by hand",
			})
		}
	}
	return there.Err()
}

// create makes one file, which must not be there.
func (w *writing) create(root *os.Root, name string, content []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w.did(name, func() error { return root.Remove(name) })
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
