package output

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	return lines
}

func text(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

// TestReportShowsWhatChanged: hunks as diff prints them, as long as there are
// few of them.
func TestReportShowsWhatChanged(t *testing.T) {
	changed := func(n int, edits map[int]string) []byte {
		lines := numbered(n)
		for i, line := range edits {
			lines[i-1] = line
		}
		return text(lines)
	}
	tests := map[string]struct {
		before, after []byte
		want          string
	}{
		"two that are far apart": {text(numbered(20)), changed(20, map[int]string{2: "a", 18: "b"}), `
@@ -1,5 +1,5 @@
 line 1
-line 2
+a
 line 3
 line 4
 line 5
@@ -15,6 +15,6 @@
 line 15
 line 16
 line 17
-line 18
+b
 line 19
 line 20
`},
		"two that are near": {text(numbered(9)), changed(9, map[int]string{2: "a", 8: "b"}), `
@@ -1,9 +1,9 @@
 line 1
-line 2
+a
 line 3
 line 4
 line 5
 line 6
 line 7
-line 8
+b
 line 9
`},
		"lines that are gone": {text(numbered(5)), text(numbered(3)), `
@@ -1,5 +1,3 @@
 line 1
 line 2
 line 3
-line 4
-line 5
`},
		"everything": {nil, text(numbered(2)), `
@@ -1,0 +1,2 @@
+line 1
+line 2
`},
		"hostile text": {[]byte("a\n"), []byte("\x1b[31m\u202e" + strings.Repeat("é", lineSize) + "\n"), `
@@ -1,1 +1,1 @@
-a
+` + "\uFFFD[31m\uFFFD" + strings.Repeat("é", lineSize-6) + `...
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			printDifference(&got, difference(test.before, test.after))
			require.Equal(t, test.want, "\n"+strings.ReplaceAll(got.String(), "\t", ""))
		})
	}
}

// TestReportIsBounded: a file that changed everywhere is cut short.
func TestReportIsBounded(t *testing.T) {
	var got strings.Builder
	printDifference(&got, difference(text(numbered(5000)), text(slices.Repeat([]string{"x"}, 5000))))
	lines := strings.Split(strings.TrimSpace(got.String()), "\n")
	require.Len(t, lines, perFile+2)
	require.Equal(t, "\t... and 9970 more changed lines", lines[len(lines)-1])
}

func TestPlanCountsWhatHappens(t *testing.T) {
	for want, plan := range map[string]*Plan{
		"a: 2 created, 1 replaced, 1 deleted, 3 unchanged": {Dir: "a", Same: 3, Changes: []Change{{Kind: Create}, {Kind: Replace}, {Kind: Create}, {Kind: Delete}}},
		"a: 1 unchanged":         {Dir: "a", Same: 1},
		".: nothing to generate": {Dir: "."},
		"../x/y: 1 deleted":      {Dir: "../x/./y/", Changes: []Change{{Kind: Delete}}},
	} {
		require.Equal(t, want, plan.String())
	}
}
