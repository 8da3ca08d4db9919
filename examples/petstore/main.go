// Petstore is a rental gateway that looks pets up at a provider and reserves
// them. It runs a handful of scenarios against a provider on loopback which fails
// as scripted, and prints what became of each call.
//
//	go run ./examples/petstore
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

//go:generate go run github.com/retrygen/retrygen/cmd/retrygen generate

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	rows, err := playAll(context.Background())
	if err != nil {
		return err
	}
	return printTable(os.Stdout, rows)
}

func playAll(ctx context.Context) (rows []result, err error) {
	for _, s := range scenarios {
		row, err := s.play(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func printTable(to io.Writer, rows []result) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SCENARIO\tCALLS\tATTEMPTS\tREAD BY PROVIDER\tEVIDENCE\tEFFECT\tSTOPPED BY\tOUTCOME\tWAITS")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%v\t%v\t%d %s\t%s\n", r.name, r.calls, r.attempts, r.requests,
			evidence(r.last), r.last.Effect, r.last.Reason, r.status, r.code, waits(r.last))
	}
	return w.Flush()
}

// evidence lists what is proven of each attempt, with its status.
func evidence(o runtime.Outcome) string {
	if len(o.Attempts) == 0 {
		return "-"
	}
	words := make([]string, len(o.Attempts))
	for i, a := range o.Attempts {
		words[i] = a.Evidence.String()
		if a.Status != 0 {
			words[i] = strconv.Itoa(a.Status)
			if a.Evidence == runtime.PartialResponse {
				words[i] += " cut"
			}
		}
	}
	return strings.Join(words, ", ")
}

// waits lists the backoff before each further attempt.
func waits(o runtime.Outcome) string {
	var words []string
	for _, a := range o.Attempts {
		if a.Delay > 0 {
			words = append(words, a.Delay.Round(time.Millisecond).String())
		}
	}
	if words == nil {
		return "-"
	}
	return strings.Join(words, ", ")
}
