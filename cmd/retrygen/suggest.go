package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/output"
	"github.com/retrygen/retrygen/internal/report/suggest"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// suggestFlags are what the user asked for.
type suggestFlags struct {
	inputFlags
	output         string
	quiet, verbose bool
}

func newSuggest() *cobra.Command {
	var flags suggestFlags
	cmd := &cobra.Command{
		Use:   "suggest [document]",
		Short: "Propose annotations for a document that has none, as an overlay",
		Long: `Suggest reads what a document says of repeating its operations in other words than
ours (headers for idempotency keys, keys of other tools, methods) and writes an
OpenAPI overlay for somebody to look at. Each operation has a line, with the place
of what speaks for it in a comment above:

  evident    the document says so: an action
  by method  only the method does: a comment, until somebody removes its #
  doubtful   x-idempotent: false

Without a document it reads that of the configuration, with its overlays, and
proposes nothing for operations that say x-idempotent. The document is not changed.
What generate would refuse is noted, and left out where a reference leads nowhere.

Exit codes: 0 done, 2 bad input.`,
		Example: `  # a document without annotations
  retrygen suggest openapi.yaml --output retries.yaml

  # what the overlays of retrygen.yaml do not say yet
  retrygen suggest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			flags.verbose, _ = cmd.Flags().GetBool("verbose")
			if err := flags.takeDocument("suggest", args); err != nil {
				return err
			}
			return flags.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "`FILE` to make (default standard output)")
	_ = cmd.MarkFlagFilename("output", "yaml", "yml")
	cmd.ValidArgsFunction = documentCompletion
	return cmd
}

func (f *suggestFlags) run(stdout, stderr io.Writer) error {
	configs, err := f.load(anyPackage, "")
	if err != nil {
		return err
	}
	overlay, notes, err := suggestFor(configs[0])
	if err != nil {
		return err
	}
	if !f.quiet {
		printDiagnostics(stderr, notes, "note: ", f.verbose)
	}
	if f.output != "" {
		return output.WriteNew(filepath.Dir(f.output), map[string][]byte{filepath.Base(f.output): overlay})
	}
	_, err = stdout.Write(overlay)
	return err
}

// suggestFor is the overlay for a document, and what generate would refuse in it.
func suggestFor(c *config.Config) (overlay []byte, notes source.Diagnostics, err error) {
	in, err := spec.Inspect(c.Options(), false)
	if err != nil {
		return nil, nil, locate([]*config.Config{c}, err)
	}
	return suggest.New(source.DisplayPath(c.Spec), in).Overlay(), c.Locate(in.Faults), nil
}
