package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/diff"
)

// diffFlags are what the user asked for.
type diffFlags struct {
	inputFlags
	formatFlag
	overlays []string
	base     string
	failOn   string
	partial  bool
}

func newDiff() *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW | diff --base REV",
		Short: "Show what a change of a document does to retries and to call sites",
		Long: `Diff compares the retry contracts of two documents. Each change is

  loosened   the client may now send more
  tightened  it sends less, and nothing more
  neutral    anything else

with what it means at run time. A document is a file, or REV:PATH as git names the
file of a revision; overlays are applied to both, each as it is where the document is
from. With --base, the document of the configuration is compared with
what it was in a revision, with its overlays, all that it refers to, and the
configuration itself; the work tree is not touched.

Exit codes: 0 done, 1 there are changes that --fail-on names, 2 bad input.`,
		Example: `  # what this branch does to retries, for a comment on its pull request
  retrygen diff --base origin/main --format markdown

  # in CI: fail if the client may now send more
  retrygen diff --base origin/main --fail-on loosened

  # two documents
  retrygen diff openapi.old.yaml openapi.yaml
  retrygen diff v1.2.0:api/openapi.yaml api/openapi.yaml

  # two releases of a vendor's document, annotated by the same overlay
  retrygen diff vendor-1.yaml vendor-2.yaml --overlay retries.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(args); err != nil {
				return err
			}
			r, err := flags.compare(args)
			if err != nil {
				return err
			}
			return flags.print(r, cmd.OutOrStdout())
		},
	}
	flags.inputFlags.register(cmd)
	flags.formatFlag.register(cmd, "text", "markdown", "json")
	f := cmd.Flags()
	f.StringArrayVar(&flags.overlays, "overlay", nil, "OpenAPI overlay `FILE`, for OLD and NEW; may be repeated")
	_ = cmd.MarkFlagFilename("overlay", "yaml", "yml", "json")
	f.StringVar(&flags.base, "base", "", "compare with git revision `REV`")
	f.StringVar(&flags.failOn, "fail-on", "", "exit 1 if there are changes of `CLASS`: "+strings.Join(failures, ", "))
	f.BoolVar(&flags.partial, "partial", false, "leave out the operations that cannot be generated")
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failures, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// failures are what --fail-on knows.
var failures = []string{string(diff.Loosened), string(diff.Tightened), "any"}

func (f *diffFlags) validate(args []string) error {
	switch {
	case f.failOn != "" && !slices.Contains(failures, f.failOn):
		return fmt.Errorf("--fail-on %q is not known; expected one of %s", f.failOn, strings.Join(failures, ", "))
	case f.base != "" && len(args) > 0:
		return errors.New("--base compares the document of the configuration; leave the arguments out, or --base")
	case f.base != "" && len(f.overlays) > 0:
		return errors.New("--overlay goes with two documents; with --base the configuration names its overlays")
	case f.base == "" && (f.spec != "" || len(f.configs) > 0):
		return errors.New("--spec and --config go with --base; two documents are named without them")
	case f.base == "" && len(args) != 2:
		return errors.New("diff needs two documents, old and new, or --base and a revision")
	}
	return f.formatFlag.validate()
}

func (f *diffFlags) compare(args []string) (*diff.Report, error) {
	if f.base != "" {
		return f.compareRevision()
	}
	var sides [2]*diff.Side
	for i, arg := range args {
		side, err := f.document(arg)
		if err != nil {
			return nil, err
		}
		sides[i] = side
	}
	return &diff.Report{Format: 1, Old: args[0], New: args[1], Packages: []*diff.Package{diff.New(sides[0], sides[1])}}, nil
}

// document is a side of which only a document is known.
func (f *diffFlags) document(arg string) (*diff.Side, error) {
	if strings.Contains(arg, "://") {
		return nil, fmt.Errorf("%s is an address; only files are read", arg)
	}
	place, path, err := placeOf(arg)
	if err != nil {
		return nil, err
	}
	c, err := config.New(path, anyPackage, "")
	if err != nil {
		return nil, err
	}
	c.Overlays = f.overlays
	return f.side(c, place)
}

// placeOf splits an argument: a file that exists is a file, anything else with a
// colon is a file of a revision.
func placeOf(arg string) (place, string, error) {
	name, path, ok := strings.Cut(arg, ":")
	if _, err := os.Lstat(arg); err == nil || !ok || name == "" || path == "" || filepath.VolumeName(arg) != "" {
		return place{}, arg, nil
	}
	at, err := openRevision(".", name)
	if err != nil {
		return place{}, "", err
	}
	return at, at.revision.Path(path), nil
}

// compareRevision compares each configuration with what it was.
func (f *diffFlags) compareRevision() (*diff.Report, error) {
	configs, err := f.load(anyPackage, "")
	if err != nil {
		return nil, err
	}
	r := &diff.Report{Format: 1, Old: f.base, New: "work tree"}
	r.Packages, err = gather(configs, func(c *config.Config) (*diff.Package, error) {
		at, err := openRevision(filepath.Dir(cmp.Or(c.File, c.Spec)), f.base)
		if err != nil {
			return nil, err
		}
		old := &diff.Side{}
		if was, err := at.config(c); err != nil {
			return nil, err
		} else if was != nil {
			if old, err = f.side(was, at); err != nil {
				return nil, err
			}
		}
		new, err := f.side(c, place{})
		if err != nil {
			return nil, err
		}
		return diff.New(old, new), nil
	})
	return r, err
}

func (f *diffFlags) print(r *diff.Report, stdout io.Writer) error {
	out, err := f.render(r, stdout)
	if err != nil {
		return err
	}
	if _, err := stdout.Write(out); err != nil {
		return err
	}
	if f.failOn == "any" && r.Has("") || f.failOn != "" && f.failOn != "any" && r.Has(diff.Class(f.failOn)) {
		return errFindings
	}
	return nil
}

func (f *diffFlags) render(r *diff.Report, stdout io.Writer) ([]byte, error) {
	switch f.format {
	case "json":
		return report.JSON(r)
	case "markdown":
		return r.Markdown(), nil
	}
	return r.Text(coloured(stdout)), nil
}
