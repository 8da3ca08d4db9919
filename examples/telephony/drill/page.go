package drill

import (
	_ "embed"
	"html/template"
	"io"
	"time"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// WritePage writes reports as one HTML page that needs nothing but itself.
func WritePage(w io.Writer, reports []Report) error {
	type legend struct {
		Name   string
		Colour colour
	}
	type picture struct {
		Title  string
		Unit   string
		Legend []legend
		SVG    template.HTML
	}
	type drawn struct {
		Report
		Charts []picture
	}
	var all []drawn
	for _, r := range reports {
		d := drawn{Report: r}
		for _, c := range r.charts() {
			svg, err := c.svg(r.Plan)
			if err != nil {
				return err
			}
			pic := picture{Title: c.title, Unit: c.unit, SVG: svg}
			for _, line := range c.curves {
				pic.Legend = append(pic.Legend, legend{line.name, line.colour})
			}
			if c.limit > 0 {
				pic.Legend = append(pic.Legend, legend{c.limitName, "red"})
			}
			d.Charts = append(d.Charts, pic)
		}
		all = append(all, d)
	}
	return page.Execute(w, all)
}

func (r *Report) charts() []chart {
	curveOf := func(value func(Second) float64) (values []float64) {
		for _, s := range r.Seconds {
			values = append(values, value(s))
		}
		return values
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return []chart{
		{title: "Attempts", unit: "per second", curves: []curve{
			{"total", "grey", curveOf(func(s Second) float64 { return float64(s.Primary + s.Retry) })},
			{"primary", "blue", curveOf(func(s Second) float64 { return float64(s.Primary) })},
			{"retry", "orange", curveOf(func(s Second) float64 { return float64(s.Retry) })},
		}},
		{title: "Retry budget", unit: "retries left", curves: []curve{
			{"budget", "orange", curveOf(func(s Second) float64 { return float64(s.Budget) })},
		}},
		{title: "Success", unit: "% of logins", curves: []curve{
			{"success", "blue", curveOf(func(s Second) float64 { return 100 * s.Success })},
		}},
		{title: "Latency", unit: "milliseconds", limit: ms(SLA), limitName: "SLA of p95", curves: []curve{
			{"p50", "blue", curveOf(func(s Second) float64 { return ms(s.P50) })},
			{"p95", "orange", curveOf(func(s Second) float64 { return ms(s.P95) })},
		}},
	}
}
