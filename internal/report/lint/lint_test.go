package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
)

// head is what every document of these tests begins with: two lines.
const head = "openapi: 3.0.3\ninfo: {title: Payments, version: \"1\"}\n"

// lookup is an operation that no rule finds fault with where the root does not give
// a reason.
const lookup = `paths:
  /payments/{id}:
    get:
      operationId: getPayment
      x-idempotent: true
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"204": {description: It was paid.}}
`

// whole is a document around a part of one.
func whole(part string) string {
	if !strings.Contains(part, "paths:") {
		part += lookup
	}
	return head + part
}

// lintText runs all rules on a document in a folder of its own.
func lintText(t testing.TB, document string, options Options, overlays ...string) Report {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(document), 0o644))
	o := spec.Options{Spec: "openapi.yaml", Package: "test"}
	for i, overlay := range overlays {
		name := fmt.Sprintf("overlay%d.yaml", i)
		require.NoError(t, os.WriteFile(name, []byte(overlay), 0o644))
		o.Overlays = append(o.Overlays, name)
	}
	in, err := spec.Inspect(o, options.Strict)
	require.NoError(t, err)
	return Run(in, options)
}

// ofRule are the findings of one rule, as "line:col: text".
func ofRule(r Report, rule string) (found []string) {
	for _, f := range r.Findings {
		if f.Rule.Name == rule {
			found = append(found, strings.TrimPrefix(f.Pos.String(), "openapi.yaml:")+": "+f.Text())
		}
	}
	return found
}

// section is what the page says of one rule.
type section struct {
	name, text string
	bad, good  string
}

var (
	headings = regexp.MustCompile(`(?m)^### (.*)$`)
	blocks   = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
)

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/lint.md")
	require.NoError(t, err)
	return string(page)
}

func sections(t *testing.T) (all []section) {
	t.Helper()
	page := readPage(t)
	at := headings.FindAllStringSubmatchIndex(page, -1)
	for i, match := range at {
		end := len(page)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := page[match[1]:end]
		examples := blocks.FindAllStringSubmatch(body, -1)
		require.Len(t, examples, 2, page[match[2]:match[3]])
		text, _, _ := strings.Cut(body, "```")
		all = append(all, section{page[match[2]:match[3]], strings.Join(strings.Fields(text), " "), examples[0][1], examples[1][1]})
	}
	return all
}

// TestPageHasTheRules: docs/lint.md describes the rules of the table, in its order
// and in its words.
func TestPageHasTheRules(t *testing.T) {
	var names []string
	for _, s := range sections(t) {
		names = append(names, s.name)
		rule := ruleNamed(s.name)
		require.NotNil(t, rule, s.name)
		require.Equal(t, fmt.Sprintf("*%s.* %s. %s %s", rule.Severity, rule.Title, rule.Why, rule.Fix), s.text)
	}
	require.Equal(t, RuleNames(), names)
}

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range Rules() {
		require.Regexp(t, kebab, rule.Name)
		require.False(t, seen[rule.Name], rule.Name)
		seen[rule.Name] = true
		require.Contains(t, sarifLevels, rule.Severity)
		for _, text := range []string{rule.Title, rule.Why, rule.Fix} {
			require.NotEmpty(t, text, rule.Name)
		}
	}
}

// TestExamplesOfPage: each bad example breaks its rule, at the place and in the
// words of findings; the good one keeps it, and is no error.
func TestExamplesOfPage(t *testing.T) {
	for _, s := range sections(t) {
		t.Run(s.name, func(t *testing.T) {
			options := Options{Strict: ruleNamed(s.name).Strict}
			require.Equal(t, findings[s.name], ofRule(lintText(t, whole(s.bad), options), s.name))
			good := lintText(t, whole(s.good), options)
			require.Empty(t, ofRule(good, s.name))
			require.Zero(t, good.Count(Error), "%+v", good.Findings)
		})
	}
}

// TestIgnoringOnPage: both ways that the page shows to ignore a finding do.
func TestIgnoringOnPage(t *testing.T) {
	intro, _, _ := strings.Cut(readPage(t), "\n### ")
	examples := blocks.FindAllStringSubmatch(intro, -1)
	require.Len(t, examples, 2)
	for _, example := range examples {
		report := lintText(t, whole(example[1]), Options{})
		require.Empty(t, ofRule(report, "idempotence-claim"))
		require.Empty(t, ofRule(report, unusedIgnore))
		require.Len(t, report.Ignored, 1)
	}
}

// TestGoldenDocuments: the documents of other tests are linted without a fault of
// ours, the same every time.
func TestGoldenDocuments(t *testing.T) {
	documents, err := filepath.Glob("../../../testdata/golden/*/openapi.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, documents)
	for _, document := range documents {
		options := spec.Options{Spec: document, Package: "test"}
		in, err := spec.Inspect(options, true)
		if err != nil {
			continue // it cannot be read
		}
		first := Run(in, Options{Strict: true})
		again, err := spec.Inspect(options, true)
		require.NoError(t, err)
		require.Equal(t, first, Run(again, Options{Strict: true}), document)
		if len(in.Faults) == 0 { // generate has nothing against it
			require.Zero(t, first.Count(Error), document)
		}
	}
}
