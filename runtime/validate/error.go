package validate

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is everything that is wrong with a value.
type Error struct {
	Problems []Problem
}

// Problem is one thing that is wrong.
type Problem struct {
	Pointer string // JSON pointer of the value, "/tags/3/name"; "" is the whole
	Message string // what is wrong, without the value
}

// maxLines bounds the text of an error; Problems has them all.
const maxLines = 10

// Error has a line per problem, at most 10 and how many more there are.
func (e *Error) Error() string {
	shown := e.Problems[:min(len(e.Problems), maxLines)]
	lines := make([]string, 0, len(shown)+1)
	for _, problem := range shown {
		lines = append(lines, problem.String())
	}
	if more := len(e.Problems) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

const maxPointer = 200

// String is the problem in one line. A pointer may hold the key of a map, which
// is any text.
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	pointer := p.Pointer
	if len(pointer) > maxPointer {
		pointer = pointer[:maxPointer] + "..."
	}
	if quoted := strconv.Quote(pointer); len(quoted) != len(pointer)+2 {
		pointer = quoted
	}
	return pointer + ": " + p.Message
}
