package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxBytes bounds what one load may read in total.
const maxBytes = 64 << 20

// folders are the only places that references may lead to. os.Root holds the
// line: a symbolic link that leaves its folder does not open.
type folders struct {
	base  string // absolute folder of the root document
	dirs  []folder
	files Files // nil: the file system
	left  int64 // bytes that may still be read
}

type folder struct {
	path string   // absolute
	root *os.Root // nil where files are elsewhere
}

// openFolders opens the folder of the root document and the extra ones.
func openFolders(base string, extra []string, files Files) (*folders, error) {
	f := &folders{left: maxBytes, files: files}
	for i, dir := range append([]string{base}, extra...) {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			f.base = path
		}
		if files != nil {
			f.dirs = append(f.dirs, folder{path: path})
			continue
		}
		root, err := os.OpenRoot(path)
		if err != nil {
			f.close()
			return nil, one(Pos{File: DisplayPath(dir)}, "the folder "+Reason(err), "")
		}
		f.dirs = append(f.dirs, folder{path: path, root: root})
	}
	return f, nil
}

func (f *folders) close() {
	for _, dir := range f.dirs {
		if dir.root != nil {
			dir.root.Close()
		}
	}
}

// errOutside is what a reference gets that leads out of all folders.
var errOutside = errors.New("is outside of the folder of the document")

// read is the content of a file that is named relative to the root document's
// folder, with slashes.
func (f *folders) read(name string) ([]byte, error) {
	path := filepath.Join(f.base, filepath.FromSlash(name))
	for _, dir := range f.dirs {
		if local, err := filepath.Rel(dir.path, path); err == nil && filepath.IsLocal(local) {
			if f.files != nil {
				return f.readElsewhere(path)
			}
			return f.readIn(dir.root, local)
		}
	}
	return nil, errOutside
}

func (f *folders) readIn(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, refusal(err)
	}
	if !info.Mode().IsRegular() { // a pipe would block for ever
		return nil, errors.New("is not a file")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, refusal(err)
	}
	defer file.Close()
	return f.readAll(file)
}

// readPath reads a file that the user has named: it may be anywhere.
func (f *folders) readPath(path string) ([]byte, error) {
	if f.files != nil {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		return f.readElsewhere(absolute)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, errors.New(Reason(err))
	}
	defer file.Close()
	return f.readAll(file)
}

func (f *folders) readElsewhere(path string) ([]byte, error) {
	data, err := f.files.ReadFile(path)
	if err != nil {
		return nil, errors.New(Reason(err))
	}
	return f.readAll(bytes.NewReader(data))
}

func (f *folders) readAll(file io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(file, f.left+1))
	if err != nil {
		return nil, errors.New(Reason(err))
	}
	if f.left -= int64(len(data)); f.left < 0 {
		return nil, fmt.Errorf("makes the document larger than %d MiB", maxBytes>>20)
	}
	return data, nil
}

// refusal tells a link that leaves its folder from other reasons; os.Root has no
// error value for it.
func refusal(err error) error {
	if strings.Contains(err.Error(), "escapes") {
		return errOutside
	}
	return errors.New(Reason(err))
}

// Reason is why something cannot be read, as the end of a sentence about it:
// without the path, which the message names already.
func Reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read"
	case errors.Is(err, syscall.EISDIR):
		return "is a folder"
	case errors.As(err, &path):
		return "cannot be read: " + path.Err.Error()
	}
	return err.Error()
}
