package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/report/diff"
	"github.com/retrygen/retrygen/internal/revision"
	"github.com/retrygen/retrygen/internal/spec/source"
	"github.com/retrygen/retrygen/internal/templates"
)

// place is where documents are: in the work tree, or in a revision.
type place struct {
	revision *revision.Revision // nil: the work tree
}

func openRevision(dir, name string) (place, error) {
	r, err := revision.Open(dir, name)
	if err != nil {
		return place{}, err
	}
	return place{r}, nil
}

// prefix is what names of files have in messages and reports.
func (p place) prefix() string {
	if p.revision == nil {
		return ""
	}
	return p.revision.Name + ":"
}

// files are those of the place, as spec.Options takes them.
func (p place) files() source.Files {
	if p.revision == nil {
		return nil
	}
	return p.revision
}

// config is what a configuration was in a revision; nil where it was not there
// yet. One of flags has always been so.
func (p place) config(c *config.Config) (*config.Config, error) {
	if c.File == "" {
		return c, nil
	}
	path, err := filepath.Abs(c.File)
	if err != nil {
		return nil, err
	}
	data, err := p.revision.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", p.prefix(), c.File, err)
	}
	was, err := config.Decode(c.File, data)
	return was, p.located(err)
}

// located names the revision in messages about its files.
func (p place) located(err error) error {
	var found source.Diagnostics
	if !errors.As(err, &found) {
		return err
	}
	for i := range found {
		if found[i].Pos.File != "" {
			found[i].Pos.File = p.prefix() + found[i].Pos.File
		}
	}
	return found
}

// side is one side of a comparison.
func (f *diffFlags) side(c *config.Config, at place) (*diff.Side, error) {
	api, err := loadFrom(at.files(), c, f.partial)
	if err != nil {
		return nil, at.located(err)
	}
	side := &diff.Side{API: api, Prefix: at.prefix()}
	for _, signature := range templates.Signatures(api) {
		side.Signatures = append(side.Signatures, diff.Signature(signature))
	}
	return side, nil
}
