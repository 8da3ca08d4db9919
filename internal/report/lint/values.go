package lint

import (
	"cmp"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// written is a value that an operation says itself; zero for any other.
type written struct{ pos source.Pos }

func at[T any](v spec.Value[T]) written {
	if v.Origin != spec.FromOperation {
		return written{}
	}
	return written{v.Pos}
}

// nearer is the position of the value that is written nearer to the operation: it
// is the one that made the difference.
func nearer[A, B any](a spec.Value[A], b spec.Value[B]) source.Pos {
	if b.Origin > a.Origin {
		return cmp.Or(b.Pos, a.Pos)
	}
	return cmp.Or(a.Pos, b.Pos)
}

// short is a duration without trailing zero units: 1m, not 1m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
