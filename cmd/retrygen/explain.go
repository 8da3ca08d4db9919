package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/explain"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// explainFlags are what the user asked for.
type explainFlags struct {
	inputFlags
	formatFlag
	partial bool
}

func newExplain() *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain [operation...]",
		Short: "Show what the client does after each failure of an operation, and why",
		Long: `Explain shows the decision table of operations, of all without a name: after each
answer and each attempt, whether there is another attempt, how long the client
waits for it, and which annotation in which line is the cause. The decisions are
asked of the engine that the client links.

An operation is named by its id, by the name of its method in Go, or as
"GET /pets/{id}".

Exit codes: 0 done, 2 bad input.`,
		Example: `  # one operation, in the terminal
  retrygen explain createPayment

  # all of them, as a page that needs no network
  retrygen explain --format html > retries.html

  # the decisions of a document without a configuration, for a program
  retrygen explain --spec openapi.yaml --format json`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := flags.validate(); err != nil {
				return err
			}
			return flags.run(names, cmd.OutOrStdout())
		},
	}
	flags.inputFlags.register(cmd)
	flags.formatFlag.register(cmd, "text", "markdown", "json", "html")
	cmd.Flags().BoolVar(&flags.partial, "partial", false, "leave out the operations that cannot be generated")
	return cmd
}

func (f explainFlags) run(names []string, stdout io.Writer) error {
	configs, err := f.load(anyPackage, "")
	if err != nil {
		return err
	}
	apis, err := gather(configs, func(c *config.Config) (*spec.API, error) { return load(c, f.partial) })
	if err != nil {
		return err
	}
	chosen, err := chooseOperations(apis, names)
	if err != nil {
		return err
	}
	r := &explain.Report{Format: 1, Packages: []*explain.Package{}}
	for i, api := range apis {
		if len(names) == 0 || len(chosen[i]) > 0 {
			r.Packages = append(r.Packages, explain.New(api, chosen[i]))
		}
	}
	out, err := f.render(r, stdout)
	if err != nil {
		return err
	}
	_, err = stdout.Write(out)
	return err
}

func (f explainFlags) render(r *explain.Report, stdout io.Writer) ([]byte, error) {
	switch f.format {
	case "json":
		return report.JSON(r)
	case "html":
		return r.HTML()
	case "markdown":
		return r.Markdown(), nil
	}
	return r.Text(coloured(stdout)), nil
}

// chooseOperations are the named operations of each API; all without names.
func chooseOperations(apis []*spec.API, names []string) ([][]*spec.Operation, error) {
	chosen := make([][]*spec.Operation, len(apis))
	found := make(map[string]bool, len(names))
	var known []string
	for i, api := range apis {
		for _, op := range api.Operations {
			own := operationNames(op)
			known = append(known, own...)
			named := len(names) == 0
			for _, name := range names {
				if slices.Contains(own, name) {
					named, found[name] = true, true
				}
			}
			if named {
				chosen[i] = append(chosen[i], op)
			}
		}
	}
	var missing source.Diagnostics
	for _, name := range names {
		if !found[name] {
			missing = append(missing, unknownOperation(name, known))
		}
	}
	return chosen, missing.Err()
}

// operationNames are the names by which a user may ask for an operation.
func operationNames(op *spec.Operation) []string {
	return []string{op.Name.Wire, op.Name.Go, op.Method + " " + op.Route}
}

func unknownOperation(name string, known []string) source.Diagnostic {
	return source.Diagnostic{
		Message: fmt.Sprintf("there is no operation %q", name),
		Fix:     source.DidYouMean(name, known, "retrygen explain without a name shows all"),
	}
}
