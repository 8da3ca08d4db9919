package annotation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// homes is where each annotation belongs.
var homes = map[string]string{
	KeyIdempotent:    "an operation",
	KeyTransient500:  "the root or an operation",
	KeyReplayability: "an operation, a request body, a media type or a property",
	KeyRetry:         "the root or an operation",
	KeyUpstream:      "the root",
	KeyOnAmbiguous:   "the root or an operation",
	KeyPagination:    "an operation",
}

// annotations decodes the annotations among the members of an element. Of other
// members it refuses an annotation that has no effect here, and a misspelt one:
// an annotation that is silently ignored is worse than none.
func (d *decoder) annotations(place string, node *yaml.Node, known fields) {
	for key, value := range source.Members(node) {
		if field, ok := known[key.Value]; ok {
			field.decode(key.Value, key, value)
			continue
		}
		if key.Value == KeyPagination && foreign(value) {
			continue
		}
		if home, ok := homes[key.Value]; ok {
			d.report(key, RuleMisplacedAnnotation, "", "%s has no effect on %s; it belongs on %s", key.Value, place, home)
			continue
		}
		if meant, ok := misspelt(key.Value); ok {
			d.report(key, RuleUnknownAnnotation, fmt.Sprintf("did you mean %s?", meant), "unknown annotation %q", key.Value)
		}
	}
}

// misspelt is the annotation that a key was probably meant to be. The first
// letter counts: x-entry is not x-retry.
func misspelt(key string) (string, bool) {
	word, extension := strings.CutPrefix(plain(key), "x")
	if !extension || word == "" {
		return "", false
	}
	if near, ok := source.Nearest(word, spelt); ok && near[0] == word[0] {
		return spellings[near], true
	}
	return "", false
}

// plain is a key without what is easily forgotten.
func plain(key string) string { return separators.Replace(strings.ToLower(key)) }

var separators = strings.NewReplacer("-", "", "_", "", ".", "")

// spellings are the annotations without their prefix, and forms of them that are
// more than two letters off.
var spellings = map[string]string{
	"idempotent":    KeyIdempotent,
	"idempotency":   KeyIdempotent,
	"transient500":  KeyTransient500,
	"replayability": KeyReplayability,
	"replayable":    KeyReplayability,
	"retry":         KeyRetry,
	"retries":       KeyRetry,
	"upstream":      KeyUpstream,
	"onambiguous":   KeyOnAmbiguous,
	"pagination":    KeyPagination,
}

var spelt = slices.Sorted(maps.Keys(spellings))
