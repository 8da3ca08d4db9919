package explain

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retrygen/retrygen/internal/report"
)

// colours of verdicts on a terminal.
var colours = map[string]string{"permit": report.Green, "denied": report.Red, "ambiguous": report.Yellow, "success": report.Green}

// Text is the report for a terminal.
func (r *Report) Text(coloured bool) []byte {
	t := &text{Painter: report.Painter(coloured)}
	for i, p := range r.Packages {
		if i > 0 {
			t.b.WriteString("\n\n")
		}
		t.heading(fmt.Sprintf("Package %s: %s", p.Name, strings.TrimSpace(p.Title+" "+p.Version)))
		t.wrapped("", "Budget: "+p.Budget+".")
		t.values(p.Upstream)
		for _, op := range p.Operations {
			t.operation(op)
		}
	}
	return t.b.Bytes()
}

type text struct {
	report.Painter
	b bytes.Buffer
}

func (t *text) line(line string) { t.b.WriteString(strings.TrimRight(line, " ") + "\n") }

func (t *text) heading(title string) {
	t.line(t.Paint(report.Bold, report.OneLine(title)))
}

const textWidth = 100

// wrapped prints a sentence on lines of a bounded width.
func (t *text) wrapped(indent, sentence string) {
	t.b.WriteString(report.Wrapped(indent, sentence, textWidth))
}

func (t *text) operation(op *Operation) {
	t.line("")
	t.heading(fmt.Sprintf("%s: %s (%s)", op.Name, op.Request, op.At))
	t.line("")
	for _, sentence := range op.Words {
		t.wrapped("  ", sentence)
	}
	t.line("")
	t.values(op.Contract)
	t.line("")
	t.grid(op)
	t.line("")
	t.timeline(op)
}

// values are aligned: this is for reading, not for comparing.
func (t *text) values(list []Value) {
	rows := make([][]string, len(list))
	for i, v := range list {
		rows[i] = []string{"  " + v.Key, report.OneLine(v.Value), report.OneLine(said(v))}
	}
	t.table(rows, nil)
}

func said(v Value) string {
	if v.At == "" {
		return v.By
	}
	return v.At
}

func (t *text) grid(op *Operation) {
	notes := op.notes()
	head := []string{"  answer"}
	for attempt := range op.Attempts {
		head = append(head, fmt.Sprintf("after attempt %d", attempt+1))
	}
	rows, verdicts := [][]string{head}, [][]string{nil}
	for _, r := range op.rows {
		for i, answer := range r.answers {
			row, verdict := []string{"  " + answer}, []string{""}
			for _, c := range r.cells {
				cell := "\""
				if i == 0 {
					cell = fmt.Sprintf("%s [%d]", c.Short(), notes.of(c))
				}
				row, verdict = append(row, cell), append(verdict, c.Verdict)
			}
			rows, verdicts = append(rows, row), append(verdicts, verdict)
		}
	}
	t.table(rows, verdicts)
	t.line("")
	for i, note := range notes.list {
		t.wrapped("  ", fmt.Sprintf("[%d] %s", i+1, note))
	}
}

// timeline is when each attempt can begin and end.
func (t *text) timeline(op *Operation) {
	rows := [][]string{{"  attempt", "waits before", "begins", "ends"}}
	for i, s := range op.Timeline.Attempts {
		rows = append(rows, []string{"  " + fmt.Sprint(i+1), s.waits(), s.begins(), s.ends()})
	}
	t.table(rows, nil)
	t.wrapped("  ", op.duration())
}

// table pads all columns but the last. verdicts are those of the cells.
func (t *text) table(rows, verdicts [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			padding := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2)
			if verdicts != nil && verdicts[i] != nil {
				cell = t.Paint(colours[verdicts[i][j]], cell)
			}
			line.WriteString(cell + padding)
		}
		t.line(line.String())
	}
}
