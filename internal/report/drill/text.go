package drill

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/chart"
)

const textWidth = 80

// Text is the report for a terminal.
func (r *Report) Text(coloured bool) []byte {
	t := &text{Painter: report.Painter(coloured)}
	t.heading(fmt.Sprintf("%s: %s (%s)", r.Operation, r.Request, r.At))
	t.b.WriteString(report.Wrapped("", "Budget: "+r.Budget+".", textWidth))
	for _, sentence := range r.sentences() {
		t.b.WriteString(report.Wrapped("", sentence, textWidth))
	}
	t.b.WriteString("\n")
	t.table(r)
	for _, run := range r.Runs {
		t.b.WriteString("\n")
		t.heading(run.Policy)
		t.chart(r, run)
	}
	return t.b.Bytes()
}

// sentences tell the plan.
func (r *Report) sentences() []string {
	p := &r.Plan
	processes := "one process"
	if p.Processes > 1 {
		processes = fmt.Sprintf("%d processes", p.Processes)
	}
	return []string{
		fmt.Sprintf("Plan: %v calls a second of %s for %s (%s, seed %d); an answer takes %s; capacity: %s.",
			p.Rate, processes, report.Duration(r.plan.Length), p.Arrivals, p.Seed, p.Latency, p.Capacity),
		"Faults: " + cmp.Or(strings.Join(p.Faults, "; "), "none") + ".",
	}
}

// Row is a line of the table: what was measured, of each run.
type Row struct {
	Name  string
	Cells []string
}

// Rows are the table.
func (r *Report) Rows() []Row {
	rows := []Row{{Name: ""}, {Name: "calls"}, {Name: "succeeded"}, {Name: "ambiguous"}, {Name: "repeated in doubt"}, {Name: "attempts"}, {Name: "attempts per call"},
		{Name: "most attempts in a second"}, {Name: "retries per call, worst second"}, {Name: "retries per call, worst " + report.Duration(r.plan.Budget.BudgetWindow)}, {Name: "recovered after"}}
	for _, run := range r.Runs {
		for i, cell := range []string{
			run.Policy,
			fmt.Sprint(run.Calls),
			percent(float64(run.Successes) / float64(max(run.Calls, 1))),
			fmt.Sprint(run.Ambiguous),
			fmt.Sprint(run.InDoubt),
			fmt.Sprint(run.Attempts),
			fmt.Sprintf("%.3f", run.Amplification),
			fmt.Sprint(run.Peak),
			percent(run.WorstSecond),
			percent(run.WorstWindow),
			cmp.Or(run.Recovered, "-"),
		} {
			rows[i].Cells = append(rows[i].Cells, cell)
		}
	}
	return append(rows, r.failed()...)
}

// failed are the rows of reasons, in the order in which the runs have them.
func (r *Report) failed() (rows []Row) {
	index := map[string]int{}
	for i, run := range r.Runs {
		for _, f := range run.Failures {
			at, known := index[f.Reason]
			if !known {
				at = len(rows)
				index[f.Reason] = at
				rows = append(rows, Row{"ended by " + f.Reason, make([]string, len(r.Runs))})
			}
			rows[at].Cells[i] = fmt.Sprint(f.Calls)
		}
	}
	for _, row := range rows {
		for i, cell := range row.Cells {
			if cell == "" {
				row.Cells[i] = "0"
			}
		}
	}
	return rows
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

type text struct {
	report.Painter
	b bytes.Buffer
}

func (t *text) heading(title string) {
	wrapped := strings.TrimRight(report.Wrapped("", title, textWidth), "\n")
	t.b.WriteString(t.Paint(report.Bold, wrapped) + "\n")
}

func (t *text) table(r *Report) {
	table := tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range r.Rows() {
		fmt.Fprintf(table, "%-33s\t%s\t\n", row.Name, strings.Join(row.Cells, "\t"))
	}
	_ = table.Flush() // to memory
}

// Measures of the chart: a label, its largest value, and the seconds.
const (
	labelWidth = 24
	sparkWidth = textWidth - labelWidth
)

// chart is a line for each curve, on a scale of its own.
func (t *text) chart(r *Report, run *Run) {
	columns := min(sparkWidth, len(run.Seconds))
	curves := []struct {
		name, unit, colour string
		values             []float64
		top                float64
	}{
		{"first attempts", "/s", report.Blue, run.curve(func(s Second) float64 { return float64(s.Primary) }), 0},
		{"retries", "/s", report.Yellow, run.curve(func(s Second) float64 { return float64(s.Retry) }), 0},
		{"succeeded", "%", report.Green, run.successes(), 100},
		{"budget left", "", report.Faint, run.left(), 0},
	}
	for _, c := range curves {
		if c.values == nil {
			continue
		}
		values, top := chart.Reduced(c.values, columns), c.top
		for _, v := range values {
			top = max(top, v)
		}
		spark := strings.TrimRight(chart.Spark(values, max(top, 1)), " ")
		t.curve(fmt.Sprintf("%s %.0f%s", c.name, top, c.unit), c.colour, spark)
	}
	t.curve("fault", report.Red, r.troubled(columns))
}

func (t *text) curve(label, colour, spark string) {
	if spark != "" {
		label = fmt.Sprintf("%-*s%s", labelWidth-2, label, t.Paint(colour, spark))
	}
	t.b.WriteString("  " + label + "\n")
}

// troubled marks the columns with a fault, and thinly where it is there all the time.
func (r *Report) troubled(columns int) string {
	var b strings.Builder
	for i := range columns {
		from := time.Duration(i) * r.plan.Length / time.Duration(columns)
		to := time.Duration(i+1) * r.plan.Length / time.Duration(columns)
		b.WriteString(r.mark(from, to))
	}
	return b.String()
}

func (r *Report) mark(from, to time.Duration) string {
	mark := "·"
	for _, f := range r.plan.Faults {
		switch {
		case r.plan.Constant(f):
			mark = "─"
		case f.From < to && f.To > from:
			return "━"
		}
	}
	return mark
}

// curve is a value of each second.
func (r *Run) curve(value func(Second) float64) []float64 {
	values := make([]float64, len(r.Seconds))
	for i, s := range r.Seconds {
		values[i] = value(s)
	}
	return values
}

// successes are shares of the calls that began, in percent. A second without calls
// has that of the one before.
func (r *Run) successes() []float64 {
	share := 100.0
	return r.curve(func(s Second) float64 {
		if s.Primary > 0 {
			share = math.Round(1000*float64(s.Success)/float64(s.Primary)) / 10
		}
		return share
	})
}

// left is the budget; nil without one.
func (r *Run) left() []float64 {
	if len(r.Seconds) == 0 || r.Seconds[0].Left == nil {
		return nil
	}
	return r.curve(func(s Second) float64 { return float64(*s.Left) })
}
