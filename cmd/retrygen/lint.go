package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/report/lint"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// lintFlags are what the user asked for.
type lintFlags struct {
	inputFlags
	formatFlag
	strict         bool
	rules          bool
	quiet, verbose bool
}

func newLint() *cobra.Command {
	var flags lintFlags
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Find what is wrong or risky in a document and its annotations",
		Long: `Lint reads what generate reads, and writes nothing. It names all that generate
would refuse, annotations that contradict each other or have no effect, claims of
idempotency that are worth a second look, and texts that look like credentials.

A finding is ignored by a comment on its line or above it, or by an extension on
the element; both give a reason:

  # retrygen:ignore RULE: REASON
  x-retrygen-ignore: [{rule: RULE, reason: REASON}]

Exit codes: 0 no errors, 1 errors (with --strict also warnings), 2 bad input.`,
		Example: `  # beside retrygen.yaml
  retrygen lint

  # for code scanning, in CI
  retrygen lint --format sarif > retrygen.sarif

  # what is looked for
  retrygen lint --rules`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			flags.verbose, _ = cmd.Flags().GetBool("verbose")
			if err := flags.validate(); err != nil {
				return err
			}
			if flags.rules {
				return listRules(cmd.OutOrStdout())
			}
			configs, err := flags.load(anyPackage, "")
			if err != nil {
				return err
			}
			return runLint(configs, flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	flags.inputFlags.register(cmd)
	flags.formatFlag.register(cmd, "text", "json", "sarif")
	f.BoolVar(&flags.strict, "strict", false, "look at examples, defaults and patterns, too; exit 1 on warnings")
	f.BoolVar(&flags.rules, "rules", false, "list the rules and their severities, and read nothing")
	return cmd
}

func (f lintFlags) validate() error {
	if f.rules && f.format != "text" {
		return errors.New("--rules lists them as text; leave out --format")
	}
	return f.formatFlag.validate()
}

// runLint looks at all documents before it says anything.
func runLint(configs []*config.Config, flags lintFlags, stdout, stderr io.Writer) error {
	line := progressOn(stderr, flags.quiet)
	reports, err := gather(configs, func(c *config.Config) (lint.Report, error) {
		line.step("reading " + c.Spec)
		in, err := spec.Inspect(c.Options(), flags.strict)
		if err != nil {
			return lint.Report{}, locate([]*config.Config{c}, err)
		}
		in.Faults = c.Locate(in.Faults)
		return lint.Run(in, lint.Options{Strict: flags.strict, Part: c.Selects()}), nil
	})
	line.stop()
	if err != nil {
		return err
	}
	all := lint.Merge(reports)
	if err := writeReport(stdout, all, flags, source.DisplayPath(configs[0].Spec)); err != nil {
		return err
	}
	if all.Count(lint.Error) > 0 || flags.strict && all.Count(lint.Warning) > 0 {
		return errFindings
	}
	return nil
}

func writeReport(w io.Writer, all lint.Report, flags lintFlags, document string) error {
	switch flags.format {
	case "json":
		return all.WriteJSON(w)
	case "sarif":
		info, _ := debug.ReadBuildInfo()
		return all.WriteSARIF(w, version(info), document)
	}
	return all.WriteText(w, lint.TextOptions{
		Colour:  coloured(w),
		Brief:   flags.quiet,
		Verbose: flags.verbose,
	})
}

func listRules(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, rule := range lint.Rules() {
		strict := ""
		if rule.Strict {
			strict = " (--strict)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s%s\n", rule.Name, rule.Severity, rule.Title, strict)
	}
	return table.Flush()
}
