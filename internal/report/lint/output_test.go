package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// sample has a finding of each severity, one without a place, one in a file whose
// name needs escaping, and one that is ignored.
func sample() Report {
	finding := func(rule, file string, line, col int, message string) Finding {
		r := ruleNamed(rule)
		return Finding{Rule: r, Pos: source.Pos{File: file, Line: line, Col: col}, Message: message, Fix: r.Fix}
	}
	ignored := finding("idempotence-claim", "openapi.yaml", 7, 3, "quiet")
	ignored.Reason = "it is a search"
	return Report{
		Findings: []Finding{
			finding(notGenerated, "", 0, 0, "nowhere"),
			finding("undeclared-idempotency", "a b/öpen:api%.yaml", 2, 1, "one"),
			finding("random-key", "openapi.yaml", 3, 4, "two"),
			finding("random-key", "openapi.yaml", 0, 0, "the whole file"),
			finding("random-key", "/srv/openapi.yaml", 5, 6, "three"),
		},
		Ignored: []Finding{ignored},
	}
}

// TestSARIF holds the log to the parts of SARIF 2.1.0 that it uses, and to what
// code scanning asks for beyond that.
func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().WriteSARIF(&out, "v1.2.3", "openapi.yaml"))
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	var log sarifLog
	require.NoError(t, decoder.Decode(&log))
	require.Equal(t, "2.1.0", log.Version)
	require.Contains(t, log.Schema, "sarif-schema-2.1.0.json")
	require.Len(t, log.Runs, 1)
	driver := log.Runs[0].Tool.Driver
	require.Equal(t, "retrygen", driver.Name)
	require.Equal(t, "v1.2.3", driver.Version)
	require.Equal(t, "unicodeCodePoints", log.Runs[0].ColumnKind)

	ids := map[string]bool{}
	for _, rule := range driver.Rules {
		require.False(t, ids[rule.ID], "ids are unique")
		ids[rule.ID] = true
		for _, text := range []string{rule.ShortDescription.Text, rule.FullDescription.Text, rule.Help.Text, rule.Help.Markdown} {
			require.NotEmpty(t, text)
			require.Less(t, len(text), 1024)
		}
		require.Contains(t, []string{"error", "warning", "note"}, rule.DefaultConfiguration.Level)
		require.True(t, strings.HasSuffix(rule.HelpURI, "docs/lint.md#"+rule.ID))
	}
	require.Len(t, ids, len(rules))

	require.Len(t, log.Runs[0].Results, 5)
	var places []string
	for _, result := range log.Runs[0].Results {
		require.Equal(t, result.RuleID, driver.Rules[result.RuleIndex].ID)
		require.Equal(t, driver.Rules[result.RuleIndex].DefaultConfiguration.Level, result.Level)
		require.NotEmpty(t, result.Message.Text)
		require.Len(t, result.Locations, 1)
		at := result.Locations[0].PhysicalLocation
		require.Positive(t, at.Region.StartLine)
		require.Positive(t, at.Region.StartColumn)
		places = append(places, at.ArtifactLocation.URIBaseID+" "+at.ArtifactLocation.URI)
	}
	require.Equal(t, []string{
		"%SRCROOT% openapi.yaml", "%SRCROOT% a%20b/%C3%B6pen:api%25.yaml", "%SRCROOT% openapi.yaml", "%SRCROOT% openapi.yaml", " file:///srv/openapi.yaml",
	}, places)
}

// TestSARIFOfNothing: results is a list also where there are none.
func TestSARIFOfNothing(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Report{}.WriteSARIF(&out, "", "openapi.yaml"))
	require.Contains(t, out.String(), `"results": []`)
}

func TestJSONOfNothing(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Report{}.WriteJSON(&out))
	require.JSONEq(t, `{"findings": [], "ignored": [], "summary": {"errors": 0, "warnings": 0, "infos": 0, "ignored": 0}}`, out.String())
}

// TestText: colours are sequences around the same text.
func TestText(t *testing.T) {
	var plain, coloured bytes.Buffer
	require.NoError(t, sample().WriteText(&plain, TextOptions{}))
	require.NoError(t, sample().WriteText(&coloured, TextOptions{Colour: true}))
	require.NotContains(t, plain.String(), "\x1b")
	const reset = "\x1b[0m"
	require.Contains(t, coloured.String(), report.Yellow+"warning:"+reset)
	require.Equal(t, plain.String(), strings.NewReplacer(reset, "", report.Bold, "", report.Faint, "", report.Red, "", report.Yellow, "", report.Blue, "").Replace(coloured.String()))
	require.Equal(t, 1, strings.Count(plain.String(), ruleNamed("random-key").Why), "why is said once")
	require.True(t, strings.HasPrefix(plain.String(), "error: nowhere [not-generated]\n"))
	require.True(t, strings.HasSuffix(plain.String(), "\n1 error, 1 warning, 3 infos, 1 ignored\n"))
}

// TestTextCannotControlATerminal: neither a name of a file nor an operation's id.
func TestTextCannotControlATerminal(t *testing.T) {
	hostile := Finding{Rule: ruleNamed("random-key"), Pos: source.Pos{File: "a\x1b[2Jb", Line: 1, Col: 1}, Operations: []string{"\x1b\u202e"}, Message: "m\x1b", Fix: "f\x1b", Reason: "r\x1b"}
	var out bytes.Buffer
	require.NoError(t, Report{[]Finding{hostile}, []Finding{hostile}}.WriteText(&out, TextOptions{Verbose: true}))
	requireTame(t, out.String())
}

func requireTame(t *testing.T, text string) {
	t.Helper()
	require.False(t, strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}), "%q", text)
}

// FuzzLint: any document that can be read is linted, the same every time, and
// every form of the report can be read.
func FuzzLint(f *testing.F) {
	documents, err := filepath.Glob("../../../testdata/golden/*/openapi.yaml")
	require.NoError(f, err)
	for _, name := range documents {
		document, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(document)
	}
	for _, test := range cases {
		f.Add([]byte(whole(test.document)))
	}
	f.Add([]byte(whole("x-retrygen-ignore: [{rule: random-key, reason: why}] # retrygen:ignore random-key: why\n")))
	f.Fuzz(func(t *testing.T, document []byte) {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("openapi.yaml", document, 0o644))
		options := spec.Options{Spec: "openapi.yaml", Package: "fuzz"}
		in, err := spec.Inspect(options, true)
		if err != nil {
			var found source.Diagnostics
			require.True(t, errors.As(err, &found), "%T", err)
			return
		}
		report := Run(in, Options{Strict: true})
		again, err := spec.Inspect(options, true)
		require.NoError(t, err)
		require.Equal(t, report, Run(again, Options{Strict: true}))
		_, err = spec.Load(options)
		refused, elsewhere := refusals(report)
		require.Equal(t, err != nil, refused || elsewhere && err != nil, "lint and generate disagree: %v", err)
		forms := everyForm(t, report)
		requireTame(t, forms[0])
		require.True(t, json.Valid([]byte(forms[2])))
		require.True(t, json.Valid([]byte(forms[3])))
	})
}

// refusals tell whether a report names what generate refuses, or refuses where it
// looks: at annotations.
func refusals(r Report) (refused, elsewhere bool) {
	for _, f := range r.Findings {
		switch name := f.Rule.Name; {
		case name == annotation.RuleUnknownAnnotation, name == annotation.RuleMisplacedAnnotation:
			elsewhere = true
		case f.Rule.Fixed && name != badIgnore && name != unusedIgnore:
			refused = true
		}
	}
	return refused, elsewhere
}
