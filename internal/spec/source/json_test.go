package source

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// What both can read, the JSON reader reads as the YAML parser does: values, types,
// styles and positions.
func TestParseJSONAsYAML(t *testing.T) {
	for _, text := range []string{
		"{}",
		"\n\t{ \"a\" :\r\n [ ],\"b\":[[1 , -0,0.5],{}, \"\"]\n}\n",
		`{"a": [true, false, null, "true", "null", "1"], "<<": {"$ref": "#/a"}}`,
		`{"a": [9223372036854775807, 18446744073709551615, 18446744073709551616, -9223372036854775809, 1e5, 1E+5, 1e999, 1.0]}`,
		`{"é": "\n\\\"\/\u00e9\u0000", "b": "é", "👍": 1}`,
	} {
		var document yaml.Node
		require.NoError(t, yaml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&document), text)
		require.Equal(t, document.Content[0], parseJSON([]byte(text)), text)
	}
}

func TestParseJSONStrings(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"a": "\ud83d\udc4d"}`, "👍"},
		{"\ufeff" + `{"a": "\ud83d\udc4d"}`, "👍"},
		{`{"a": "\ud83d"}`, "\ufffd"},
		{`{"a": "\udc4d\ud83d"}`, "\ufffd\ufffd"},
		{`{"a": "\\ud83d\\udc4d"}`, `\ud83d\udc4d`},
		{"{\"a\": \"\u009f\x7f\u0085\u2028\"}", "\u009f\x7f\u0085\u2028"},
	} {
		tree, err := Parse("a.json", []byte(test.in))
		require.NoError(t, err, test.in)
		require.Equal(t, test.want, text(tree, "a"))
	}
}

func TestParseJSONIsNotForYAML(t *testing.T) {
	for _, text := range []string{"", "a: b", "[]", "{a: b}", `{"a": 1,}`, `{"a": "` + "\xff" + `"}`, `{"a": 1} {}`} {
		require.Nil(t, parseJSON([]byte(text)), text)
	}
}

// A document that is valid is decoded from its tree: it needs no text.
func TestLoadPrintsNoText(t *testing.T) {
	inFolder(t, map[string]string{"api.json": petsJSON})
	d, err := Load(Options{Path: "api.json"})
	require.NoError(t, err)
	require.Nil(t, d.root().text)
}

// References of other files lead back to the document itself, not to a second one.
func TestLoadRefersBack(t *testing.T) {
	inFolder(t, map[string]string{
		"api.json": `{"openapi": "3.0.3", "info": {"title": "T", "version": "v"}, "paths": {}, "components": {"schemas": {
			"A": {"$ref": "a.yaml#/A"}, "B": {"type": "string"}}}}`,
		"a.yaml": "A: {type: object, properties: {b: {$ref: 'api.json#/components/schemas/B'}}}\n",
	})
	d, err := Load(Options{Path: "api.json"})
	require.NoError(t, err)
	schemas := d.Doc.Components.Schemas
	require.Same(t, schemas["B"].Value, schemas["A"].Value.Properties["b"].Value)
}

// FuzzParseJSON: whatever encoding/json reads is read as the same strings.
func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a": "\ud83d\udc4d", "b": "\\\ud83d\u0041"}`)
	f.Add(`{"\udc4d": ""}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]string
		if json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		tree := parseJSON([]byte(text))
		if tree == nil {
			require.NotEqual(t, text, string(bytes.ToValidUTF8([]byte(text), nil)))
			return
		}
		got := map[string]string{}
		for key, value := range Members(tree) {
			if value.Tag != "!!null" {
				got[key.Value] = value.Value
			} else {
				got[key.Value] = want[key.Value]
			}
		}
		require.Equal(t, want, got)
	})
}
