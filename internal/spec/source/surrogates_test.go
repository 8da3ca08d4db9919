package source

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJoinSurrogates(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"a": "\ud83d\udc4d", "b": 1}`, `{"a": "\U0001F44D"  , "b": 1}`},
		{`{"\ud83d\udc4d\ud83d\udc4d": "\u00e9"}`, `{"\U0001F44D\U0001F44D"    : "\u00e9"}`},
		{"\ufeff" + `{"a": "\ud83d\udc4d"}`, `{"a": "\U0001F44D"  }`},
		{`{"a": "\ud83d"}`, `{"a": "\uFFFD"}`},
		{`{"a": "\udc4d\ud83d"}`, `{"a": "\uFFFD\uFFFD"}`},
		{`{"a": "\\ud83d\\udc4d"}`, `{"a": "\\ud83d\\udc4d"}`},
		{`{"a": "\"\ud83dx\""}`, `{"a": "\"\uFFFDx\""}`},
		{"{\"a\": \"\u009f\x7f\u0085\"}", "{\"a\": \"\\u009f\\u007f\u0085\"}"},
		{"a: '\u009f'", "a: '\u009f'"},
		{"a: '\\ud83d\\udc4d'", "a: '\\ud83d\\udc4d'"},
	} {
		require.Equal(t, test.want, string(joinSurrogates([]byte(test.in))))
	}
}

// FuzzJoinSurrogates: whatever encoding/json reads, the YAML parser must read as
// the same strings.
func FuzzJoinSurrogates(f *testing.F) {
	f.Add(`{"a": "\ud83d\udc4d", "b": "\\\ud83d\u0041"}`)
	f.Add(`{"\udc4d": ""}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]string
		if json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		tree, err := Parse("a.json", joinSurrogates([]byte(text)))
		if err != nil {
			return // YAML forbids what JSON permits: duplicate keys, long keys, some characters
		}
		for key, value := range Members(tree) {
			require.Equal(t, want[key.Value], value.Value)
		}
	})
}
