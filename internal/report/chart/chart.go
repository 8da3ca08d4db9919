// Package chart draws curves over the seconds of a rehearsal: as an SVG image of a
// page, and as a line of a terminal.
package chart

import (
	"bytes"
	_ "embed"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/report"
)

// Chart is a picture of curves.
type Chart struct {
	Title  string
	Length time.Duration // of the time, which runs to the right
	Curves []Curve
	Shades []Shade
	// Top is the upper end of the values; 0 takes one that all curves fit below.
	Top float64
}

// Curve is a line, with a value for each second.
type Curve struct {
	Name   string
	Colour string // "blue", "orange", "red" or "grey"
	Values []float64
}

// Shade is a part of the time in which there is trouble.
type Shade struct{ From, To time.Duration }

//go:embed chart.html
var source string

var tmpl = template.Must(template.New("chart").Parse(source))

// HTML is the chart with its title and legend. Pages need [Style] for it.
func (c Chart) HTML() (template.HTML, error) {
	var b bytes.Buffer
	err := tmpl.Execute(&b, draw(c))
	return template.HTML(b.String()), err //nolint:gosec // a template has escaped it
}

// Style is what a page needs besides [report.Style].
func Style() template.CSS { return style }

const style template.CSS = `svg polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
polyline.blue { stroke: var(--blue); } polyline.orange { stroke: var(--orange); } polyline.red { stroke: var(--red); stroke-dasharray: 7 4; } polyline.grey { stroke: var(--quiet); }
.legend .blue { background: var(--blue); } .legend .orange { background: var(--orange); } .legend .red { background: var(--red); } .legend .grey { background: var(--quiet); }
.shade { fill: var(--pink); opacity: .45; } .legend .shaded { background: var(--pink); }
`

// Measures of the image.
const (
	width, height = 800, 230
	left, right   = 74, 776
	top, bottom   = 16, 200
	mostPoints    = 350 // of a curve: one for two pixels
)

// picture is a chart as its template needs it.
type picture struct {
	Chart
	Width, Height            int
	Left, Right, Top, Bottom int
	Tall, LevelX, TickY      int
	Lines                    []line
	Bars                     []bar
	Times, Levels            []tick
}

type line struct{ Colour, Points string }

type bar struct{ X, Width float64 }

type tick struct {
	At   float64
	Text string
}

func draw(c Chart) picture {
	p := picture{Chart: c, Width: width, Height: height, Left: left, Right: right, Top: top, Bottom: bottom,
		Tall: bottom - top, LevelX: left - 8, TickY: bottom + 18}
	highest := c.top()
	x := func(seconds float64) float64 { return round(left + seconds/c.Length.Seconds()*(right-left)) }
	y := func(value float64) float64 { return round(bottom - value/highest*(bottom-top)) }
	for _, s := range c.Shades {
		from, to := x(s.From.Seconds()), x(s.To.Seconds())
		p.Bars = append(p.Bars, bar{from, round(to - from)})
	}
	for _, curve := range c.Curves {
		values := Reduced(curve.Values, mostPoints)
		step := c.Length.Seconds() / float64(len(values))
		var points strings.Builder
		for i, v := range values { // in the middle of their time
			points.WriteString(number(x((float64(i)+0.5)*step)) + "," + number(y(v)) + " ")
		}
		p.Lines = append(p.Lines, line{curve.Colour, strings.TrimSpace(points.String())})
	}
	for _, at := range marks(c.Length.Seconds(), 12, timeSteps) {
		p.Times = append(p.Times, tick{x(at), report.Duration(time.Duration(at) * time.Second)})
	}
	for _, level := range marks(highest, 5, levelSteps(highest)) {
		p.Levels = append(p.Levels, tick{y(level), number(level)})
	}
	return p
}

func (c Chart) top() float64 {
	if c.Top > 0 {
		return c.Top
	}
	highest := 1.0
	for _, curve := range c.Curves {
		for _, v := range Reduced(curve.Values, mostPoints) {
			highest = max(highest, v)
		}
	}
	return 1.08 * highest
}

// timeSteps are distances of instants, in seconds, that people count in.
var timeSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 6 * 3600, 24 * 3600}

// levelSteps are 1, 2 and 5 times a power of ten, the smallest of which would mark
// too many levels.
func levelSteps(highest float64) (steps []float64) {
	power := math.Pow(10, math.Floor(math.Log10(highest))-1)
	for range 3 {
		steps = append(steps, power, 2*power, 5*power)
		power *= 10
	}
	return steps
}

// marks are the multiples of the smallest step that makes no more of them than most.
func marks(end float64, most int, steps []float64) (marks []float64) {
	step := steps[len(steps)-1]
	for _, s := range steps {
		if end/s <= float64(most) {
			step = s
			break
		}
	}
	for i := 0; float64(i)*step <= end && i <= 2*most; i++ {
		marks = append(marks, float64(i)*step)
	}
	return marks
}

// Reduced are the means of as many values as there is room for.
func Reduced(values []float64, room int) []float64 {
	if len(values) <= room {
		return values
	}
	reduced := make([]float64, room)
	for i := range reduced {
		part := values[i*len(values)/room : (i+1)*len(values)/room]
		for _, v := range part {
			reduced[i] += v / float64(len(part))
		}
	}
	return reduced
}

// Spark is a line of blocks for a terminal, as wide as there are values, from 0 to
// the top. What is not 0 shows.
func Spark(values []float64, top float64) string {
	const blocks = " ▁▂▃▄▅▆▇█"
	levels := []rune(blocks)
	highest := len(levels) - 1
	var b strings.Builder
	for _, v := range values {
		level := int(math.Round(v / top * float64(highest)))
		if v > 0 {
			level = max(level, 1)
		}
		b.WriteRune(levels[min(max(level, 0), highest)])
	}
	return b.String()
}

func round(f float64) float64 { return math.Round(f*100) / 100 }

// number is f without an exponent and without trailing zeros.
func number(f float64) string { return strconv.FormatFloat(round(f), 'f', -1, 64) }
