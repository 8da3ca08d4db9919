package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type labelled struct {
	Name  string         `json:"name"`
	Age   *int           `json:"age,omitzero"`
	Extra map[string]tag `json:"-" wire:"extra"`
}

type tag struct {
	Color string `json:"color"`
}

func (l labelled) MarshalJSON() ([]byte, error) {
	type fields labelled
	return MarshalExtra(fields(l), l.Extra)
}

func (l *labelled) UnmarshalJSON(data []byte) error {
	type fields labelled
	return UnmarshalExtra(data, (*fields)(l), &l.Extra)
}

func TestExtraRoundTrip(t *testing.T) {
	age := 3
	tests := []struct {
		json string
		want labelled
	}{
		{`{"name":"a"}`, labelled{Name: "a"}},
		{`{"name":"a","age":3}`, labelled{Name: "a", Age: &age}},
		{`{"name":"a","x":{"color":"red"},"y":{"color":"}\""}}`,
			labelled{Name: "a", Extra: map[string]tag{"x": {"red"}, "y": {`}"`}}}},
		{`{"name":"","é\"":{"color":""}}`, labelled{Extra: map[string]tag{`é"`: {}}}},
	}
	for _, test := range tests {
		t.Run(test.json, func(t *testing.T) {
			var got labelled
			require.NoError(t, json.Unmarshal([]byte(test.json), &got))
			require.Equal(t, test.want, got)
			data, err := json.Marshal(test.want)
			require.NoError(t, err)
			require.Equal(t, test.json, string(data))
		})
	}
}

func TestUnmarshalExtraReadsEscapedNames(t *testing.T) {
	var got labelled
	require.NoError(t, json.Unmarshal([]byte(` { "n\u0061me" : "a" , "\u0078" : { "color" : "red" } } `), &got))
	require.Equal(t, labelled{Name: "a", Extra: map[string]tag{"x": {"red"}}}, got)
}

func TestUnmarshalExtraForgetsOldProperties(t *testing.T) {
	got := labelled{Extra: map[string]tag{"old": {}}}
	require.NoError(t, json.Unmarshal([]byte(`{"name":"a"}`), &got))
	require.Nil(t, got.Extra)
}

func TestUnmarshalExtraLeavesNullAlone(t *testing.T) {
	got := labelled{Name: "a", Extra: map[string]tag{"old": {}}}
	require.NoError(t, got.UnmarshalJSON([]byte("null")))
	require.Equal(t, labelled{Name: "a", Extra: map[string]tag{"old": {}}}, got)
}

func TestUnmarshalExtraNamesTheProperty(t *testing.T) {
	var got labelled
	err := json.Unmarshal([]byte(`{"name":"a","x":5}`), &got)
	require.ErrorContains(t, err, `additional property "x"`)
}

func TestMarshalExtraRefusesDeclaredProperties(t *testing.T) {
	_, err := json.Marshal(labelled{Name: "a", Extra: map[string]tag{"age": {}}})
	require.ErrorContains(t, err, `"age" is a declared property`)
}

func TestMarshalExtraWithoutFields(t *testing.T) {
	data, err := MarshalExtra(struct{}{}, map[string]int{"b": 2, "a": 1})
	require.NoError(t, err)
	require.Equal(t, `{"a":1,"b":2}`, string(data))
}

func FuzzExtra(f *testing.F) {
	f.Add([]byte(`{"name":"a","x":{"color":"red"}}`))
	f.Add([]byte(`{"\u006eame":"a","Name":{"color":null},"x":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got struct {
			Name  any            `json:"name"`
			Extra map[string]any `json:"-" wire:"extra"`
		}
		if UnmarshalExtra(data, &got, &got.Extra) != nil {
			return
		}
		var members map[string]any
		require.NoError(t, json.Unmarshal(data, &members))
		delete(members, "name")
		if len(members) == 0 {
			members = nil
		}
		require.Equal(t, members, got.Extra)
	})
}
