package wire

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type place struct {
	X     float64          `wire:"0"`
	Color *tag             `wire:"1"`
	Note  Nullable[string] `wire:"2,omitzero"`
	Other any              `wire:"3,omitzero"`
	Rest  []tag            `wire:"rest"`
}

func (p place) MarshalJSON() ([]byte, error)     { return MarshalTuple(p) }
func (p *place) UnmarshalJSON(data []byte) error { return UnmarshalTuple(data, p) }

func TestTupleRoundTrip(t *testing.T) {
	for written, want := range map[string]place{
		`[1.5,null]`:                                  {X: 1.5},
		`[0,{"color":"red"}]`:                         {Color: &tag{"red"}},
		`[0,null,null]`:                               {Note: Null[string]()},
		`[0,null,"a",12345678901234567890.5]`:         {Note: Value("a"), Other: json.Number("12345678901234567890.5")},
		`[0,null,"a",[],{"color":"b"},{"color":"c"}]`: {Note: Value("a"), Other: []any{}, Rest: []tag{{"b"}, {"c"}}},
	} {
		t.Run(written, func(t *testing.T) {
			got := place{X: 9, Color: &tag{"old"}, Rest: []tag{{"old"}}}
			require.NoError(t, Unmarshal([]byte(written), &got))
			require.Equal(t, want, got)
			data, err := json.Marshal(want)
			require.NoError(t, err)
			require.Equal(t, written, string(data))
		})
	}
}

func TestUnmarshalTuple(t *testing.T) {
	kept := place{X: 9}
	require.NoError(t, json.Unmarshal([]byte(`null`), &kept))
	require.Equal(t, place{X: 9}, kept, "like encoding/json")
	require.ErrorContains(t, json.Unmarshal([]byte(`[1,null,7]`), &kept), "item 2: json: cannot unmarshal number")
	require.ErrorContains(t, json.Unmarshal([]byte(`[1,null,"a",1,{"color":"b"},2]`), &kept), "item 5: json: cannot unmarshal number")
	require.Error(t, json.Unmarshal([]byte(`{"0":1}`), &kept))

	var closed struct {
		X int `wire:"0"`
	}
	require.NoError(t, UnmarshalTuple([]byte(`[1,2,3]`), &closed), "what is not known is dropped, as of objects")
	require.Equal(t, 1, closed.X)
}

func TestMarshalTupleHasNoHoles(t *testing.T) {
	_, err := json.Marshal(place{Other: 1})
	require.ErrorContains(t, err, "item 2 is missing, but a later one is there")
	_, err = json.Marshal(place{Note: Value("a"), Rest: []tag{{}}})
	require.ErrorContains(t, err, "item 3 is missing, but a later one is there")
}

func TestRequiredItemsOfTuples(t *testing.T) {
	for data, missing := range map[string]string{
		`[]`:                               "/0",
		`[1]`:                              "/1",
		`[1,{}]`:                           "/1/color",
		`[1,null]`:                         "",
		`[1,null,"a",{},{"color":"b"},{}]`: "/5/color",
		`null`:                             "",
	} {
		err := CheckRequired([]byte(data), reflect.TypeFor[*place]())
		if missing == "" {
			require.NoError(t, err, data)
			continue
		}
		var e *MissingError
		require.ErrorAs(t, err, &e, data)
		require.Equal(t, missing, e.Pointer)
	}
}

// FuzzTuple: what is read is written as it was, apart from what is not known.
func FuzzTuple(f *testing.F) {
	for _, s := range []string{`[1,{"color":"a"},null,7,{"color":"b"}]`, `[]`, `[1,2`, `null`, `{}`, `[0,null,"",[1]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second place
		if Unmarshal(data, &first) != nil {
			return
		}
		written, err := json.Marshal(first)
		if err != nil { // null stands for a value that is absent
			return
		}
		require.NoError(t, Unmarshal(written, &second))
		again, err := json.Marshal(second)
		require.NoError(t, err)
		require.Equal(t, string(written), string(again))
	})
}
