// Command drill rehearses an outage of the provider on loopback (MC-RT-01), prints
// what it has shown, and writes a report as JSON and as a page:
//
//	go run ./cmd/drill --out drill-report
//
// It ends with status 1 if a bound was broken.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/retrygen/retrygen/examples/telephony/drill"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "drill:", err)
		os.Exit(1)
	}
}

// drills are those that the command knows, by name.
var drills = []struct {
	name string
	plan func() drill.Plan
}{
	{"http1", drill.Standard},
	{"http2", drill.OverHTTP2},
	{"half", drill.Half},
	{"short", drill.Short},
}

func run(ctx context.Context, args []string, out, usage io.Writer) error {
	var names []string
	for _, d := range drills {
		names = append(names, d.name)
	}
	flags := flag.NewFlagSet("drill", flag.ContinueOnError)
	flags.SetOutput(usage)
	folder := flags.String("out", "drill-report", "`folder` of the report")
	wanted := flags.String("drills", "http1,http2", "`names` of the drills, of "+strings.Join(names, ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	plans, err := plansOf(*wanted, names)
	if err != nil {
		return err
	}
	reports, err := rehearse(ctx, plans, out)
	if err != nil {
		return err
	}
	if err := write(*folder, reports); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nreport: %s\n", filepath.Join(*folder, "index.html"))
	for _, r := range reports {
		if !r.OK() {
			return fmt.Errorf("%s: a bound was broken", r.Plan.Name)
		}
	}
	return nil
}

func plansOf(wanted string, names []string) (plans []drill.Plan, err error) {
next:
	for name := range strings.SplitSeq(wanted, ",") {
		for _, d := range drills {
			if d.name == name {
				plans = append(plans, d.plan())
				continue next
			}
		}
		return nil, fmt.Errorf("--drills: there is no %q, but %s", name, strings.Join(names, ", "))
	}
	return plans, nil
}

// rehearse holds one drill after the other, each with stores of its own.
func rehearse(ctx context.Context, plans []drill.Plan, out io.Writer) (reports []drill.Report, err error) {
	for _, p := range plans {
		fmt.Fprintf(out, "%s: %d logins per second for %v\n", p.Name, p.Rate, p.Length)
		stores, err := os.MkdirTemp("", "drill-")
		if err != nil {
			return nil, err
		}
		report, err := drill.Run(ctx, p, drill.Loopback{}, stores, slog.New(slog.DiscardHandler))
		_ = os.RemoveAll(stores)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := report.WriteText(out); err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}

func write(folder string, reports []drill.Report) error {
	var page bytes.Buffer
	if err := drill.WritePage(&page, reports); err != nil {
		return err
	}
	data, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "report.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(folder, "index.html"), page.Bytes(), 0o644),
	)
}
