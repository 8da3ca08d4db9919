package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/output"
	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
	"github.com/retrygen/retrygen/internal/templates"
)

// generate makes every package before it writes the first file.
func generate(configs []*config.Config, flags generateFlags, stdout, stderr io.Writer) error {
	targets, err := renderAll(configs, flags, stderr)
	if err != nil {
		return err
	}
	plans, err := output.Compare(targets)
	if err != nil {
		return locate(configs, err)
	}
	switch {
	case flags.check:
		return check(plans, flags, stdout, stderr)
	case flags.dryRun:
		plans.List(stdout)
		return nil
	}
	if err := plans.Write(); err != nil {
		return locate(configs, err)
	}
	if flags.verbose {
		plans.List(stdout)
	}
	if !flags.quiet {
		for _, plan := range plans {
			fmt.Fprintln(stdout, plan)
		}
	}
	return nil
}

func check(plans output.Plans, flags generateFlags, stdout, stderr io.Writer) error {
	if plans.Clean() {
		return nil
	}
	plans.Report(stdout)
	if !flags.quiet {
		fmt.Fprintln(stderr, "retrygen: not up to date; run retrygen generate")
	}
	return errFindings
}

// loadAll reads configurations and gathers what is wrong in any of them.
func loadAll(files []string) ([]*config.Config, error) {
	return gather(files, func(file string) (*config.Config, error) { return config.Load(file) })
}

// largeDocument is the size in bytes from which memory counts for more than time.
const largeDocument = 1 << 20

// saveMemory collects garbage more often where documents are large: a fifth less
// memory, for next to no time.
func saveMemory(configs []*config.Config) {
	var total int64
	for _, c := range configs {
		if info, err := os.Stat(c.Spec); err == nil {
			total += info.Size()
		}
	}
	if total >= largeDocument && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// renderAll makes the files of all packages in memory.
func renderAll(configs []*config.Config, flags generateFlags, stderr io.Writer) ([]output.Target, error) {
	line := progressOn(stderr, flags.quiet)
	var notes []func()
	targets, err := gather(configs, func(c *config.Config) ([]output.Target, error) {
		line.step("reading " + c.Spec)
		started := time.Now()
		c.TypesOnly = c.TypesOnly || flags.typesOnly
		api, err := load(c, flags.partial)
		if err != nil {
			return nil, err
		}
		line.step("writing package " + c.Package)
		targets, err := render(c, api)
		notes = append(notes, func() { printNotes(stderr, c, api, time.Since(started), flags) })
		return targets, err
	})
	line.stop()
	for _, print := range notes {
		print()
	}
	return slices.Concat(targets...), err
}

// render makes the files of a client, and those of its fake: of one that is asked
// for, or of one that nothing generates any more.
func render(c *config.Config, api *spec.API) ([]output.Target, error) {
	client, err := templates.Render(api, templates.Options{TypesOnly: c.TypesOnly, ByTag: c.ByTag})
	if err != nil {
		return nil, err
	}
	if c.Contract && !c.TypesOnly {
		client[report.ContractName] = report.Contract(api)
	}
	targets := []output.Target{{Dir: c.Output, Files: client}}
	var fake map[string][]byte
	if !c.TypesOnly {
		if fake, err = templates.RenderFake(api); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(c.Output, spec.FakePackage(c.Package))
	if _, err := os.Lstat(filepath.Join(dir, templates.FakeFile)); fake != nil || err == nil {
		targets = append(targets, output.Target{Dir: dir, Files: fake})
	}
	return targets, nil
}

// load makes the IR of a configuration.
func load(c *config.Config, partial bool) (*spec.API, error) {
	return loadFrom(nil, c, partial)
}

// loadFrom makes the IR of documents that are elsewhere than in the file system.
func loadFrom(files source.Files, c *config.Config, partial bool) (*spec.API, error) {
	options := c.Options()
	options.Files, options.Partial = files, partial
	api, err := spec.Load(options)
	return api, locate([]*config.Config{c}, err)
}

// locate adds where the configurations say what is wrong.
func locate(configs []*config.Config, err error) error {
	var found source.Diagnostics
	if !errors.As(err, &found) {
		return err
	}
	for _, c := range configs {
		found = c.Locate(found)
	}
	return found
}

// gather makes one of each and returns all diagnostics together. Any other error
// is a fault of ours and ends it.
func gather[From, To any](all []From, one func(From) (To, error)) ([]To, error) {
	made := make([]To, 0, len(all))
	var found source.Diagnostics
	for _, from := range all {
		to, err := one(from)
		var list source.Diagnostics
		if errors.As(err, &list) {
			found = append(found, list...)
		} else if err != nil {
			return nil, err
		}
		made = append(made, to)
	}
	return made, found.Err()
}

// printNotes says what was left out of a package, and in detail what is in it.
func printNotes(w io.Writer, c *config.Config, api *spec.API, took time.Duration, flags generateFlags) {
	if flags.quiet {
		return
	}
	printDiagnostics(w, api.Notes, "note: ", flags.verbose)
	if flags.verbose {
		fmt.Fprintf(w, "%s: operations %d, types %d, %s\n", c.Spec, len(api.Operations), len(api.Types), took.Round(time.Millisecond))
	}
}
