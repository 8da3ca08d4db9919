package spec

import (
	"slices"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// Inspection is a document as Load reads it, with all that is wrong with it.
type Inspection struct {
	// API lacks what references that lead nowhere would have led to, and may be
	// incomplete where there are Faults.
	API       *API
	Faults    source.Diagnostics // why Load refuses the document; sorted
	Mistakes  source.Diagnostics // what changes nothing that is generated; sorted
	Documents *source.Documents
}

// Inspect reads a document as Load does, and goes on after what Load refuses. With
// strict it also looks at what no client depends on: examples, defaults, patterns.
// The error is source.Diagnostics where the document cannot be read at all.
func Inspect(options Options, strict bool) (*Inspection, error) {
	docs, err := source.Load(source.Options{
		Path: options.Spec, Overlays: options.Overlays, Roots: options.Roots, Tolerant: true, Strict: strict,
	})
	if err != nil {
		return nil, err
	}
	docs.Release()
	options.Partial = false
	l := build(docs, options, true)
	return &Inspection{
		API:       l.api,
		Faults:    slices.Concat(docs.Faults, l.found).Sorted(),
		Mistakes:  docs.Notes,
		Documents: docs,
	}, nil
}
