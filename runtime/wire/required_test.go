package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type pet struct {
	ID     int               `json:"id"`
	Name   string            `json:"name"`
	Owner  *owner            `json:"owner,omitzero"`
	Toys   []toy             `json:"toys,omitempty"`
	Marks  map[string]*toy   `json:"marks,omitzero"`
	Chip   Nullable[chip]    `json:"chip,omitzero"`
	Born   time.Time         `json:"born,omitzero"`
	Day    Date              `json:"day,omitzero"`
	Parent *pet              `json:"parent,omitzero"`
	Litter Nullable[[]*pet]  `json:"litter,omitzero"`
	Any    any               `json:"any,omitzero"`
	Raw    json.RawMessage   `json:"raw,omitzero"`
	Bytes  []byte            `json:"bytes,omitzero"`
	Pair   [2]toy            `json:"pair,omitzero"`
	Labels *labelled         `json:"labels,omitzero"`
	Hidden string            `json:"-"`
	Groups map[string][]base `json:"groups,omitzero"`
	Price  *money            `json:"price,omitzero"`
}

// money decodes itself.
type money struct {
	Cents int
}

func (m *money) UnmarshalJSON(data []byte) error {
	var form struct{ Amount float64 }
	err := json.Unmarshal(data, &form)
	m.Cents = int(form.Amount * 100)
	return err
}

type owner struct {
	base
	Name string `json:"name"`
}

type base struct {
	UUID string `json:"uuid"`
}

type toy struct {
	Kind string `json:"kind"`
}

type chip struct {
	Code string `json:"code"`
}

func TestCheckRequired(t *testing.T) {
	tests := []struct {
		name, json string // the members after id and name
		missing    string
	}{
		{"nothing else", ``, ""},
		{"nested pointer", `"owner":{"uuid":"u","name":"n"}`, ""},
		{"nested pointer lacks", `"owner":{"uuid":"u"}`, "/owner/name"},
		{"embedded struct lacks", `"owner":{"name":"n"}`, "/owner/uuid"},
		{"slice", `"toys":[{"kind":"ball"},null,{"x":[{}],"kind":null}]`, ""},
		{"slice lacks", `"toys":[{"kind":"ball"},{"x":1}]`, "/toys/1/kind"},
		{"empty slice", `"toys":[]`, ""},
		{"array lacks", `"pair":[{"kind":"k"},{}]`, "/pair/1/kind"},
		{"map", `"marks":{"a":{"kind":"k"},"b":null}`, ""},
		{"map lacks, key is escaped", `"marks":{"a/b~c":{}}`, "/marks/a~1b~0c/kind"},
		{"empty map", `"marks":{}`, ""},
		{"map of slices lacks", `"groups":{"g":[{"uuid":"u"},{}]}`, "/groups/g/1/uuid"},
		{"nullable", `"chip":{"code":"c"}`, ""},
		{"nullable null", `"chip":null`, ""},
		{"nullable lacks", `"chip":{}`, "/chip/code"},
		{"nullable slice lacks", `"litter":[{"id":1,"name":"n"},{"id":2}]`, "/litter/1/name"},
		{"recursive type", `"parent":{"id":1,"name":"n","parent":{"id":1,"name":"n"}}`, ""},
		{"recursive type lacks", `"parent":{"id":1,"name":"n","parent":{"id":1}}`, "/parent/parent/name"},
		{"null stands for an object", `"owner":null`, ""},
		{"types that decode themselves", `"born":"2024-01-01T00:00:00Z","day":"2024-01-01","raw":{},"bytes":"AA==","price":{"Amount":1}`, ""},
		{"any is not looked into", `"any":{"owner":{}}`, ""},
		{"additional properties", `"labels":{"name":"n","x":{"color":"red"}}`, ""},
		{"additional properties' struct lacks", `"labels":{"x":{"color":"red"}}`, "/labels/name"},
		{"additional property lacks", `"labels":{"name":"n","x":{}}`, "/labels/x/color"},
		{"escaped key", `"own\u0065r":{"uuid":"u","n\u0061me":"n"}`, ""},
		{"escaped key lacks", `"own\u0065r":{"uuid":"u"}`, "/owner/name"},
		{"unknown members", `"x":{"y":[1,{"z":"}]\\\""}]},"v":-1.5e+7,"w":true,"u":2.5E-3`, ""},
		{"strings that end in backslashes", `"x":"\\\\","owner":{"name":"\\\""}`, "/owner/uuid"},
		{"duplicate keys", `"chip":{"code":"c","code":"d"}`, ""},
		{"duplicate keys, the first lacks", `"chip":{},"chip":{"code":"c"}`, "/chip/code"},
		{"other case is another name", `"chip":{"Code":"c"}`, "/chip/code"},
		{"white space", "\"toys\" : [ { \"kind\"\t:\n\"k\" } ,\r{ } ] ", "/toys/1/kind"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := `{"id":1,"name":"n"}`
			if test.json != "" {
				data = `{"id":1,` + test.json + `,"name":"n"}`
			}
			require.NoError(t, json.Unmarshal([]byte(data), new(pet)), "the test's JSON")
			requireMissing(t, test.missing, CheckRequired([]byte(data), reflect.TypeFor[*pet]()))
		})
	}
}

func requireMissing(t *testing.T, pointer string, err error) {
	t.Helper()
	if pointer == "" {
		require.NoError(t, err)
		return
	}
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, pointer, missing.Pointer)
}

func TestCheckRequiredAtTheRoot(t *testing.T) {
	tests := []struct {
		json    string
		t       reflect.Type
		missing string
	}{
		{`{}`, reflect.TypeFor[toy](), "/kind"},
		{` {} `, reflect.TypeFor[*toy](), "/kind"},
		{`[{"kind":"k"},{}]`, reflect.TypeFor[[]toy](), "/1/kind"},
		{`{"a":{}}`, reflect.TypeFor[map[string]toy](), "/a/kind"},
		{`{"id":1}`, reflect.TypeFor[Nullable[*pet]](), "/name"},
		{`{"id":1,"name":"n","parent":{"id":1}}`, reflect.TypeFor[Nullable[*pet]](), "/parent/name"},
		{`"x"`, reflect.TypeFor[string](), ""},
		{`{}`, reflect.TypeFor[any](), ""},
		{`null`, reflect.TypeFor[*toy](), ""},
		{`[]`, reflect.TypeFor[toy](), ""}, // json.Unmarshal has refused it
	}
	for _, test := range tests {
		t.Run(test.t.String(), func(t *testing.T) {
			requireMissing(t, test.missing, CheckRequired([]byte(test.json), test.t))
		})
	}
}

func TestMissingErrorText(t *testing.T) {
	err := CheckRequired([]byte(`{"a\n`+strings.Repeat("x", 10_000)+`":{}}`), reflect.TypeFor[map[string]toy]())
	require.ErrorContains(t, err, `required property "/a\nxxx`)
	require.ErrorContains(t, err, `..." is missing`)
	require.Less(t, len(err.Error()), 300)
}

func TestCheckRequiredOfManyProperties(t *testing.T) {
	var fields []reflect.StructField
	var members []string
	for i := range 700 {
		name := fmt.Sprintf("p%d", i)
		fields = append(fields, reflect.StructField{
			Name: "P" + name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + name + `"`),
		})
		members = append(members, `"`+name+`":1`)
	}
	wide := reflect.StructOf(fields)
	require.NoError(t, CheckRequired([]byte("{"+strings.Join(members, ",")+"}"), wide))
	requireMissing(t, "/p699", CheckRequired([]byte("{"+strings.Join(members[:699], ",")+"}"), wide))
}

// Shadowed, ambiguous and oddly named fields are those of encoding/json.
func TestCheckRequiredChoosesFieldsLikeEncodingJSON(t *testing.T) {
	type Deep struct {
		ID   int `json:"id"`
		Deep int `json:"deep"`
	}
	type Left struct {
		Deep
		Twice  int
		Tagged int
	}
	type Right struct {
		Twice int
		Other int `json:"Tagged"`
	}
	type all struct {
		Left
		*Right
		ID    int `json:"id,omitzero"` // hides Deep's
		Named Left
		Odd   int `json:"a\\b"` //nolint:staticcheck // encoding/json refuses the name
		Go    int `json:",omitempty"`
		Dash  int `json:"-,"` //nolint:staticcheck // a name, not the sign to leave the field out
	}
	var names []string
	for _, f := range fieldsOf(reflect.TypeFor[all]()) {
		names = append(names, f.name)
	}
	encoded, err := json.Marshal(all{Right: new(Right), ID: 1, Go: 1})
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(encoded, &members))
	want := make([]string, 0, len(members))
	for name := range members {
		want = append(want, name)
	}
	require.ElementsMatch(t, want, names)
	requireMissing(t, "/Named/deep", CheckRequired(
		[]byte(`{"deep":1,"Tagged":1,"Odd":1,"-":1,"Named":{"id":1,"Twice":1,"Tagged":1}}`), reflect.TypeFor[all]()))
}

type (
	loop      *loop
	endless   []endless
	wideTable map[string]wideTable
	chain     struct {
		*chain     //nolint:unused // by reflection alone
		Value  int `json:"value"`
	}
)

func TestCheckRequiredOfOddTypes(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[loop](), reflect.TypeFor[endless](), reflect.TypeFor[wideTable](),
		reflect.TypeFor[chan int](), reflect.TypeFor[struct{}](), reflect.TypeFor[Nullable[loop]](),
	} {
		for _, data := range []string{`[[],[[]]]`, `{"a":{}}`, `null`} {
			require.NoError(t, CheckRequired([]byte(data), typ), "%v %s", typ, data)
		}
	}
	requireMissing(t, "/value", CheckRequired([]byte(`{}`), reflect.TypeFor[chain]()))
}

func TestCheckRequiredBoundsRecursion(t *testing.T) {
	const levels = 1_000_000
	deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	require.Error(t, CheckRequired([]byte(deep), reflect.TypeFor[endless]()))
	require.NoError(t, CheckRequired([]byte(`{"kind":`+deep+`}`), reflect.TypeFor[toy]()), "skipped without recursion")
}

func TestCheckRequiredInParallel(t *testing.T) {
	type fresh struct {
		Next *fresh `json:"next,omitzero"`
		Pet  pet    `json:"pet"`
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			err := CheckRequired([]byte(`{"pet":{"id":1,"name":"n"},"next":{"pet":{"id":1}}}`), reflect.TypeFor[fresh]())
			if err == nil {
				t.Error("nothing is missing")
			}
		})
	}
	wait.Wait()
}
