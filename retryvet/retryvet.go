// Package retryvet checks how generated clients are called. It needs no OpenAPI
// document: the contracts stand in the generated code.
//
// Each analyzer stands for one mistake; https://github.com/retrygen/retrygen/blob/main/docs/retryvet.md
// shows what each finds, and how to mend it. The command cmd/retryvet runs them
// all, by itself or as go vet -vettool.
package retryvet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/retrygen/retrygen/internal/analyze"
)

// Analyzers are all checks, in the order of their names.
var Analyzers = []*analysis.Analyzer{
	analyze.Ambiguous,
	analyze.FreshKey,
	analyze.NestedRetry,
	analyze.OneShot,
	analyze.RetryLoop,
}
