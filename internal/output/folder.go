package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// openFolder opens an output folder that exists. All that is done inside of it
// is confined to it.
func openFolder(dir string) (*os.Root, error) {
	if err := refuseLinks(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, source.Diagnostics{failure(dir, "cannot be opened", err)}
	}
	return root, nil
}

// refuseLinks refuses an output folder that is a symbolic link, or is reached
// through one that the user did not have to pass: what lies behind may be
// anybody's.
func refuseLinks(dir string) error {
	for _, part := range ownParts(dir) {
		info, err := os.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return source.Diagnostics{failure(part, "cannot be opened", err)}
		case info.Mode()&fs.ModeSymlink != 0:
			return refusal(part, "is a symbolic link; nothing is written through one", "name the folder that it leads to as output")
		case !info.IsDir():
			return refusal(part, "is not a folder", "choose another output folder")
		}
	}
	return nil
}

// ownParts are the folders on the way to dir, and dir: all that are below the
// working folder, or are named relative to it. Of an absolute path elsewhere it
// is dir alone: the system may have links above it.
func ownParts(dir string) []string {
	dir = filepath.FromSlash(source.DisplayPath(dir))
	if filepath.IsAbs(dir) {
		return []string{dir}
	}
	var parts []string
	for i, r := range dir {
		if r == filepath.Separator {
			parts = append(parts, dir[:i])
		}
	}
	return append(parts, dir)
}

// display is a path as the user would type it.
func display(dir, name string) string { return source.DisplayPath(filepath.Join(dir, name)) }

func refusal(path, message, fix string) error {
	return source.Diagnostics{{Pos: source.Pos{File: source.DisplayPath(path)}, Message: message, Fix: fix}}
}

// failure is one of the file system, without the name that the position has
// already.
func failure(path, what string, err error) source.Diagnostic {
	reason := err.Error()
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		reason = path.Err.Error()
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		reason = link.Err.Error()
	}
	return source.Diagnostic{Pos: source.Pos{File: source.DisplayPath(path)}, Message: what + ": " + reason}
}
