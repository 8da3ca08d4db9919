package explain

import (
	"fmt"
	"math"
	"time"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// picture is a time line as an SVG image needs it: a row for each attempt, of
// which time runs to the right.
type picture struct {
	Width, Height   int
	Left, Right     int // of the part where time runs
	Top, Tall       int // of the rows
	Bottom          int
	TickY, ReserveY int // base lines of texts
	Rows            []pictureRow
	Ticks           []tick
	Deadline        *tick // nil without one
	Reserve         *bar  // the time in which no attempt begins; nil where it has no width
	ReserveText     string
	Alt             string
}

type pictureRow struct {
	LabelY, TextY, BarY, LineY int
	Label, Text                string
	Begin                      bar  // when the attempt can begin
	Wait                       *bar // the longest delay before it
	Run                        bar  // from its latest beginning
}

type bar struct{ X, Width float64 }

type tick struct {
	X    float64
	Text string
	Side string // text-anchor
}

// Measures of the image.
const (
	pictureWidth = 800
	pictureLeft  = 96
	pictureRight = 784
	pictureTop   = 34
	rowHeight    = 56
	thinnest     = 2.5 // of a bar: what is there must be seen
)

func draw(e *Operation) picture {
	spans := e.Timeline.Attempts
	bottom := pictureTop + rowHeight*len(spans)
	p := picture{
		Width: pictureWidth, Height: bottom + 48, Left: pictureLeft, Right: pictureRight,
		Top: pictureTop, Tall: bottom - pictureTop, Bottom: bottom, TickY: bottom + 18, ReserveY: bottom + 38,
	}
	whole := extent(e, spans)
	at := func(d time.Duration) float64 {
		part := math.Min(float64(d)/float64(whole), 1)
		return round(pictureLeft + part*(pictureRight-pictureLeft))
	}
	for i, s := range spans {
		y := pictureTop + i*rowHeight
		row := pictureRow{
			LabelY: y + 41, TextY: y + 20, BarY: y + 29, LineY: y + 34,
			Label: fmt.Sprintf("attempt %d", i+1),
			Text:  s.sentence(i),
			Begin: span(at, s.earliest, s.latest),
			Run:   span(at, s.latest, s.end),
		}
		if s.waitMax > 0 && s.latest != runtime.Unlimited {
			wait := span(at, max(0, s.latest-s.waitMax), s.latest)
			row.Wait = &wait
		}
		p.Rows = append(p.Rows, row)
	}
	p.Ticks = ticks(at, whole)
	if e.deadline > 0 {
		p.Deadline = &tick{X: at(e.deadline), Text: "deadline " + report.Duration(e.deadline), Side: "end"}
		if len(spans) > 1 {
			reserve := span(at, e.deadline-e.reserve, e.deadline)
			p.Reserve = &reserve
			p.ReserveText = fmt.Sprintf("no further attempt begins in the last %s", report.Duration(e.reserve))
		}
	}
	p.Alt = fmt.Sprintf("Time line of a call with up to %d attempts. %s", len(spans), e.duration())
	return p
}

// extent is the time from the left to the right end.
func extent(e *Operation, spans []Span) time.Duration {
	if e.deadline > 0 {
		return e.deadline
	}
	longest := time.Second
	for _, s := range spans {
		for _, d := range []time.Duration{s.earliest, s.latest, s.end, s.waitMax} {
			if d != runtime.Unlimited {
				longest = max(longest, d)
			}
		}
	}
	return report.Plus(longest, longest/4)
}

func (s *Span) sentence(i int) string {
	if i == 0 {
		return "begins at once, ends " + s.ends()
	}
	return fmt.Sprintf("waits %s, begins after %s, ends %s", s.waits(), s.begins(), s.ends())
}

func span(at func(time.Duration) float64, from, to time.Duration) bar {
	x := at(from)
	width := max(at(to)-x, thinnest)
	return bar{X: min(x, pictureRight-width), Width: round(width)}
}

// ticks divide the time into quarters.
func ticks(at func(time.Duration) float64, whole time.Duration) (list []tick) {
	for i := range 5 {
		d := time.Duration(float64(whole) * float64(i) / 4)
		side := "middle"
		if i == 4 {
			side = "end"
		}
		list = append(list, tick{at(d), report.Duration(d.Round(whole / 1000)), side})
	}
	return list
}

func round(f float64) float64 { return math.Round(f*100) / 100 }
