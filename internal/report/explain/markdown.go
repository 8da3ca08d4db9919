package explain

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
)

// Markdown is the report for a page of a code host.
func (r *Report) Markdown() []byte {
	var b bytes.Buffer
	for _, p := range r.Packages {
		fmt.Fprintf(&b, "# Package %s\n\n%s\n\n", p.Name, report.Code(p.Title+" "+p.Version))
		fmt.Fprintf(&b, "Budget: %s.\n\n", p.Budget)
		markdownValues(&b, p.Upstream)
		for _, op := range p.Operations {
			op.markdown(&b)
		}
	}
	return b.Bytes()
}

func markdownValues(b *bytes.Buffer, list []Value) {
	b.WriteString(report.TableHead("value", "", "said by"))
	for _, v := range list {
		by := v.By
		if v.At != "" {
			by = report.Code(v.At)
		}
		b.WriteString(report.TableRow(v.Key, report.Code(v.Value), by))
	}
	b.WriteString("\n")
}

func (e *Operation) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "## %s\n\n%s, %s\n\n", report.Code(e.Name), report.Code(e.Request), report.Code(e.At))
	for _, sentence := range e.Words {
		fmt.Fprintf(b, "- %s\n", report.Prose(sentence))
	}
	b.WriteString("\n")
	markdownValues(b, e.Contract)
	notes := e.notes()
	head := []string{"answer"}
	for attempt := range e.Attempts {
		head = append(head, fmt.Sprintf("after attempt %d", attempt+1))
	}
	b.WriteString(report.TableHead(head...))
	for _, row := range e.rows {
		cells := []string{strings.Join(row.answers, ", ")}
		for _, c := range row.cells {
			cells = append(cells, fmt.Sprintf("%s%s (%d)", marks[c.Verdict], c.Short(), notes.of(c)))
		}
		b.WriteString(report.TableRow(cells...))
	}
	b.WriteString("\n")
	for i, note := range notes.list {
		fmt.Fprintf(b, "%d. %s\n", i+1, report.Code(note))
	}
	b.WriteString("\n" + report.TableHead("attempt", "waits before", "begins", "ends"))
	for i, s := range e.Timeline.Attempts {
		b.WriteString(report.TableRow(fmt.Sprint(i+1), s.waits(), s.begins(), s.ends()))
	}
	fmt.Fprintf(b, "\n%s\n\n", e.duration())
}

// marks show a verdict at first sight.
var marks = map[string]string{"permit": "🔁 ", "denied": "⛔ ", "ambiguous": "❓ ", "success": "✅ "}
