package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// Target is a folder and all files of ours that it shall hold, by name.
type Target struct {
	Dir   string
	Files map[string][]byte
}

// Plan is what would make one folder hold what it shall.
type Plan struct {
	Dir     string
	Changes []Change // sorted by name
	Same    int      // files that are as they shall be
}

// Change is one file that differs.
type Change struct {
	Name string
	Kind Kind
	Old  []byte // Replace and Delete
	New  []byte // Create and Replace
	mode fs.FileMode
}

// Kind is what happens to a file.
type Kind uint8

const (
	Create Kind = iota
	Replace
	Delete
)

func (k Kind) String() string { return [...]string{"create", "replace", "delete"}[k] }

// Plans is one plan for each folder of a run.
type Plans []*Plan

// Clean reports whether every folder is as it shall be.
func (p Plans) Clean() bool {
	return !slices.ContainsFunc(p, func(plan *Plan) bool { return len(plan.Changes) > 0 })
}

// Compare looks at all folders and writes nothing. It fails with
// source.Diagnostics where a file would have to go that is not ours.
func Compare(targets []Target) (Plans, error) {
	var plans Plans
	var found source.Diagnostics
	folders := map[string]bool{}
	for _, target := range targets {
		plan, err := compare(target)
		if id := identity(target.Dir); folders[id] {
			err = refusal(display(target.Dir, ""), "is the output folder of two configurations", "give each its own")
		} else {
			folders[id] = true
		}
		if list := (source.Diagnostics)(nil); errors.As(err, &list) {
			found = append(found, list...)
		} else if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, found.Err()
}

// identity is equal for two spellings of one folder, through links above it,
// too. It need not exist yet.
func identity(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	missing := ""
	for existing := abs; existing != filepath.Dir(existing); existing = filepath.Dir(existing) {
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(real, missing)
		}
		missing = filepath.Join(filepath.Base(existing), missing)
	}
	return abs
}

func compare(target Target) (*Plan, error) {
	for name := range target.Files {
		if !filepath.IsLocal(name) || filepath.Base(name) != name || headerOf(name) == "" {
			return nil, fmt.Errorf("internal fault: %q is not the name of a generated file", name)
		}
	}
	c := &comparison{plan: &Plan{Dir: target.Dir}, target: target}
	if isMissing(target.Dir) {
		c.createAll()
		return c.plan, refuseLinks(target.Dir)
	}
	root, err := openFolder(target.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	c.root = root
	return c.plan, c.run()
}

func isMissing(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// comparison makes the plan for one folder.
type comparison struct {
	target Target
	root   *os.Root
	plan   *Plan
	found  source.Diagnostics
}

func (c *comparison) createAll() {
	for _, name := range slices.Sorted(maps.Keys(c.target.Files)) {
		c.plan.Changes = append(c.plan.Changes, Change{Name: name, Kind: Create, New: c.target.Files[name]})
	}
}

func (c *comparison) run() error {
	entries, err := fs.ReadDir(c.root.FS(), ".")
	if err != nil {
		return source.Diagnostics{failure(c.target.Dir, "cannot be read", err)}
	}
	present := map[string]fs.DirEntry{}
	for _, entry := range entries {
		present[entry.Name()] = entry
		if _, wanted := c.target.Files[entry.Name()]; !wanted {
			c.leftOver(entry)
		}
	}
	for name, content := range c.target.Files {
		if entry := present[name]; entry != nil {
			c.existing(entry, content)
		} else {
			c.plan.Changes = append(c.plan.Changes, Change{Name: name, Kind: Create, New: content})
		}
	}
	slices.SortFunc(c.plan.Changes, func(a, b Change) int { return cmp.Compare(a.Name, b.Name) })
	return c.found.Err()
}

// leftOver plans to delete a file of ours that no operation needs any more.
func (c *comparison) leftOver(entry fs.DirEntry) {
	if !entry.Type().IsRegular() || headerOf(entry.Name()) == "" {
		return
	}
	// What cannot be read cannot be known to be ours.
	if own, err := ours(c.root, entry.Name()); err == nil && own {
		c.add(entry, Change{Kind: Delete})
	}
}

// existing plans what becomes of a file whose place is needed.
func (c *comparison) existing(entry fs.DirEntry, content []byte) {
	if !entry.Type().IsRegular() {
		c.refuse(entry, "is not a regular file; only files that retrygen wrote are replaced")
		return
	}
	own, err := ours(c.root, entry.Name())
	switch {
	case err != nil:
		c.fail(entry, err)
	case !own:
		c.refuse(entry, "is not ours: its first line is not "+headerOf(entry.Name()))
	default:
		c.add(entry, Change{Kind: Replace, New: content})
	}
}

// add completes a change with what is there.
func (c *comparison) add(entry fs.DirEntry, change Change) {
	old, err := c.root.ReadFile(entry.Name())
	if err != nil {
		c.fail(entry, err)
		return
	}
	info, err := entry.Info()
	if err != nil {
		c.fail(entry, err)
		return
	}
	if change.Kind == Replace && bytes.Equal(old, change.New) {
		c.plan.Same++
		return
	}
	change.Name, change.Old, change.mode = entry.Name(), old, info.Mode().Perm()
	c.plan.Changes = append(c.plan.Changes, change)
}

func (c *comparison) refuse(entry fs.DirEntry, message string) {
	c.found = append(c.found, source.Diagnostic{
		Pos:     source.Pos{File: display(c.target.Dir, entry.Name())},
		Message: message,
		Fix:     "move it away, or choose another output folder",
	})
}

func (c *comparison) fail(entry fs.DirEntry, err error) {
	c.found = append(c.found, failure(display(c.target.Dir, entry.Name()), "cannot be read", err))
}
