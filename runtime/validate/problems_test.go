package validate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	lower := regexp.MustCompile(`^[a-z]+$`)
	tests := []struct {
		name  string
		check func(*Problems)
		want  string // "" if the value is permitted
	}{
		{"required", func(p *Problems) { p.Required("tag", true) }, ""},
		{"required, absent", func(p *Problems) { p.Required("tag", false) }, "/tag: is required"},
		{"length", func(p *Problems) { p.Length("s", "abc", 3, 3) }, ""},
		{"length, short", func(p *Problems) { p.Length("s", "ab", 3, 9) }, "/s: must have at least 3 characters, has 2"},
		{"length, empty", func(p *Problems) { p.Length("s", "", 1, -1) }, "/s: must have at least 1 character, has 0"},
		{"length, long", func(p *Problems) { p.Length("s", "abcd", 0, 3) }, "/s: must have at most 3 characters, has 4"},
		{"length, no limit", func(p *Problems) { p.Length("s", strings.Repeat("x", 1000), 0, -1) }, ""},
		{"length counts characters", func(p *Problems) { p.Length("s", "äöü", 3, 3) }, ""},
		{"length, empty only", func(p *Problems) { p.Length("s", "a", 0, 0) }, "/s: must have at most 0 characters, has 1"},
		{"pattern", func(p *Problems) { p.Pattern("s", "abc", lower) }, ""},
		{"pattern, no match", func(p *Problems) { p.Pattern("s", "SECRET", lower) }, `/s: must match the pattern "^[a-z]+$"`},
		{"items", func(p *Problems) { p.Items("tags", 2, 1, 2) }, ""},
		{"items, few", func(p *Problems) { p.Items("tags", 0, 1, 2) }, "/tags: must have at least 1 item, has 0"},
		{"items, many", func(p *Problems) { p.Items("tags", 3, 1, 2) }, "/tags: must have at most 2 items, has 3"},
		{"properties", func(p *Problems) { p.Properties("m", 9, 0, -1) }, ""},
		{"properties, few", func(p *Problems) { p.Properties("m", 1, 2, -1) }, "/m: must have at least 2 properties, has 1"},
		{"properties, many", func(p *Problems) { p.Properties("m", 2, 0, 1) }, "/m: must have at most 1 property, has 2"},
		{"enum", func(p *Problems) { p.Enum("kind", true) }, ""},
		{"enum, unknown", func(p *Problems) { p.Enum("kind", false) }, "/kind: is not one of the permitted values"},
		{"the value itself", func(p *Problems) { p.Items("", 0, 1, -1) }, "must have at least 1 item, has 0"},
		{"several", func(p *Problems) { p.Required("a", false); p.Enum("b", true); p.Required("c", false) },
			"/a: is required\n/c: is required"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var p Problems
			test.check(&p)
			if test.want == "" {
				require.NoError(t, p.Err())
				return
			}
			require.EqualError(t, p.Err(), test.want)
		})
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "tags/3", Index("tags", 3))
	require.Equal(t, "3", Index("", 3))
	require.Equal(t, "tags/3/0", Index(Index("tags", 3), 0))
	require.Equal(t, "labels/a~1b~0c", Key("labels", "a/b~c"))
	require.Equal(t, "labels/", Key("labels", ""))
}

func TestNested(t *testing.T) {
	var inner, middle, outer Problems
	inner.Required("name", false)
	inner.Properties("", 0, 1, -1)
	middle.Nested(Index("toys", 2), inner.Err())
	outer.Nested("pet", middle.Err())
	outer.Nested("fine", nil)
	outer.Nested("", middle.Err())
	outer.Nested("own", errors.New("is wrong"))
	outer.Nested("wrapped", fmt.Errorf("toy: %w", inner.Err()))

	err, ok := errors.AsType[*Error](outer.Err())
	require.True(t, ok)
	require.Equal(t, []Problem{
		{"/pet/toys/2/name", "is required"},
		{"/pet/toys/2", "must have at least 1 property, has 0"},
		{"/toys/2/name", "is required"},
		{"/toys/2", "must have at least 1 property, has 0"},
		{"/own", "is wrong"},
		{"/wrapped/name", "is required"},
		{"/wrapped", "must have at least 1 property, has 0"},
	}, err.Problems)
}

func TestErrorTextIsBounded(t *testing.T) {
	var p Problems
	for i := range 1000 {
		p.Required(Index("tags", i), false)
	}
	lines := strings.Split(p.Err().Error(), "\n")
	require.Len(t, lines, 11)
	require.Equal(t, "/tags/9: is required", lines[9])
	require.Equal(t, "and 990 more", lines[10])
}

func TestErrorTextKeepsOneLinePerProblem(t *testing.T) {
	var p Problems
	p.Required(Key("labels", "a\nb"+strings.Repeat("x", 1000)), false)
	text := p.Err().Error()
	require.NotContains(t, text, "\n")
	require.True(t, strings.HasPrefix(text, `"/labels/a\nbxxx`), text)
	require.Less(t, len(text), 300)
}
