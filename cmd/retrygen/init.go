package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/output"
	"github.com/retrygen/retrygen/internal/scaffold"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// initFlags are what the user asked for.
type initFlags struct {
	pkg            string
	quiet, verbose bool
}

func newInit() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init [document]",
		Short: "Make the files that a client begins with",
		Long: `Init makes four files in the working folder, which becomes the client's package:

  retrygen.yaml   what is generated
  retries.yaml    an overlay that says what may be repeated: as retrygen suggest
                  reads the document, or almost empty without one
  doc.go          the line for go generate
  .gitattributes  lets code hosts show what changes in generated files

All of them are made, or none: if one is there already, nothing is.

Exit codes: 0 done, 2 bad input.`,
		Example: `  # a client of openapi.yaml, in a folder of its own
  cd payments
  go tool retrygen init openapi.yaml
  go generate ./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			flags.verbose, _ = cmd.Flags().GetBool("verbose")
			switch {
			case len(args) > 1:
				return errors.New("init takes one document; a client of another one begins in a folder of its own")
			case len(args) == 1 && args[0] == "":
				return errors.New("the name of the document is empty")
			}
			document := ""
			if len(args) == 1 {
				document = args[0]
			}
			return flags.run(document, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&flags.pkg, "package", "", "`NAME` of the Go package (default that of the folder)")
	cmd.ValidArgsFunction = documentCompletion
	return cmd
}

// run begins a client; document is "" where there is none yet.
func (f initFlags) run(document string, stdout, stderr io.Writer) error {
	c, err := config.New(cmp.Or(document, "openapi.yaml"), f.pkg, ".")
	if err != nil {
		return err
	}
	if c.Package == "main" {
		return source.Diagnostics{{
			Message: "this folder is package main, and nobody could import the client",
			Fix:     "make a folder for it, and run retrygen init there",
		}}
	}
	if existing := config.ExistingPackage("."); existing != "" && existing != c.Package {
		return source.Diagnostics{{
			Message: fmt.Sprintf("this folder is package %s, not %s", existing, c.Package),
			Fix:     "make a folder for it, and run retrygen init there",
		}}
	}
	start := scaffold.Start{Spec: source.DisplayPath(c.Spec), Package: c.Package}
	if document != "" {
		overlay, notes, err := suggestFor(c)
		if err != nil {
			return err
		}
		if !f.quiet {
			printDiagnostics(stderr, notes, "note: ", f.verbose)
		}
		start.Overlay = overlay
	}
	files, err := start.Files()
	if err != nil {
		return err
	}
	if err := output.WriteNew(".", files); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(stdout, "%d files created; look at %s, then run go generate\n", len(files), scaffold.Overlay)
	}
	return nil
}
