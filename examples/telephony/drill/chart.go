package drill

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// chart is a picture of curves over the seconds of a drill.
type chart struct {
	title  string
	unit   string
	curves []curve
	// limit is a line across; 0 draws none.
	limit     float64
	limitName string
}

type curve struct {
	name   string
	colour colour
	values []float64 // one per second
}

// colour is one of the page's: its style sheet has it by the same name.
type colour string

var colours = map[colour]color.RGBA{
	"blue":   {R: 0x2f, G: 0x6f, B: 0xeb, A: 0xff},
	"orange": {R: 0xd9, G: 0x77, B: 0x06, A: 0xff},
	"grey":   {R: 0x57, G: 0x60, B: 0x6a, A: 0xff},
	"red":    {R: 0xa4, G: 0x0e, B: 0x26, A: 0xff},
	"pink":   {R: 0xff, G: 0xeb, B: 0xe9, A: 0xff},
}

const chartWidth, chartHeight = 24 * vg.Centimeter, 7 * vg.Centimeter

// svg draws the chart, with the time of the fault shaded.
func (c chart) svg(p Plan) (template.HTML, error) {
	pl := plot.New()
	pl.X.Min, pl.X.Max = 0, p.Length.Seconds()
	pl.Y.Min, pl.Y.Max = 0, 1.08*c.top()
	pl.X.Tick.Marker = everySeconds(p.Length.Seconds())
	pl.Add(plotter.NewGrid())

	fault, err := plotter.NewPolygon(plotter.XYs{
		{X: p.FaultFrom.Seconds(), Y: 0}, {X: p.FaultFrom.Seconds(), Y: pl.Y.Max},
		{X: p.FaultTo.Seconds(), Y: pl.Y.Max}, {X: p.FaultTo.Seconds(), Y: 0},
	})
	if err != nil {
		return "", err
	}
	fault.Color, fault.LineStyle.Width = colours["pink"], 0
	pl.Add(fault)
	for _, curve := range c.curves {
		line, err := plotter.NewLine(points(curve.values))
		if err != nil {
			return "", fmt.Errorf("%s: %w", curve.name, err)
		}
		line.Color, line.Width = colours[curve.colour], vg.Points(1.5)
		pl.Add(line)
	}
	if c.limit > 0 {
		line := plotter.NewFunction(func(float64) float64 { return c.limit })
		line.Color, line.Dashes = colours["red"], []vg.Length{vg.Points(4), vg.Points(3)}
		pl.Add(line)
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	pl.Draw(draw.Crop(draw.New(canvas), 0, -vg.Centimeter/2, 0, 0)) // room for the last label
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", err
	}
	_, drawing, _ := bytes.Cut(out.Bytes(), []byte("<svg"))
	return template.HTML("<svg" + string(drawing)), nil //nolint:gosec // it holds our own titles and numbers
}

// everySeconds marks about ten round instants.
func everySeconds(length float64) plot.ConstantTicks {
	step := 1.0
	for _, wider := range []float64{2, 5, 10, 20, 60} {
		if length/step > 16 {
			step = wider
		}
	}
	var ticks plot.ConstantTicks
	for at := 0.0; at <= length; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'f', -1, 64)})
	}
	return ticks
}

func (c chart) top() float64 {
	top := max(c.limit, 1)
	for _, curve := range c.curves {
		for _, v := range curve.values {
			top = max(top, v)
		}
	}
	return top
}

// points are in the middle of their seconds.
func points(values []float64) plotter.XYs {
	xys := make(plotter.XYs, len(values))
	for i, v := range values {
		xys[i] = plotter.XY{X: float64(i) + 0.5, Y: v}
	}
	return xys
}
