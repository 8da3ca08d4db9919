package drill

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/chart"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"line":       report.OneLine,
	"style":      report.Style,
	"chartStyle": chart.Style,
}).Parse(pageSource))

// HTML is the report as one page that loads nothing.
func (r *Report) HTML() ([]byte, error) {
	type section struct {
		Policy string
		Charts []template.HTML
	}
	data := struct {
		*Report
		Sentences []string
		Table     []Row
		Sections  []section
	}{r, r.sentences(), r.Rows(), nil}
	for _, run := range r.Runs {
		s := section{Policy: run.Policy}
		for _, c := range r.charts(run) {
			drawn, err := c.HTML()
			if err != nil {
				return nil, err
			}
			s.Charts = append(s.Charts, drawn)
		}
		data.Sections = append(data.Sections, s)
	}
	var b bytes.Buffer
	err := page.Execute(&b, data)
	return b.Bytes(), err
}

func (r *Report) charts(run *Run) []chart.Chart {
	charts := []chart.Chart{
		{Title: "Attempts per second", Top: r.most(), Curves: []chart.Curve{
			{Name: "all", Colour: "grey", Values: run.curve(func(s Second) float64 { return float64(s.Primary + s.Retry) })},
			{Name: "first attempts", Colour: "blue", Values: run.curve(func(s Second) float64 { return float64(s.Primary) })},
			{Name: "retries", Colour: "orange", Values: run.curve(func(s Second) float64 { return float64(s.Retry) })},
		}},
		{Title: "Calls that succeed, % of those that begin in a second", Top: 105, Curves: []chart.Curve{
			{Name: "succeeded", Colour: "blue", Values: run.successes()},
		}},
	}
	if left := run.left(); left != nil {
		charts = append(charts, chart.Chart{Title: "Retries that the budget could still pay", Curves: []chart.Curve{
			{Name: "budget left", Colour: "orange", Values: left},
		}})
	}
	for i := range charts {
		charts[i].Length = r.plan.Length
		for _, f := range r.plan.Faults {
			if !r.plan.Constant(f) {
				charts[i].Shades = append(charts[i].Shades, chart.Shade{From: f.From, To: f.To})
			}
		}
	}
	return charts
}

// most is what the attempts of every second fit below: all policies are drawn on one
// scale.
func (r *Report) most() float64 {
	most := 1.0
	for _, run := range r.Runs {
		for _, s := range run.Seconds {
			most = max(most, float64(s.Primary+s.Retry))
		}
	}
	return 1.08 * most
}
