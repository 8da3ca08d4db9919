// Generators times retrygen beside oapi-codegen and ogen: each as a whole process,
// over the documents of a folder, in turn, so that the noise of the machine meets
// all of them. A document counts where retrygen and another one have made a client.
// The floor is what kin-openapi takes to load the document.
//
//	go run ./generators FOLDER
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"text/tabwriter"
	"time"
)

// generator is a command that makes a client of a document.
type generator struct {
	name string
	path string
	args func(document, output string) []string
}

var generators = []generator{
	{name: "retrygen", path: "github.com/retrygen/retrygen/cmd/retrygen", args: func(document, output string) []string {
		return []string{"generate", "-q", "--spec", document, "--package", "client", "--output", output}
	}},
	{name: "oapi-codegen", path: "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen", args: func(document, output string) []string {
		return []string{"-generate", "types,client", "-package", "client", "-o", filepath.Join(output, "client.go"), document}
	}},
	{name: "ogen", path: "github.com/ogen-go/ogen/cmd/ogen", args: func(document, output string) []string {
		return []string{"--target", output, "--package", "client", "--clean", document}
	}},
	{name: "floor", path: "./generators/floor", args: func(document, _ string) []string { return []string{document} }},
}

// run is what the best of some runs has taken.
type run struct {
	took time.Duration
	peak int64 // KiB
	ok   bool
}

func main() {
	runs := flag.Int("runs", 3, "runs of each; the best counts")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("name one folder of documents")
	}
	bin, err := os.MkdirTemp("", "generators")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	for i := range generators {
		g := &generators[i]
		target := filepath.Join(bin, g.name)
		if err := build(g, target); err != nil {
			log.Fatal(err)
		}
		g.path = target
	}
	var documents []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*.json"} {
		found, err := filepath.Glob(filepath.Join(flag.Arg(0), pattern))
		if err != nil {
			log.Fatal(err)
		}
		documents = append(documents, found...)
	}
	report(documents, bin, *runs)
}

// build builds a command; those of others are tools of peers.mod.
func build(g *generator, target string) error {
	command := exec.Command("go", "build", "-o", target, g.path)
	switch g.name {
	case "retrygen":
		command.Dir = ".." // the module that it belongs to
	case "floor":
	default:
		command = exec.Command("go", "build", "-modfile=peers.mod", "-o", target, g.path)
	}
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", g.name, err, out)
	}
	return nil
}

func report(documents []string, bin string, runs int) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "document\tKiB\tretrygen\toapi-codegen\togen\tfaster by\tfloor\tMiB\toapi-codegen\togen\tfloor\t")
	var ours, theirs time.Duration
	for _, document := range documents {
		info, err := os.Stat(document)
		if err != nil {
			log.Fatal(err)
		}
		results := make([]run, len(generators))
		for range runs {
			for i, g := range generators {
				results[i] = better(results[i], once(g, document, bin))
			}
		}
		fastest := faster(results[1], results[2])
		ratio := "-"
		if results[0].ok && fastest.ok {
			ratio = fmt.Sprintf("%.1f", fastest.took.Seconds()/results[0].took.Seconds())
			ours, theirs = ours+results[0].took, theirs+fastest.took
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", filepath.Base(document), info.Size()>>10,
			results[0].seconds(), results[1].seconds(), results[2].seconds(), ratio, results[3].seconds(),
			results[0].mebibytes(), results[1].mebibytes(), results[2].mebibytes(), results[3].mebibytes())
	}
	if err := table.Flush(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\nin total, over the documents that another one handles: %.2f s, the faster of the others %.2f s: %.2f times\n",
		ours.Seconds(), theirs.Seconds(), theirs.Seconds()/ours.Seconds())
}

// once runs a generator in an empty folder, which has a go.mod: ogen formats as
// its module would.
func once(g generator, document, bin string) run {
	output, err := os.MkdirTemp(bin, "output")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(output) }()
	if err := os.WriteFile(filepath.Join(output, "go.mod"), []byte("module client\n\ngo 1.26\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	command := exec.Command(g.path, g.args(document, output)...)
	command.Dir = output
	start := time.Now()
	err = command.Run()
	r := run{took: time.Since(start), ok: err == nil}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = usage.Maxrss
	}
	return r
}

// better is the faster of two runs that succeeded, with the lower of two peaks.
func better(a, b run) run {
	if !a.ok || !b.ok {
		if a.ok {
			return a
		}
		return b
	}
	return run{min(a.took, b.took), min(a.peak, b.peak), true}
}

func faster(a, b run) run {
	switch {
	case !a.ok, b.ok && b.took < a.took:
		return b
	}
	return a
}

func (r run) seconds() string {
	if !r.ok {
		return "-"
	}
	return fmt.Sprintf("%.2f s", r.took.Seconds())
}

func (r run) mebibytes() string {
	if !r.ok {
		return "-"
	}
	return fmt.Sprint(r.peak >> 10)
}
