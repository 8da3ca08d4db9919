package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type patch struct {
	Note  Nullable[string] `json:"note,omitzero"`
	Count Nullable[int]    `json:"count,omitzero"`
}

func TestNullableFields(t *testing.T) {
	tests := []struct {
		json string
		want patch
	}{
		{`{}`, patch{}},
		{`{"note":null}`, patch{Note: Null[string]()}},
		{`{"note":"","count":0}`, patch{Note: Value(""), Count: Value(0)}},
		{`{"count":7}`, patch{Count: Value(7)}},
	}
	for _, test := range tests {
		t.Run(test.json, func(t *testing.T) {
			var got patch
			require.NoError(t, json.Unmarshal([]byte(test.json), &got))
			require.Equal(t, test.want, got)
			data, err := json.Marshal(test.want)
			require.NoError(t, err)
			require.JSONEq(t, test.json, string(data))
		})
	}
}

func TestNullableStates(t *testing.T) {
	tests := []struct {
		name           string
		n              Nullable[string]
		value          string
		ok, null, zero bool
	}{
		{name: "absent", zero: true},
		{name: "null", n: Null[string](), null: true},
		{name: "value", n: Value("x"), value: "x", ok: true},
		{name: "zero value", n: Value(""), ok: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			value, ok := test.n.Get()
			require.Equal(t, test.value, value)
			require.Equal(t, test.ok, ok)
			if p := test.n.Ptr(); test.ok {
				*p += "!"
				kept, _ := test.n.Get()
				require.Equal(t, test.value, kept, "the pointer is to a copy")
			} else {
				require.Nil(t, p)
			}
			require.Equal(t, test.null, test.n.IsNull())
			require.Equal(t, test.zero, test.n.IsZero())
		})
	}
}

func TestNullableKeepsItsValueOnError(t *testing.T) {
	n := Value(1)
	require.Error(t, json.Unmarshal([]byte(`"x"`), &n))
	require.Equal(t, Value(1), n)
}

func FuzzNullable(f *testing.F) {
	for _, s := range []string{`{}`, `{"note":null,"count":3}`, `{"note":"x"}`, `{"count":null}`, `[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second patch
		if json.Unmarshal(data, &first) != nil {
			return
		}
		encoded, err := json.Marshal(first)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(encoded, &second))
		require.Equal(t, first, second)

		var members map[string]any
		require.NoError(t, json.Unmarshal(encoded, &members))
		note, ok := members["note"]
		require.Equal(t, first.Note.IsZero(), !ok)
		require.Equal(t, first.Note.IsNull(), ok && note == nil)
	})
}
