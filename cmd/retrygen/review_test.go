package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReviewIsTrue: docs/review.md shows what the commands print and write when
// x-idempotent of createPet becomes true.
func TestReviewIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/review.md")
	require.NoError(t, err)
	pets, err := filepath.Abs("testdata/pets")
	require.NoError(t, err)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Chdir(t.TempDir())
	require.NoError(t, copyNew(pets, "."))
	replaceIn(t, "retrygen.yaml", "output: pets", "output: pets\ncontract-document: true")
	replaceIn(t, "openapi.yaml", `x-idempotent: {key: {header: Idempotency-Key, template: "pet-{name}"}}`, "x-idempotent: false")
	expectOutput(t, exitDone, "generate", "-q")
	before := written(t)
	for _, arguments := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "before"}} {
		out, err := exec.Command("git", arguments...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	replaceIn(t, "openapi.yaml", "x-idempotent: false", "x-idempotent: true")
	expectOutput(t, exitDone, "generate", "-q")
	after := written(t)

	diffs, commands := 0, 0
	for _, block := range regexp.MustCompile("(?ms)^```(diff|text)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if block[1] == "diff" {
			diffs++
			requireDiff(t, before, after, block[2])
			continue
		}
		commands++
		command, shown, _ := strings.Cut(block[2], "\n")
		arguments, ok := strings.CutPrefix(command, "$ retrygen ")
		require.True(t, ok, command)
		code := exitDone
		if strings.Contains(arguments, "--fail-on") {
			code = exitFindings
		}
		requireExcerpt(t, expectOutput(t, code, strings.Fields(arguments)...), shown)
	}
	require.Equal(t, []int{3, 3}, []int{diffs, commands})
}

func replaceIn(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
}

func expectOutput(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Equal(t, code, run(arguments, &stdout, &stderr), stderr.String())
	return stdout.String()
}

// written is the document and all that is generated from it.
func written(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"openapi.yaml", "pets/operations.gen.go", "pets/CONTRACT.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

// requireDiff: both sides of each part of a difference are there, before and after.
func requireDiff(t *testing.T, before, after, shown string) {
	t.Helper()
	for part := range strings.SplitSeq(shown, "...\n") {
		var old, new strings.Builder
		for line := range strings.Lines(part) {
			if line[0] != '+' {
				old.WriteString(line[1:])
			}
			if line[0] != '-' {
				new.WriteString(line[1:])
			}
		}
		require.Contains(t, before, old.String())
		require.Contains(t, after, new.String())
		require.NotContains(t, after, old.String())
	}
}

// requireExcerpt: what is shown is the output, but for what "..." stands for.
func requireExcerpt(t *testing.T, output, shown string) {
	t.Helper()
	parts := strings.Split(shown, "...\n")
	for i, part := range parts {
		at := strings.Index(output, part)
		require.GreaterOrEqual(t, at, 0, "the output has no\n%s", part)
		if i == 0 {
			require.Zero(t, at, "the output begins with something else than\n%s", part)
		}
		output = output[at+len(part):]
	}
	if last := parts[len(parts)-1]; last != "" {
		require.Empty(t, output)
	}
}
