package diff

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
)

// colours of classes on a terminal.
var colours = map[Class]string{Loosened: report.BoldRed, Tightened: report.Green}

// Text is the report for a terminal.
func (r *Report) Text(coloured bool) []byte {
	t := &text{Painter: report.Painter(coloured)}
	fmt.Fprintf(&t.b, "%s\n", report.OneLine(r.Summary()))
	for _, p := range r.Packages {
		if len(p.Upstream)+len(p.Operations) == 0 {
			continue
		}
		if len(r.Packages) > 1 {
			fmt.Fprintf(&t.b, "\npackage %s\n", p.Name)
		}
		if len(p.Upstream) > 0 {
			t.b.WriteString("\nupstream\n")
			t.changes(p.Upstream)
		}
		for _, op := range p.Operations {
			mark := op.Kind
			if op.Kind == "changed" {
				mark = t.class(op.Class)
			}
			fmt.Fprintf(&t.b, "\n%s (%s): %s\n", report.OneLine(op.Name), report.OneLine(op.Request), mark)
			t.changes(op.Contract)
			t.changes(op.Signature)
		}
	}
	return t.b.Bytes()
}

type text struct {
	report.Painter
	b bytes.Buffer
}

func (t *text) class(class Class) string { return t.Paint(colours[class], string(class)) }

func (t *text) changes(list []Change) {
	for _, c := range list {
		fmt.Fprintf(&t.b, "  %s\n", report.OneLine(fmt.Sprintf("%s: %s -> %s%s", c.Key, c.Old, c.New, c.places())))
		for _, e := range c.Effects {
			fmt.Fprintf(&t.b, "    %s: %s\n", t.class(e.Class), report.OneLine(e.Words))
		}
	}
}

// places are where the two values are said.
func (c *Change) places() string {
	said := func(at string) string {
		if at == "" {
			return "default"
		}
		return at
	}
	if c.OldAt == "" && c.NewAt == "" {
		return ""
	}
	return fmt.Sprintf(" (%s -> %s)", said(c.OldAt), said(c.NewAt))
}

// Summary is the report in one line.
func (r *Report) Summary() string {
	counts := map[string]int{}
	for _, p := range r.Packages {
		for _, op := range p.Operations {
			counts[kindOf(op)]++
		}
		if len(p.Upstream) > 0 {
			counts["upstream "+string(classOf(p.Upstream))]++
		}
	}
	var parts []string
	for _, kind := range []string{"loosened", "upstream loosened", "tightened", "upstream tightened", "neutral", "upstream neutral", "added", "removed"} {
		if counts[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	if parts == nil {
		return fmt.Sprintf("%s -> %s: no change", r.Old, r.New)
	}
	return fmt.Sprintf("%s -> %s: %s", r.Old, r.New, strings.Join(parts, ", "))
}

func kindOf(op *Operation) string {
	if op.Kind == "changed" {
		return string(op.Class)
	}
	return op.Kind
}
