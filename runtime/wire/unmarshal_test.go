package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type untyped struct {
	A any                      `json:"a"`
	B Nullable[map[string]any] `json:"b,omitzero"`
	C []untyped                `json:"c,omitzero"`
	D choice                   `json:"d,omitzero"`
	E map[string]any           `json:"-" wire:"extra"`
}

func (u *untyped) UnmarshalJSON(data []byte) error {
	type fields untyped
	return UnmarshalExtra(data, (*fields)(u), &u.E)
}

// TestUnmarshalKeepsDigits: also where types decode themselves.
func TestUnmarshalKeepsDigits(t *testing.T) {
	const big = "9007199254740993"
	var u untyped
	require.NoError(t, Unmarshal([]byte(`{"a":`+big+`,"b":{"x":`+big+`},"c":[{"a":`+big+`}],"d":`+big+`,"e":[`+big+`]}`), &u))
	require.Equal(t, json.Number(big), u.A)
	b, _ := u.B.Get()
	require.Equal(t, json.Number(big), b["x"])
	require.Equal(t, json.Number(big), u.C[0].A)
	require.Equal(t, []any{json.Number(big)}, u.E["e"])
	d, err := As[any](u.D.Union)
	require.NoError(t, err)
	require.Equal(t, json.Number(big), d)
	var v any
	require.NoError(t, Unmarshal([]byte(big), &v))
	require.Equal(t, json.Number(big), v)
}

// TestUnmarshalRefuses what encoding/json does.
func TestUnmarshalRefuses(t *testing.T) {
	for _, data := range []string{``, ` `, `{`, `{} {}`, `[1,]`, `nul`} {
		var v any
		require.Error(t, Unmarshal([]byte(data), &v), data)
		var s struct{}
		require.Error(t, Unmarshal([]byte(data), &s), data)
	}
	require.Error(t, Unmarshal([]byte(`{}`), nil))
}

// TestDecode takes what fits and is whole.
func TestDecode(t *testing.T) {
	type owner struct {
		Name string `json:"name"`
		Note any    `json:"note,omitzero"`
	}
	var o owner
	require.NoError(t, Decode([]byte(`{"name":"Ann","note":12345678901234567890}`), &o))
	require.Equal(t, owner{"Ann", json.Number("12345678901234567890")}, o)
	var missing *MissingError
	require.ErrorAs(t, Decode([]byte(`{"note":1}`), &o), &missing)
	require.Equal(t, "/name", missing.Pointer)
	var kind *json.UnmarshalTypeError
	require.ErrorAs(t, Decode([]byte(`{"name":1}`), &o), &kind)
	require.Error(t, Decode([]byte(`{}`), nil))
}
