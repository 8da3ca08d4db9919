// Command fleet rehearses outages before a thousand processes, prints what they do to
// their upstream together, and writes a page about it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/retrygen/retrygen/internal/report/fleet"
)

func main() {
	out := flag.String("out", "fleet-report", "`folder` of the page")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	r, err := fleet.Rehearse()
	if err != nil {
		return err
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, "index.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		return err
	}
	_, err = fmt.Printf("%s\nplots: %s\n", r.Text(), file)
	return err
}
