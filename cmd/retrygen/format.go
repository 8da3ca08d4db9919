package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// formatFlag is how a report is printed.
type formatFlag struct {
	format string
	known  []string
}

func (f *formatFlag) register(cmd *cobra.Command, known ...string) {
	f.known = known
	cmd.Flags().StringVar(&f.format, "format", known[0], "`FORMAT` of the report: "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

func (f *formatFlag) validate() error { return oneOf("format", f.format, f.known) }

// oneOf refuses a flag's value that is not known.
func oneOf(flag, value string, known []string) error {
	if !slices.Contains(known, value) {
		return fmt.Errorf("--%s %q is not known; expected one of %s", flag, value, strings.Join(known, ", "))
	}
	return nil
}

// coloured reports whether w is a terminal whose user wants colours (no-color.org).
func coloured(w io.Writer) bool { return terminal(w) && os.Getenv("NO_COLOR") == "" }
