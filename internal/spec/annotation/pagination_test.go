package annotation

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// RULE-ANNOTATION-PAGINATION.
func TestDecodePagination(t *testing.T) {
	for text, want := range map[string]Pagination{
		"{cursor: after, next: meta.next, items: data, more: meta.more}": {
			Set: true, Cursor: Field[string]{"after", true, at(1, 16)}, Next: Field[string]{"meta.next", true, at(1, 31)},
			Items: Field[string]{"data", true, at(1, 48)}, More: Field[string]{"meta.more", true, at(1, 61)},
		},
		"{offset: skip}":                    {Set: true, Offset: Field[string]{"skip", true, at(1, 16)}},
		"{page: p, more: more}":             {Set: true, Page: Field[string]{"p", true, at(1, 16)}, More: Field[string]{"more", true, at(1, 25)}},
		"{link: true}":                      {Set: true, Link: Field[bool]{true, true, at(1, 16)}},
		"{pageParam: p, resultsPath: data}": {Foreign: true},
	} {
		want.Pos = at(1, 1)
		op, found := DecodeOperation(element(t, "x-pagination: "+text))
		require.Empty(t, found, text)
		require.Equal(t, want, op.Pagination, text)
	}
}

// Every mistake is one message at its place (RULE-ANNOTATION-STRICT).
func TestDecodePaginationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"true":                     "1:15: x-pagination is true; expected a mapping of cursor, items, link, more, next, offset, page",
		"{}":                       "1:1: x-pagination has none of cursor, offset, page and link\n\tchoose one of them",
		"{items: data}":            "1:1: x-pagination has none of cursor, offset, page and link\n\tchoose one of them",
		"{page: p, offset: o}":     "1:1: x-pagination has several of cursor, offset, page and link\n\tchoose one of them",
		"{cursor: a}":              "1:1: x-pagination.cursor needs next, where a response has the cursor of the next page\n\twrite next: and the path to it",
		"{page: p, next: n}":       "1:25: x-pagination.next has no effect without cursor\n\tremove it",
		"{link: true, more: m}":    "1:28: x-pagination.more has no effect beside link: the last page has no link\n\tremove it",
		"{link: false}":            "1:22: x-pagination.link is false; expected true, or no link at all",
		"{link: next}":             `1:22: x-pagination.link is the string "next"; expected true, or no link at all`,
		"{page: 1}":                "1:22: x-pagination.page is 1; expected the name of a parameter",
		"{page: ''}":               `1:22: x-pagination.page is the string ""; expected the name of a parameter`,
		"{cursor: a, next: [b]}":   "1:33: x-pagination.next is a list; expected a path into the response, such as meta.next",
		"{curser: a, next: b}":     "1:16: unknown key \"curser\" in x-pagination; expected one of cursor, items, link, more, next, offset, page\n\tdid you mean cursor?",
		"{curser: a, nextPath: b}": "1:16: unknown key \"curser\" in x-pagination; expected one of cursor, items, link, more, next, offset, page\n\tdid you mean cursor?\napi.yaml:1:27: unknown key \"nextPath\" in x-pagination; expected one of cursor, items, link, more, next, offset, page",
		"{page: p, limit: l}":      "1:25: unknown key \"limit\" in x-pagination; expected one of cursor, items, link, more, next, offset, page",
	} {
		_, found := DecodeOperation(element(t, "x-pagination: "+text))
		require.EqualError(t, found.Err(), "api.yaml:"+want, text)
	}
	_, found := DecodeOperation(element(t, "x-paginaton: {page: p}"))
	require.EqualError(t, found.Err(), "api.yaml:1:1: unknown annotation \"x-paginaton\"\n\tdid you mean x-pagination?")
	_, found = DecodeRoot(element(t, "x-pagination: {page: p}"))
	require.EqualError(t, found.Err(), "api.yaml:1:1: x-pagination has no effect on the root; it belongs on an operation")
	_, found = DecodeRoot(element(t, "x-pagination: {pageParam: p}"))
	require.NoError(t, found.Err(), "that is another tool's")
}
