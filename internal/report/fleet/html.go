package fleet

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/chart"
	"github.com/retrygen/retrygen/internal/simulate"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":      report.Style,
	"chartStyle": chart.Style,
}).Parse(pageSource))

// HTML is the report as one page that loads nothing.
func (r *Report) HTML() ([]byte, error) {
	type section struct {
		Name, Words string
		Chart       template.HTML
	}
	data := struct {
		Tables   []table
		Sections []section
	}{Tables: r.tables()}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		drawn, err := s.chart().HTML()
		if err != nil {
			return nil, err
		}
		data.Sections = append(data.Sections, section{s.Name, s.Words, drawn})
	}
	var b bytes.Buffer
	err := page.Execute(&b, data)
	return b.Bytes(), err
}

// colours of the policies.
var colours = map[simulate.Policy]string{simulate.Contract: "blue", simulate.NoBudget: "orange", simulate.Naive: "red"}

func (s *Scenario) chart() chart.Chart {
	c := chart.Chart{Title: "Attempts per second, of all processes", Length: s.Length}
	for _, f := range s.Faults {
		c.Shades = append(c.Shades, chart.Shade{From: f.From, To: f.To})
	}
	for _, run := range s.Runs {
		curve := chart.Curve{Name: string(run.Policy), Colour: colours[run.Policy]}
		for _, second := range run.Seconds {
			curve.Values = append(curve.Values, float64(second.Primary+second.Retry))
		}
		c.Curves = append(c.Curves, curve)
	}
	return c
}
