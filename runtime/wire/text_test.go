package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseText(t *testing.T) {
	var (
		n    int64
		u    uint8
		f    float32
		b    bool
		s    string
		when time.Time
		day  Date
	)
	for text, v := range map[string]any{" 9007199254740993\n": &n, "255": &u, "0.5": &f, "true": &b, " as it is ": &s, "2026-01-02T03:04:05Z ": &when, "2026-01-02": &day} {
		require.NoError(t, ParseText(text, v), text)
	}
	require.EqualValues(t, 9007199254740993, n)
	require.EqualValues(t, 255, u)
	require.EqualValues(t, 0.5, f)
	require.True(t, b)
	require.Equal(t, " as it is ", s)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), when)
	require.Equal(t, NewDate(2026, 1, 2), day)
	for text, v := range map[string]any{"": &n, "x": &b, "256": &u, "1 2": &f, "soon": &when} {
		require.Error(t, ParseText(text, v), text)
	}
}

func TestParseHeader(t *testing.T) {
	type headers struct {
		Limit  *int     `header:"X-Limit"`
		Names  []string `header:"X-Names"`
		Hash   []byte   `header:"X-Hash"`
		Absent *bool    `header:"X-Absent"`
		Empty  *string  `header:"X-Empty"`
		Any    any      `header:"X-Any"`
	}
	var got headers
	require.NoError(t, ParseHeader(http.Header{"X-Limit": {"5"}, "X-Names": {"a, b", "c"}, "X-Hash": {"aGk="}, "X-Empty": {""}, "X-Any": {"{}"}}, &got))
	five, empty := 5, ""
	require.Equal(t, headers{Limit: &five, Names: []string{"a", "b", "c"}, Hash: []byte("hi"), Empty: &empty, Any: map[string]any{}}, got)
	require.ErrorContains(t, ParseHeader(http.Header{"X-Limit": {"x"}, "X-Hash": {`"`}}, &got), "header X-Limit:")
}
