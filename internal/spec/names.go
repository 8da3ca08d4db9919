package spec

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"
)

// scope is one name table: no two things in it have the same name.
//
// Names are given in batches, the most important first, so that what comes
// later renames nothing: a new operation takes no name from a schema. Within a
// batch the order does not matter: of the things that want one name, the one
// that must change least for it gets it, and the others take their next choice,
// which is made of themselves alone. Where several must change equally much,
// none gets it: else a new foo-bar could take the name FooBar from foo_bar, and
// code that sets FooBar would still compile and set something else. Only of
// checksums, which are the last resort, the first takes it.
type scope struct{ taken map[string]bool }

func newScope(reserved ...[]string) *scope {
	s := &scope{taken: map[string]bool{}}
	for _, names := range reserved {
		for _, name := range names {
			s.taken[name] = true
		}
	}
	return s
}

// want is a thing that wants a name.
type want struct {
	key     string   // identifies the thing within its scope
	wire    string   // its name in the document
	choices []string // Go names, the best first
	prefix  string   // what all choices begin with, that is not of the wire name
	forced  bool     // the first choice is the user's, and the only one
	wanted  string   // the first choice, where the document has chosen it
	at      cursor
	option  string // the option that forces the name, if one does
	set     func(name string)
}

// rank is how much a name must change to become the choice.
func (w want) rank(choice string) int {
	if w.forced || w.wanted == choice {
		return 0
	}
	choice = strings.TrimPrefix(choice, w.prefix)
	switch {
	case w.wire == choice:
		return 1
	case strings.EqualFold(w.wire, choice):
		return 2
	}
	return 3
}

// name gives names to a batch. It returns those that the user has forced and
// that are taken.
func (s *scope) name(batch []want) (clashes []want) {
	slices.SortFunc(batch, func(a, b want) int { return cmp.Compare(a.key, b.key) })
	waiting := slices.Clone(batch)
	for round := 0; len(waiting) > 0; round++ {
		least := map[string]int{} // the rank that wins a choice
		equal := map[string]int{} // how many have it
		for _, w := range waiting {
			choice := w.choice(round)
			switch rank, known := least[choice]; {
			case !known || w.rank(choice) < rank:
				least[choice], equal[choice] = w.rank(choice), 1
			case w.rank(choice) == rank:
				equal[choice]++
			}
		}
		var losers []want
		for _, w := range waiting {
			choice := w.choice(round)
			wins := w.rank(choice) == least[choice] && (equal[choice] == 1 || round >= len(w.choices))
			switch {
			case wins && !s.taken[choice]:
				s.taken[choice] = true
				w.set(choice)
			case w.forced:
				clashes = append(clashes, w)
			default:
				losers = append(losers, w)
			}
		}
		waiting = losers
	}
	return clashes
}

// choice is what a thing wants in a round. When its choices are used up, a
// checksum of its key makes one that depends on nothing else.
func (w want) choice(round int) string {
	if round < len(w.choices) {
		return shorten(w.choices[round])
	}
	again := round - len(w.choices)
	return shorten(w.choices[0]) + "_" + checksum(w.key+strings.Repeat("'", again))
}

// maxName bounds the length of a name in bytes. Names of nested things are made
// of their parents' names.
const maxName = 100

func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	cut := maxName - 7
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "_" + checksum(name)
}

func checksum(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%06x", h.Sum32()&0xffffff)
}
