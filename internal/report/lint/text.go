package lint

import (
	"fmt"
	"io"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// TextOptions say how findings are shown to people.
type TextOptions struct {
	Colour  bool
	Brief   bool // findings alone
	Verbose bool // what is ignored, too, and why each rule matters every time
}

// WriteText writes findings for people: each at its place, how to mend it below,
// and why it matters where a rule is met for the first time.
func (r Report) WriteText(w io.Writer, options TextOptions) error {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(fmt.Sprintf(format, args...) + "\n") }
	explained := map[*Rule]bool{}
	colour := report.Painter(options.Colour)
	paint := func(sequence, text string) string { return colour.Paint(sequence, source.Printable(text)) }
	for _, f := range r.Findings {
		place := ""
		if f.Pos != (source.Pos{}) {
			place = paint(report.Bold, f.Pos.String()+":") + " "
		}
		severity := paint(colours[f.Rule.Severity], string(f.Rule.Severity)+":")
		line("%s%s %s %s", place, severity, source.Printable(f.Text()), paint(report.Faint, "["+f.Rule.Name+"]"))
		if !options.Brief && (options.Verbose || !explained[f.Rule]) {
			explained[f.Rule] = true
			line("\twhy: %s", f.Rule.Why)
		}
		line("\tfix: %s", source.Printable(f.Fix))
	}
	if options.Verbose {
		for _, f := range r.Ignored {
			line("%s", source.Printable(fmt.Sprintf("%s: ignored: %s [%s]\n\tbecause: %s", f.Pos, f.Text(), f.Rule.Name, f.Reason)))
		}
	}
	if !options.Brief {
		line("%s", r.summary())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is "2 errors, 1 warning, 3 ignored".
func (r Report) summary() string {
	var parts []string
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	count(r.Count(Error), "error", "errors")
	count(r.Count(Warning), "warning", "warnings")
	count(r.Count(Info), "info", "infos")
	if len(parts) == 0 {
		parts = append(parts, "no findings")
	}
	count(len(r.Ignored), "ignored", "ignored")
	return strings.Join(parts, ", ")
}

var colours = map[Severity]string{Error: report.Red, Warning: report.Yellow, Info: report.Blue}
