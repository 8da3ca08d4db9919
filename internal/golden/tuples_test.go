package golden

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
	"github.com/retrygen/retrygen/testdata/golden/tuples"
)

// TestTuplesOnTheWire: they are arrays in bodies, and what the style makes of arrays
// in parameters and forms. No digit is lost.
func TestTuplesOnTheWire(t *testing.T) {
	server := serve(t, json200(`{"label":["a",null,12345678901234567890,{"size":1},"x","y"],"path":[[1,2],[3,4,5,6]],`+
		`"open":["shut",1,true],"either":["b","c"],"tree":["a",["b"]]}`), answer{status: 204})
	c := client[*tuples.Client](t)(tuples.New(tuples.Config{BaseURL: server.URL}))
	point := tuples.Point{Longitude: -0.5, Lat: 2}
	shape := tuples.Shape{
		Label:  tuples.Label{Item1: "abc", Font: wire.Null[string](), Anything: json.Number("1.10"), Item4: &tuples.LabelItem4{Size: 9}, AdditionalItems: []string{"x"}},
		Path:   []tuples.Point{point},
		Open:   &tuples.ShapeOpen{Item2: 1, AdditionalItems: []any{"z"}},
		Either: ptr(tuples.ShapeEitherFromOption1(tuples.ShapeEitherOption1{Item2: 7})),
		Tree:   &tuples.Tree{Item1: "a", Item2: &tuples.Tree{Item1: "b"}},
	}
	got, err := c.Draw(t.Context(), point, tuples.DrawParams{
		Near: &point, Pipes: &point, Filter: &tuples.Label{Item1: "a"}, XPoint: &point,
	}, shape)
	require.NoError(t, err)
	require.Equal(t, tuples.Label{Item1: "a", Font: wire.Null[string](), Anything: json.Number("12345678901234567890"),
		Item4: &tuples.LabelItem4{Size: 1}, AdditionalItems: []string{"x", "y"}}, got.Label)
	require.Equal(t, []tuples.Point{{Longitude: 1, Lat: 2}, {Longitude: 3, Lat: 4, HeightInM: ptr(int64(5))}}, got.Path, "an item too many is no failure") //nolint:staticcheck // deprecated
	require.Equal(t, &tuples.ShapeOpen{Item1: "shut", Item2: 1, AdditionalItems: []any{true}}, got.Open)
	either, err := got.Either.AsOption2()
	require.NoError(t, err)
	require.Equal(t, "c", either.Item2)

	require.NoError(t, c.PostForm(t.Context(), tuples.Shape{Label: tuples.Label{Item1: "a"}, Tree: &tuples.Tree{Item1: "b"}}))
	require.NoError(t, c.PutForm(t.Context(), tuples.PutFormForm{Point: point}))
	requests := server.read()
	require.Equal(t, "POST /shapes/-0.5,2?near=-0.5&near=2&pipes=-0.5%7C2&filter=%5B%22a%22%5D", requests[0].line)
	require.Equal(t, []string{"-0.5,2"}, requests[0].header["X-Point"])
	require.Equal(t, []string{"abc"}, requests[0].header["Idempotency-Key"])
	require.Equal(t, `{"label":["abc",null,1.10,{"size":9},"x"],"path":[[-0.5,2]],"open":["open",1,"z"],"either":["a",7],"tree":["a",["b"]]}`, requests[0].body)
	require.Equal(t, "label=a&tree=b", requests[1].body)
	require.Equal(t, []part{{"point", "", "", "-0.5"}, {"point", "", "", "2"}}, parts(t, requests[2]))
}

// TestTuplesAreChecked: requests by their rules, responses by what is required.
func TestTuplesAreChecked(t *testing.T) {
	server := serve(t, json200(`{"label":[]}`))
	c := client[*tuples.Client](t)(tuples.New(tuples.Config{BaseURL: server.URL}))
	for says, shape := range map[string]tuples.Shape{
		"/label/0: must match":                {Label: tuples.Label{Item1: "A"}},
		"/label/3/size: must be":              {Label: tuples.Label{Item1: "a", Item4: &tuples.LabelItem4{Size: 10}}},
		"/label/5: must have at most":         {Label: tuples.Label{Item1: "a", AdditionalItems: []string{"a", "long"}}},
		"/label: must have at most 6 items":   {Label: tuples.Label{Item1: "a", AdditionalItems: []string{"a", "b", "c"}}},
		"/open: must have at least 3 items":   {Label: tuples.Label{Item1: "a"}, Open: &tuples.ShapeOpen{}},
		"/open/0: is not one":                 {Label: tuples.Label{Item1: "a"}, Open: &tuples.ShapeOpen{Item1: "shut"}},
		"/path/0/0: must be":                  {Label: tuples.Label{Item1: "a"}, Path: []tuples.Point{{Longitude: -181}}},
		"/both/1: must have at most 2 charac": {Label: tuples.Label{Item1: "a"}, Both: &tuples.ShapeBoth{Item2: "abc"}},
	} {
		_, err := c.Draw(t.Context(), tuples.Point{}, tuples.DrawParams{}, shape)
		rejected(t, server, err, says)
	}
	_, err := c.Draw(t.Context(), tuples.Point{}, tuples.DrawParams{}, tuples.Shape{Label: tuples.Label{Item1: "a", AdditionalItems: []string{"b"}}})
	require.ErrorContains(t, err, "item 1 is missing, but a later one is there")
	require.Empty(t, server.read())

	_, err = c.Draw(t.Context(), tuples.Point{}, tuples.DrawParams{}, tuples.Shape{Label: tuples.Label{Item1: "a"}})
	require.ErrorContains(t, err, `required property "/label/0" is missing`)
	header, err := tuples.ParseDrawHeader(map[string][]string{"X-Box": {"1,a"}})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "a"}, header.XBox)
	var outcome *runtime.RejectedError
	require.ErrorAs(t, c.PostForm(t.Context(), tuples.Shape{}), &outcome)
}
