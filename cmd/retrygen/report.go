package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// errFindings ends a run that did its work and found something; what it found
// has been printed.
var errFindings = errors.New("findings")

// finish prints how a command ended and returns its exit code.
func finish(stderr io.Writer, err error, verbose bool) int {
	var found source.Diagnostics
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &found):
		printDiagnostics(stderr, found, "", verbose)
	default:
		fmt.Fprintln(stderr, source.Printable("retrygen: "+err.Error()))
	}
	return exitBadInput
}

// enough messages to see what is wrong; a document may have hundreds.
const enough = 20

// printDiagnostics prints one message per line, each way out indented below its
// message, and no more than enough of them unless all are wanted.
func printDiagnostics(w io.Writer, found source.Diagnostics, prefix string, all bool) {
	shown := found
	if !all && len(found) > enough {
		shown = found[:enough]
	}
	for _, one := range shown {
		one.Message = prefix + one.Message
		if one.Pos == (source.Pos{}) {
			one.Message = "retrygen: " + one.Message
		}
		fmt.Fprintln(w, source.Printable(one.Error()))
	}
	if more := len(found) - len(shown); more > 0 {
		fmt.Fprintf(w, "retrygen: %sand %d more; -v prints all\n", prefix, more)
	}
}
