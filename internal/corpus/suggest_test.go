package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report/suggest"
	"github.com/retrygen/retrygen/internal/spec"
)

// TestSuggest: of the documents that every run compiles, and of one that documents
// keys, the suggestion is an overlay that generates, reaches all that it proposes, and
// repeats nothing for its method's sake. RETRYGEN_CORPUS_ALL is all documents.
func TestSuggest(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents take long")
	}
	chosen := append([]string{"adyen-checkout-v71.yaml"}, compiled...)
	all := os.Getenv("RETRYGEN_CORPUS_ALL") != ""
	for _, document := range find(t, folder(t)) {
		if name := filepath.Base(document); !slices.Contains(chosen, name) && !all {
			continue
		}
		t.Run(filepath.Base(document), func(t *testing.T) {
			options := spec.Options{Spec: document, Package: "client"}
			in, err := spec.Inspect(options, false)
			require.NoError(t, err)
			s := suggest.New(document, in)
			want := map[spec.Idempotency]int{}
			for _, op := range s.Operations {
				require.NotEmpty(t, op.Target, op.Missed)
				want[becomes(op)]++
			}
			overlay := filepath.Join(t.TempDir(), "retries.yaml")
			require.NoError(t, os.WriteFile(overlay, s.Overlay(), 0o644))
			options.Overlays = []string{overlay}
			api, _, err := generate(options)
			require.NoError(t, err)
			got := map[spec.Idempotency]int{}
			for _, op := range api.Operations {
				if op.Further == nil {
					got[op.Contract.Idempotency.V]++
				}
			}
			require.Equal(t, want, got)
		})
	}
}

// becomes is what a proposal declares.
func becomes(op suggest.Operation) spec.Idempotency {
	switch {
	case op.Key != "":
		return spec.IdempotentByKey
	case op.Class == suggest.Evident:
		return spec.Idempotent
	case op.Class == suggest.Doubtful:
		return spec.NotIdempotent
	}
	return spec.Undeclared
}
