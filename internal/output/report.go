package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// bounds of a report, in lines and characters.
const (
	around   = 3   // unchanged lines shown around a change
	perFile  = 30  // lines shown of one file's difference
	lineSize = 160 // characters shown of one line
)

// Report names every file that is not as it shall be, each stale one with the
// beginning of its difference.
func (p Plans) Report(w io.Writer) {
	for _, plan := range p {
		for _, change := range plan.Changes {
			name := display(plan.Dir, change.Name)
			switch change.Kind {
			case Create:
				fmt.Fprintf(w, "%s: missing\n", name)
			case Delete:
				fmt.Fprintf(w, "%s: left over, nothing generates it any more\n", name)
			case Replace:
				fmt.Fprintf(w, "%s: stale\n", name)
				printDifference(w, difference(change.Old, change.New))
			}
		}
	}
}

// List names every change.
func (p Plans) List(w io.Writer) {
	for _, plan := range p {
		for _, change := range plan.Changes {
			fmt.Fprintf(w, "%s %s\n", change.Kind, display(plan.Dir, change.Name))
		}
	}
}

// String counts what happens in the folder.
func (p *Plan) String() string {
	var counts [Delete + 1]int
	for _, change := range p.Changes {
		counts[change.Kind]++
	}
	var parts []string
	for kind, verb := range []string{"created", "replaced", "deleted"} {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verb))
		}
	}
	if p.Same > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", p.Same))
	}
	if parts == nil {
		parts = []string{"nothing to generate"}
	}
	return display(p.Dir, "") + ": " + strings.Join(parts, ", ")
}

// printDifference prints hunks in the unified form, up to a bound.
func printDifference(w io.Writer, edits []edit) {
	shown := 0
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		next := changedFrom(edits, i)
		if next == len(edits) {
			return
		}
		if shown >= perFile {
			fmt.Fprintf(w, "\t... and %d more changed lines\n", changed(edits[i:]))
			return
		}
		begin := max(i, next-around)
		oldLine, newLine = oldLine+begin-i, newLine+begin-i
		end := hunkEnd(edits, next)
		hunk := edits[begin:end]
		if room := perFile - shown; len(hunk) > room {
			hunk = hunk[:room]
			end = begin + room
		}
		before, after := sides(hunk)
		fmt.Fprintf(w, "\t@@ -%d,%d +%d,%d @@\n", oldLine, before, newLine, after)
		for _, e := range hunk {
			fmt.Fprintf(w, "\t%c%s\n", e.op, printable(e.text))
		}
		oldLine, newLine = oldLine+before, newLine+after
		shown += len(hunk)
		i = end
	}
}

// changedFrom is the index of the next changed line; len(edits) without one.
func changedFrom(edits []edit, i int) int {
	for i < len(edits) && edits[i].op == ' ' {
		i++
	}
	return i
}

// hunkEnd is where the hunk of a changed line ends: changes that are near share
// one.
func hunkEnd(edits []edit, i int) int {
	for {
		for i < len(edits) && edits[i].op != ' ' {
			i++
		}
		next := changedFrom(edits, i)
		if next == len(edits) || next-i > 2*around {
			return min(i+around, len(edits))
		}
		i = next
	}
}

func changed(edits []edit) (n int) {
	for _, e := range edits {
		if e.op != ' ' {
			n++
		}
	}
	return n
}

// sides counts the lines of a hunk in the old and in the new text.
func sides(hunk []edit) (before, after int) {
	for _, e := range hunk {
		if e.op != '+' {
			before++
		}
		if e.op != '-' {
			after++
		}
	}
	return before, after
}

// printable is a line that cannot control a terminal, and is not endless.
func printable(line string) string {
	line = source.Printable(strings.TrimSuffix(line, "\n"))
	if runes := []rune(line); len(runes) > lineSize {
		return string(runes[:lineSize]) + "..."
	}
	return line
}
