package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report/lint"
	"github.com/retrygen/retrygen/internal/spec"
)

// TestLintEveryDocument: every document of the corpus becomes a client, so none has
// an error; all that is found has a place in a file.
func TestLintEveryDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents take long")
	}
	for _, document := range find(t, folder(t)) {
		t.Run(filepath.Base(document), func(t *testing.T) {
			report := linted(t, document, true)
			require.Zero(t, report.Count(lint.Error))
			for _, f := range report.Findings {
				require.NotEmpty(t, f.Pos.File)
				require.Positive(t, f.Pos.Line, f.Text())
				require.Positive(t, f.Pos.Col, f.Text())
			}
		})
	}
}

// TestLintAnnotated: overlays that annotate well have no errors either, and their
// claims are seen.
func TestLintAnnotated(t *testing.T) {
	corpus := folder(t)
	for _, test := range annotated {
		t.Run(test.pkg, func(t *testing.T) {
			report := linted(t, filepath.Join(corpus, test.document), false, filepath.Join("testdata", test.pkg+".yaml"))
			require.Zero(t, report.Count(lint.Error))
			undeclared := 0
			for _, f := range report.Findings {
				if f.Rule.Name == "undeclared-idempotency" {
					undeclared++
				}
			}
			require.Less(t, undeclared, test.operations)
		})
	}
}

func linted(t testing.TB, document string, strict bool, overlays ...string) lint.Report {
	t.Helper()
	in, err := spec.Inspect(spec.Options{Spec: document, Overlays: overlays, Package: "client"}, strict)
	require.NoError(t, err)
	return lint.Run(in, lint.Options{Strict: strict})
}

// BenchmarkLint lints the largest document of the corpus and generates a client of
// it in turn, so that the noise of the machine meets both, and reports how much
// longer lint takes.
func BenchmarkLint(b *testing.B) {
	document := largest(b, os.Getenv("RETRYGEN_CORPUS"))
	for name, strict := range map[string]bool{"lint": false, "strict": true} {
		b.Run(name, func(b *testing.B) {
			var linting, generating time.Duration
			for b.Loop() {
				start := time.Now()
				linted(b, document, strict)
				between := time.Now()
				_, _, err := generate(spec.Options{Spec: document, Package: "client"})
				require.NoError(b, err)
				linting, generating = linting+between.Sub(start), generating+time.Since(between)
			}
			b.ReportMetric(linting.Seconds()/generating.Seconds(), "lint/generate")
		})
	}
}

func largest(b *testing.B, corpus string) string {
	if corpus == "" {
		b.Skip("set RETRYGEN_CORPUS to a folder of published documents to run this benchmark")
	}
	size := func(name string) int64 {
		info, err := os.Stat(name)
		require.NoError(b, err)
		return info.Size()
	}
	return slices.MaxFunc(find(b, corpus), func(x, y string) int { return int(size(x) - size(y)) })
}
