package report_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
)

const orders = `openapi: 3.0.3
info: {title: Orders, version: "1"}
servers: [{url: "https://orders.example.com"}]
paths:
  /orders:
    post:
      operationId: first
      x-idempotent: true
      parameters: [{name: order, in: query, required: true, schema: {type: string}}]
      responses: {"204": {description: ok}}
  /more:
    post:
      operationId: second
      x-idempotent: false
      responses: {"204": {description: ok}}
`

func load(t *testing.T, document string) *spec.API {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(document), 0o644))
	api, err := spec.Load(spec.Options{Spec: "openapi.yaml", Package: "orders"})
	require.NoError(t, err)
	return api
}

// changedLines counts the lines that only one of the two texts has.
func changedLines(before, after []byte) (removed, added int) {
	lines := map[string]int{}
	for line := range strings.Lines(string(before)) {
		lines[line]++
	}
	for line := range strings.Lines(string(after)) {
		if lines[line]--; lines[line] < 0 {
			added++
		}
	}
	for _, n := range lines {
		removed += max(n, 0)
	}
	return removed, added
}

// TestContractChangesAreOneLine: a reviewer sees a changed annotation in the line
// of its operation, and nowhere else.
func TestContractChangesAreOneLine(t *testing.T) {
	const declared = "x-idempotent: true"
	old := report.Contract(load(t, orders))
	for _, change := range []string{
		"x-idempotent: false",
		"summary: nothing is declared",
		"x-idempotent: {key: {}}",
		"x-idempotent: {key: {template: \"k-{order}\"}}",
		declared + "\n      x-transient-500: true",
		declared + "\n      x-retry: {transient: [520]}",
		declared + "\n      x-retry: {statuses: {429: deny}}",
		declared + "\n      x-retry: {max-attempts: 2}",
		declared + "\n      x-retry: {deadline: 20s}",
		declared + "\n      x-retry: {attempt-timeout: 1s}",
		declared + "\n      x-retry: {min-attempt-budget: 1s}",
		declared + "\n      x-retry: {backoff: {base: 1s}}",
		declared + "\n      x-retry: {backoff: {max: 1s}}",
		declared + "\n      x-retry: {backoff: {multiplier: 3}}",
		declared + "\n      x-retry: {backoff: {jitter: decorrelated}}",
		declared + "\n      x-retry: {retry-after: {max: 1s}}",
		declared + "\n      x-retry: {retry-after: {malformed: deny}}",
	} {
		removed, added := changedLines(old, report.Contract(load(t, strings.Replace(orders, declared, change, 1))))
		require.Equal(t, [2]int{1, 1}, [2]int{removed, added}, change)
	}
}

func TestContractOfTheUpstream(t *testing.T) {
	old := report.Contract(load(t, orders))
	for _, change := range []string{"pool: {max-connections: 9}", "pool: {acquire-timeout: 9s}", "bulkhead: {max-concurrent: 9}", "name: other"} {
		removed, added := changedLines(old, report.Contract(load(t, orders+"x-upstream: {"+change+"}\n")))
		require.Equal(t, [2]int{1, 1}, [2]int{removed, added}, change)
	}
	for _, change := range []string{"ratio: 0.2", "window: 30s", "deposit: success", "min-per-window: 0"} { // and in words
		removed, added := changedLines(old, report.Contract(load(t, orders+"x-upstream: {budget: {"+change+"}}\n")))
		require.Equal(t, [2]int{2, 2}, [2]int{removed, added}, change)
	}
}

// TestContractOfAnotherOperationIsOneLine: no other line is aligned anew.
func TestContractOfAnotherOperationIsOneLine(t *testing.T) {
	old := report.Contract(load(t, orders))
	more := report.Contract(load(t, orders+`  /a/much/longer/path/than/all/others:
    get:
      operationId: nameThatIsMuchLongerThanTheOthers
      responses: {"204": {description: ok}}
`))
	removed, added := changedLines(old, more)
	require.Equal(t, [2]int{0, 1}, [2]int{removed, added})
}

// cell is what the Markdown of code hosts takes for a cell of a table: a
// backslash takes the meaning of the punctuation behind it.
var cell = regexp.MustCompile(`^(?:\\[!-/:-@\[-` + "`" + `{-~]|[^|\n])*\|`)

func cells(t require.TestingT, row string) (found []string) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(row, "\n"), "|")
	require.True(t, ok, row)
	for rest != "" {
		match := cell.FindString(rest)
		require.NotEmpty(t, match, rest)
		found = append(found, strings.TrimSpace(strings.TrimSuffix(match, "|")))
		rest = rest[len(match):]
	}
	return found
}

// TestCodeIsOneCellThatDoesNothing: whatever a document says stays in its cell,
// inside of code.
func TestCodeIsOneCellThatDoesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"GET /pets/{id}":           "`GET /pets/{id}`",
		"<img src=x> @all #1":      "`<img src=x> @all #1`",
		"a|b":                      "<code>a&#124;b</code>",
		"a\\|b`c``":                "<code>a&#92;&#124;b&#96;c&#96;&#96;</code>",
		"a\nb\r\n| c\x1b[1m\u202e": "<code>a b &#124; c\uFFFD&#91;1m\uFFFD</code>",
		"`<b>&amp;":                "<code>&#96;&#60;b&#62;&#38;amp&#59;</code>",
	} {
		require.Equal(t, want, report.Code(text))
	}
	span, tag := regexp.MustCompile("^`[^`|\\\\]+`$"), regexp.MustCompile(`^<code>(?:[^!-/:-@\[-`+"`"+`{-~]|&#[0-9]+;)+</code>$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("`|\\<>&*_[]!\n a")))).Draw(t, "text")
		code := report.Code(text)
		require.Equal(t, []string{"x", code, "y"}, cells(t, report.TableRow("x", code, "y")))
		require.NotContains(t, code, "\n")
		require.True(t, code == "" || span.MatchString(code) || tag.MatchString(code), code)
	})
}

func TestContractOfAHostileDocument(t *testing.T) {
	text := string(report.Contract(load(t, strings.NewReplacer(
		"title: Orders", `title: "Orders\n\n# <script>| @everyone`+"`"+`"`,
		"operationId: first", `operationId: "f|<b>\\|`+"`"+`\u202e"`,
		"/more:", `"/more/|<i>":`,
	).Replace(orders))))
	rows := regexp.MustCompile(`(?m)^\|.*\n`).FindAllString(text, -1)
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Len(t, cells(t, row), 13, row)
	}
	require.NotContains(t, text, "<script>")
	require.Contains(t, text, "<code>f&#124;&#60;b&#62;&#92;&#124;&#96;\uFFFD</code>")
}
