package chart

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpark(t *testing.T) {
	require.Equal(t, " ▁▁▄██", Spark([]float64{0, 0.001, 1, 4, 8, 80}, 8))
}

// TestReduced: each mean is of as many values as any other, but for one, and of all
// of them together.
func TestReduced(t *testing.T) {
	require.Equal(t, []float64{1, 2}, Reduced([]float64{1, 2}, 3))
	require.Equal(t, []float64{1.5, 4}, Reduced([]float64{1, 2, 3, 4, 5}, 2))
}

// TestMarks: round distances, and no more marks than people read.
func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		end  float64
		want []float64
	}{
		{0.9, []float64{0}},
		{10, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{75, []float64{0, 10, 20, 30, 40, 50, 60, 70}},
		{3700, []float64{0, 600, 1200, 1800, 2400, 3000, 3600}},
	} {
		require.Equal(t, tt.want, marks(tt.end, 12, timeSteps), tt.end)
	}
	for _, highest := range []float64{1.08, 3, 105, 1296, 99_999, 12_345_678} {
		levels := marks(highest, 5, levelSteps(highest))
		require.GreaterOrEqual(t, len(levels), 3, highest)
		require.LessOrEqual(t, len(levels), 6, highest)
	}
}

// TestHTML: names are texts, and a value is where it belongs.
func TestHTML(t *testing.T) {
	page, err := Chart{
		Title: "<b>Rate", Length: 2 * time.Second, Top: 100,
		Curves: []Curve{{Name: "a<b", Colour: "blue", Values: []float64{0, 100}}},
		Shades: []Shade{{0, time.Second}},
	}.HTML()
	require.NoError(t, err)
	require.Contains(t, page, `<polyline class="blue" points="249.5,200 600.5,16"/>`)
	require.Contains(t, page, `<rect class="shade" x="74" y="16" width="351" height="184"/>`)
	require.Contains(t, page, "a&lt;b</li>")
	require.NotContains(t, strings.ToLower(string(page)), "<b>")
}
