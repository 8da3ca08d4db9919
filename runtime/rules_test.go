package runtime_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	ruleID = regexp.MustCompile(`RULE-[A-Z0-9]+(?:-[A-Z0-9]+)*`)
	// A heading, a bold list item or the first cell of a table row defines an id.
	ruleDefinition = regexp.MustCompile(`(?m)^(?:## |- \*\*|\| )(RULE-[A-Z0-9]+(?:-[A-Z0-9]+)*)`)
)

// Every rule exists once. What is cited anywhere in the repository exists, and
// what exists is cited by a test, or a table that a test reads.
func TestRulesAreDefinedAndTested(t *testing.T) {
	page, err := os.ReadFile("../docs/rules.md")
	require.NoError(t, err)
	defined := map[string]int{}
	for _, match := range ruleDefinition.FindAllStringSubmatch(string(page), -1) {
		defined[match[1]]++
	}
	require.Greater(t, len(defined), 80)
	for id, times := range defined {
		require.Equal(t, 1, times, "%s is defined %d times", id, times)
	}

	tested := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !citesRules(path) || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, id := range ruleID.FindAllString(string(text), -1) {
			if defined[id] == 0 {
				t.Errorf("%s cites %s, which docs/rules.md does not define", path, id)
			}
			tested[id] = tested[id] || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) == ".tsv"
		}
		return err
	})
	require.NoError(t, err)
	ids := slices.Sorted(maps.Keys(defined))
	for _, id := range ids {
		member := func(other string) bool { return strings.HasPrefix(other, id+"-") }
		if !tested[id] && !slices.ContainsFunc(ids, member) { // a family is its members
			t.Errorf("no test cites %s", id)
		}
	}
}

func citesRules(path string) bool {
	extension := filepath.Ext(path)
	return (extension == ".go" || extension == ".md" || extension == ".tsv") && !strings.Contains(path, "/.git/")
}
