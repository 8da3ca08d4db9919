package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
)

// gridRow is a row of the table for people: answers that are decided alike, for
// the same reasons, and a cell for each attempt.
type gridRow struct {
	answers []string
	cells   []*Cell
}

// grid joins rows that say the same. cells has them row by row.
func grid(cells []*Cell, attempts int) (rows []gridRow) {
	for row := range slices.Chunk(cells, attempts) {
		i := slices.IndexFunc(rows, func(r gridRow) bool { return slices.EqualFunc(r.cells, row, alike) })
		if i < 0 {
			rows = append(rows, gridRow{[]string{row[0].Answer}, row})
			continue
		}
		rows[i].answers = append(rows[i].answers, row[0].Answer)
	}
	for i := range rows {
		rows[i].answers = report.Plainest(rows[i].answers)
	}
	return rows
}

func alike(a, b *Cell) bool {
	return a.Verdict == b.Verdict && a.Reason == b.Reason && a.Refresh == b.Refresh &&
		a.least == b.least && a.most == b.most && a.Cut == b.Cut &&
		slices.Equal(a.Rules, b.Rules) && slices.Equal(a.Because, b.Because)
}

// Short is a cell in a few words.
func (c *Cell) Short() string {
	switch c.Verdict {
	case "success":
		return "success"
	case "ambiguous":
		return "ambiguous"
	case "denied":
		return "denied " + c.Reason
	}
	verb := "retry "
	if c.Refresh {
		verb = "refresh and retry "
	}
	return verb + c.wait()
}

func (c *Cell) wait() string {
	most := report.Duration(c.most)
	if c.Cut {
		most = "deadline"
	}
	if c.least == c.most {
		return most
	}
	return fmt.Sprintf("%s–%s", report.Duration(c.least), most)
}

// Cause is why, in one line.
func (c *Cell) Cause() string {
	parts := slices.Clone(c.Rules)
	for _, v := range c.Because {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "; ")
}

// notes numbers the causes of an operation in the order in which they are met.
type notes struct {
	numbers map[string]int
	list    []string
}

func (e *Operation) notes() *notes {
	n := &notes{numbers: map[string]int{}}
	for _, row := range e.rows {
		for _, c := range row.cells {
			if n.numbers[c.Cause()] == 0 {
				n.list = append(n.list, c.Cause())
				n.numbers[c.Cause()] = len(n.list)
			}
		}
	}
	return n
}

func (n *notes) of(c *Cell) int { return n.numbers[c.Cause()] }
