package wire

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

type choice struct{ Union }

type cat struct {
	Kind  string `json:"kind"`
	Lives int    `json:"lives,omitzero"`
}

func (c cat) Validate() error {
	if c.Lives > 9 {
		return errors.New("too many")
	}
	return nil
}

func TestUnion(t *testing.T) {
	var holder struct {
		A choice  `json:"a"`
		B *choice `json:"b"`
		C choice  `json:"c,omitzero"`
	}
	data := []byte(`{"a":{"kind":"cat","lives":9007199254740993,"more":[1]},"b":null}`)
	require.NoError(t, json.Unmarshal(data, &holder))
	clear(data) // a union keeps no part of what it was read from
	require.JSONEq(t, `{"kind":"cat","lives":9007199254740993,"more":[1]}`, string(holder.A.Raw()))
	require.Nil(t, holder.B)
	require.True(t, holder.C.IsZero())
	require.Equal(t, "cat", holder.A.Property("kind"))
	require.Empty(t, holder.A.Property("lives"))
	require.Empty(t, holder.A.Property("none"))
	again, err := json.Marshal(holder)
	require.NoError(t, err)
	require.JSONEq(t, `{"a":{"kind":"cat","lives":9007199254740993,"more":[1]},"b":null}`, string(again))
}

func TestUnionAs(t *testing.T) {
	u := UnionOf(cat{Kind: "cat"})
	same, err := As[cat](u)
	require.NoError(t, err)
	require.Equal(t, cat{Kind: "cat"}, same)
	other, err := As[map[string]any](u)
	require.NoError(t, err, "what was set is read as another type, too")
	require.Equal(t, map[string]any{"kind": "cat"}, other)
	_, err = As[string](u)
	require.Error(t, err)
	_, err = As[cat](Union{})
	require.EqualError(t, err, "there is no value")
	var missing *MissingError
	_, err = As[cat](UnionOf(map[string]int{"lives": 1}))
	require.ErrorAs(t, err, &missing)
}

func TestUnionOfWhatIsNoJSON(t *testing.T) {
	u := UnionOf(math.NaN())
	_, err := json.Marshal(u)
	require.Error(t, err)
	require.Nil(t, u.Raw())
	empty, err := json.Marshal(Union{})
	require.NoError(t, err)
	require.Equal(t, "null", string(empty))
}

func TestUnionValidates(t *testing.T) {
	require.EqualError(t, UnionOf(cat{Lives: 10}).Validate(), "too many")
	require.NoError(t, UnionOf(cat{Lives: 9}).Validate())
	require.NoError(t, UnionOf(1).Validate())
	require.NoError(t, Union{}.Validate())
}
