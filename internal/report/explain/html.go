package explain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": report.Style,
	"line":  report.OneLine,
	"said":  said,
	"join":  func(list []string) string { return strings.Join(list, ", ") },
	"count": func(i int) int { return i + 1 },
}).Parse(pageSource))

// HTML is the report as one page that loads nothing.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, r)
	return b.Bytes(), err
}

// What the page shows of an operation besides its fields.

// ID is the fragment of an operation: Go names are unique in a package.
func (p *Package) ID(op *Operation) string { return p.Name + "-" + op.Method }

// Duration tells how long a call can take.
func (e *Operation) Duration() string { return e.duration() }

// Columns are the numbers of the attempts.
func (e *Operation) Columns() []int {
	columns := make([]int, e.Attempts)
	for i := range columns {
		columns[i] = i + 1
	}
	return columns
}

// pageRow is a row of the table of a page.
type pageRow struct {
	Answers []string
	Cells   []pageCell
}

type pageCell struct {
	*Cell
	Note int
	ID   string // of the note
}

// Grid is the table, and Notes are the causes that it refers to.
func (p *Package) Grid(op *Operation) []pageRow {
	notes := op.notes()
	rows := make([]pageRow, len(op.rows))
	for i, row := range op.rows {
		rows[i].Answers = row.answers
		for _, c := range row.cells {
			rows[i].Cells = append(rows[i].Cells, pageCell{c, notes.of(c), fmt.Sprintf("%s-note-%d", p.ID(op), notes.of(c))})
		}
	}
	return rows
}

// Notes are the causes of an operation's decisions, in the order of their
// numbers.
func (e *Operation) Notes() []string { return e.notes().list }

// Picture is the time line of a call.
func (e *Operation) Picture() picture { return draw(e) }
