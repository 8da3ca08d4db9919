package drill

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// WriteText writes what a terminal has room for.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	totals := r.Totals
	fmt.Fprintf(t, "  logins\t%d, of which %d sent\n", totals.Logins, totals.Successes)
	fmt.Fprintf(t, "  attempts\t%d, of which %d retries: %.3f per login\n", totals.Attempts, totals.Retries, totals.Amplification)
	fmt.Fprintf(t, "  peak\t%d attempts in a second, %d in any\n", totals.PeakSecond, totals.PeakTrailing)
	for _, p := range r.Phases {
		fmt.Fprintf(t, "  %s, %v to %v\t%.1f%% sent, p50 %v, p95 %v\n", p.Name, p.From, p.To, 100*p.Success,
			p.P50.Round(time.Millisecond), p.P95.Round(time.Millisecond))
	}
	for _, c := range r.Checks {
		verdict := "held"
		if !c.OK {
			verdict = "BROKEN"
		}
		fmt.Fprintf(t, "  %s\t%s: %s, want %s\n", verdict, c.Name, c.Got, c.Want)
	}
	return t.Flush()
}
