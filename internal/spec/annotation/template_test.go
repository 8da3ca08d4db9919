package annotation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseTemplate(t *testing.T) {
	for text, want := range map[string][]Part{
		"{a}":              {{Name: "a"}},
		"order-{order_id}": {{Literal: "order-"}, {Name: "order_id"}},
		"{a}-{b.c}!":       {{Name: "a"}, {Literal: "-"}, {Name: "b.c"}, {Literal: "!"}},
		"{größe}":          {{Name: "größe"}},
	} {
		got, err := ParseTemplate(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
}

func TestParseTemplateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "the template names no value, so every call would have the same key",
		"constant":                       "the template names no value, so every call would have the same key",
		"{a}{b}":                         "{a}{b} have no literal between them, so different values could make the same key",
		"a{":                             "a { has no }",
		"{a":                             "a { has no }",
		"{a{b}}":                         "a { has no }",
		"a}":                             "a } has no {",
		"{a}}":                           "a } has no {",
		"{}":                             "{} names no value",
		"a b-{c}":                        "' ' is not visible ASCII",
		"ä-{c}":                          "'ä' is not visible ASCII",
		"a\n{c}":                         `'\n' is not visible ASCII`,
		strings.Repeat("x", 255) + "{a}": "the key would be longer than 255 bytes",
		strings.Repeat("x", 2000):        "the template is too long",
	} {
		_, err := ParseTemplate(text)
		require.EqualError(t, err, want, text)
	}
	_, err := ParseTemplate(strings.Repeat("x", 254) + "{a}")
	require.NoError(t, err)
}

// FuzzTemplate: what is accepted can be printed again from its parts, and never
// has two values side by side.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{a}", "SMS-{a}-{b}", "{a}{b}", "}{", "{{a}}", "ä{a}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := ParseTemplate(text)
		if err != nil {
			return
		}
		printed, afterName, names := "", false, 0
		for _, part := range parts {
			if part.Name != "" {
				require.False(t, afterName)
				require.Empty(t, part.Literal)
				printed += "{" + part.Name + "}"
				names++
			} else {
				require.NotEmpty(t, part.Literal)
				printed += part.Literal
			}
			afterName = part.Name != ""
		}
		require.Equal(t, text, printed)
		require.NotZero(t, names)
	})
}
