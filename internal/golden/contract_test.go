package golden

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRuntimeOfAnotherContractDoesNotCompile: the message names what to run.
func TestRuntimeOfAnotherContractDoesNotCompile(t *testing.T) {
	version, err := filepath.Abs(root + "/runtime/version.go")
	require.NoError(t, err)
	source, err := os.ReadFile(version)
	require.NoError(t, err)
	other, overlay := filepath.Join(t.TempDir(), "version.go"), filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(other, []byte(strings.ReplaceAll(string(source), "ContractV1", "ContractV2")), 0o644))
	require.NoError(t, os.WriteFile(overlay, []byte(`{"Replace": {"`+version+`": "`+other+`"}}`), 0o644))
	build := exec.Command("go", "build", "-overlay", overlay, "./testdata/golden/payments")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "client.gen.go")
	require.Contains(t, string(out), "undefined: runtime.ContractV1")
}

// TestAnnotationChangesAreLinesOfOneContract: what a reviewer sees of a changed
// annotation is its line in the contract of its operation, what the doc comment
// says of it, and nothing else.
func TestAnnotationChangesAreLinesOfOneContract(t *testing.T) {
	const before = `x-idempotent: true`
	for change, want := range map[string][]string{
		`x-idempotent: false`:     {"Idempotency:"},
		``:                        {"Idempotency:"},
		`x-idempotent: {key: {}}`: {"Idempotency:", "KeyHeader:"},
		`x-idempotent: {key: {header: X-K, template: "k-{order}", retention: 1h}}`: {"Idempotency:", "KeyHeader:", "KeyTemplate:", "KeyRetention:", "Key:"},
		"x-idempotent: false\n      x-on-ambiguous: required":                      {"Idempotency:", "ReconcileTimeout:", "func", "Ask:"},
		before + "\n      x-transient-500: true":                                   {"Transient500:"},
		before + "\n      x-retry: {max-attempts: 2}":                              {"MaxAttempts:"},
		before + "\n      x-retry: {deadline: 20s}":                                {"Deadline:", "RetryAfterMax:"},
		before + "\n      x-retry: {attempt-timeout: 1s}":                          {"AttemptTimeout:"},
		before + "\n      x-retry: {min-attempt-budget: 1s}":                       {"MinAttemptBudget:"},
		before + "\n      x-retry: {backoff: {base: 1s}}":                          {"BackoffBase:"},
		before + "\n      x-retry: {backoff: {max: 1s}}":                           {"BackoffMax:"},
		before + "\n      x-retry: {backoff: {multiplier: 3}}":                     {"BackoffMultiplier:"},
		before + "\n      x-retry: {backoff: {jitter: decorrelated}}":              {"BackoffJitter:"},
		before + "\n      x-retry: {retry-after: {max: 1s}}":                       {"RetryAfterMax:"},
		before + "\n      x-retry: {retry-after: {malformed: deny}}":               {"RetryAfterMalformed:"},
		before + "\n      x-retry: {statuses: {429: deny}}":                        {"DeniedStatuses:"},
		before + "\n      x-retry: {transient: [520]}":                             {"TransientStatuses:"},
	} {
		t.Run(change, func(t *testing.T) {
			old, changed := annotated(t, before), annotated(t, change)
			for name := range old {
				if name != "operations.gen.go" {
					require.Equal(t, string(old[name]), string(changed[name]), name)
				}
			}
			require.Equal(t, want, changedKeys(string(old["operations.gen.go"]), string(changed["operations.gen.go"])))
		})
	}
}

// annotated is the client of a document in which one of two operations has these
// annotations.
func annotated(t *testing.T, annotations string) map[string][]byte {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(`openapi: 3.0.3
info: {title: Orders, version: "1"}
servers: [{url: "https://orders.example.com"}]
paths:
  /orders:
    post: &order
      operationId: first
      `+annotations+`
      parameters: [{name: order, in: query, required: true, schema: {type: string}}]
      responses: {"204": {description: ok}}
  /more:
    post:
      operationId: second
      x-idempotent: true
      parameters: [{name: order, in: query, required: true, schema: {type: string}}]
      responses: {"204": {description: ok}}
`), 0o644))
	files := generate(t, "orders")
	require.NotContains(t, files, refusal, "%s", files[refusal])
	return files
}

// changedKeys are the first words of the lines that only the second text has.
// Lines of comments are left out.
func changedKeys(before, after string) (keys []string) {
	lines := map[string]int{}
	for line := range strings.Lines(before) {
		lines[line]++
	}
	for line := range strings.Lines(after) {
		if lines[line]--; lines[line] < 0 && !strings.HasPrefix(line, "//") {
			keys = append(keys, strings.Fields(line)[0])
		}
	}
	return keys
}

// TestOutputIsTheSameEveryTime, whatever the order of maps and the number of
// processors.
func TestOutputIsTheSameEveryTime(t *testing.T) {
	processors := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(processors) })
	for _, name := range []string{"references", "validation", "names", "security"} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join(folder, name))
			first := generate(t, name)
			for i := range 20 {
				runtime.GOMAXPROCS(1 + i%2*7)
				require.Equal(t, first, generate(t, name))
			}
		})
	}
}
