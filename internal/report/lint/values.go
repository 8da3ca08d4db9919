package lint

import (
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
