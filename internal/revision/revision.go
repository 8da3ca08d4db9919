// Package revision reads files as they were in a revision of a git repository.
// It touches neither the work tree nor the network.
package revision

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Revision is one revision of the repository that a folder belongs to.
type Revision struct {
	Name   string
	dir    string // absolute; git runs there
	prefix string // of dir inside of the repository, "" or "a/b/"
	tree   string // the id of the revision's root folder
}

// Open finds a revision: a commit, a branch, a tag, whatever git takes for one.
func Open(dir, name string) (*Revision, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Revision{Name: name, dir: absolute}
	prefix, err := r.git("rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r.prefix = strings.TrimSuffix(string(prefix), "\n")
	tree, err := r.git("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{tree}")
	if err != nil {
		return nil, fmt.Errorf("%q is no revision of this repository", name)
	}
	r.tree = strings.TrimSpace(string(tree))
	return r, nil
}

// Path is the absolute path, in the work tree, of a file that is named as git
// names it: from the root of the repository, or with "./" from the folder.
func (r *Revision) Path(name string) string {
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		return filepath.Join(r.dir, filepath.FromSlash(name))
	}
	up := strings.Repeat("../", strings.Count(r.prefix, "/"))
	return filepath.Join(r.dir, filepath.FromSlash(up), filepath.FromSlash(name))
}

// ReadFile is the content of a file by its absolute path in the work tree. The
// revision may have it where the work tree has not. It follows no links.
func (r *Revision) ReadFile(name string) ([]byte, error) {
	local, err := filepath.Rel(r.dir, name)
	if err != nil {
		return nil, err
	}
	inside := path.Join(r.prefix, filepath.ToSlash(local))
	if !filepath.IsLocal(filepath.FromSlash(inside)) {
		return nil, errors.New("is outside of the repository")
	}
	if inside == "." { // of which git lists what is in it
		return nil, errors.New("is not a file")
	}
	entry, err := r.git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", r.tree, "--", inside)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(entry)) // "100644 blob <id>\t<name>\x00"
	switch {
	case len(fields) < 4:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case fields[0] == "120000":
		return nil, errors.New("is a symbolic link; of a revision only files are read")
	case fields[1] != "blob":
		return nil, errors.New("is not a file")
	}
	return r.git("cat-file", "blob", fields[2])
}

// largest is the most that is read of one file, in bytes. It is more than a
// document may have.
const largest = 128 << 20

// environ is ours without what names a repository: a hook of git has that, and then
// git takes the folder for the root of the work tree.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"}, name)
	})
}

// git runs one command. No argument of a user stands where an option could.
func (r *Revision) git(args ...string) ([]byte, error) {
	command := exec.Command("git", append([]string{"-C", r.dir, "--no-pager"}, args...)...)
	command.Env = append(environ(), "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, errors.New("git cannot be run: " + err.Error())
	}
	data, readErr := io.ReadAll(io.LimitReader(out, largest+1))
	if len(data) > largest {
		_ = command.Process.Kill()
		readErr = errors.New("is too large")
	}
	if err := errors.Join(readErr, command.Wait()); err != nil {
		reason, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if reason == "" {
			return nil, err
		}
		return nil, errors.New("git: " + strings.TrimPrefix(reason, "fatal: "))
	}
	return data, nil
}
