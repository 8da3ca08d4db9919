package fleet

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/drill"
)

// table is numbers with a sentence that says of what.
type table struct {
	Title, Words string
	Head         []string
	Rows         [][]string
}

// Text is the report for a terminal.
func (r *Report) Text() []byte {
	var b bytes.Buffer
	for i, t := range r.tables() {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(t.Title + "\n" + report.Wrapped("", t.Words, 80) + "\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, row := range append([][]string{t.Head}, t.Rows...) {
			fmt.Fprintf(w, "%-14s\t%s\t\n", row[0], strings.Join(row[1:], "\t"))
		}
		_ = w.Flush() // to memory
	}
	return b.Bytes()
}

func (r *Report) tables() []table { return []table{r.scenarioTable(), r.sizeTable(), r.floorTable()} }

func (r *Report) scenarioTable() table {
	t := table{
		Title: "A thousand processes",
		Words: fmt.Sprintf("%d processes make %d calls a second together; their upstream can work on 1.3 times as much, and queues the rest. "+
			"Each process has a budget of its own, a tenth and no floor.", processes, rate),
		Head: []string{"scenario", "policy", "attempts per call", "retries, worst minute", "peak per second", "recovered", "succeeded"},
	}
	for _, s := range r.Scenarios {
		for i, run := range s.Runs {
			name := s.Name
			if i > 0 {
				name = ""
			}
			t.Rows = append(t.Rows, []string{name, string(run.Policy), fmt.Sprintf("%.3f", run.Amplification),
				fmt.Sprintf("%.3f", run.WorstWindow), fmt.Sprint(run.Peak), drill.Recovered(run.Recovered), fmt.Sprintf("%.1f%%", 100*float64(run.Successes)/float64(run.Calls))})
		}
	}
	return t
}

func (r *Report) sizeTable() table {
	t := table{
		Title: "The same calls by fewer processes",
		Words: fmt.Sprintf("A total outage, %d calls a second, no floor. A minute's retries are a tenth in any fleet. A second's are not where a process makes "+
			"fewer than ten calls in it: one retry a second is always allowed, until the tenth of the minute is spent.", rate),
		Head: []string{"processes", "retries per call, worst minute", "worst second", "peak per second"},
	}
	for _, s := range r.Sizes {
		t.Rows = append(t.Rows, []string{fmt.Sprint(s.Processes), fmt.Sprintf("%.3f", s.WorstWindow), fmt.Sprintf("%.3f", s.WorstSecond), fmt.Sprint(s.Peak)})
	}
	return t
}

func (r *Report) floorTable() table {
	t := table{
		Title: "Floors add up",
		Words: fmt.Sprintf("A total outage before %d processes whose budgets have a floor (min-per-window). The bound is the floor divided by the "+
			"calls that a process makes in a minute, or a tenth where that is larger; no floor lets a process send more than one retry a second.", processes),
		Head: []string{"calls/s each", "floor", "floors together, per second", "retries per call, worst minute", "bound"},
	}
	for _, f := range r.Floors {
		t.Rows = append(t.Rows, []string{fmt.Sprint(f.PerProcess), fmt.Sprint(f.Floor), fmt.Sprintf("%.0f", float64(processes*f.Floor)/window.Seconds()),
			fmt.Sprintf("%.3f", f.WorstWindow), fmt.Sprintf("%.3f", f.Bound)})
	}
	return t
}
