// Command retrygen generates Go clients from OpenAPI documents whose operations
// say when they may be repeated.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitDone     = 0
	exitFindings = 1 // the run did its work and found something
	exitBadInput = 2 // it could not do its work
)

// run is the whole command with its streams as parameters.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return guarded(stderr, func() int {
		err := root.Execute()
		verbose, _ := root.PersistentFlags().GetBool("verbose")
		return finish(stderr, err, verbose)
	})
}

// guarded turns a panic into a message: a fault of ours must not look like a
// fault of the user's document.
func guarded(stderr io.Writer, command func() int) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(stderr, "retrygen: internal fault: %v\nNothing is wrong with your input that we know of; please report this:\n%s", fault, debug.Stack())
			code = exitBadInput
		}
	}()
	return command()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "retrygen",
		Short: "Generate Go clients that know which calls may be repeated",
		Long: `retrygen generates a typed Go client from an OpenAPI document. The document
says which operations may be repeated, and the client repeats those alone.`,
		Example: `  # the files that a client of openapi.yaml begins with
  retrygen init openapi.yaml

  # a client of openapi.yaml in the folder pets
  retrygen generate --spec openapi.yaml --package pets --output pets

  # what a configuration may say
  retrygen generate --help`,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd.Flags()) },

		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().BoolP("quiet", "q", false, "print nothing but what is wrong")
	root.PersistentFlags().BoolP("verbose", "v", false, "print each step, each file and all that is wrong")
	root.AddCommand(newCompletion(), newDiff(), newDrill(), newExplain(), newGenerate(), newInit(), newLint(), newSchema(), newSuggest(),
		newVersion())
	return root
}
