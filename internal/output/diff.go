package output

import (
	"bytes"
	"slices"
)

// edit is one line of a difference: ' ' is in both, '-' in the old text alone,
// '+' in the new one alone.
type edit struct {
	op   byte
	text string
}

// most edits that are looked for: texts that are further apart are shown as one
// replaced by the other.
const mostEdits = 400

// difference is the shortest way from old to new, line by line.
func difference(before, after []byte) []edit {
	a, b := lines(before), lines(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := appendAll(nil, ' ', a[:head])
	edits = append(edits, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return appendAll(edits, ' ', a[len(a)-tail:])
}

func appendAll(edits []edit, op byte, lines []string) []edit {
	for _, line := range lines {
		edits = append(edits, edit{op, line})
	}
	return edits
}

func lines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(line))
	}
	return lines
}

// shortest is Myers' greedy algorithm: after d edits, reach[k] is how far into a
// one gets on the diagonal k, where k is the place in a less the place in b.
func shortest(a, b []string) []edit {
	reach := map[int]int{1: 0}
	var history []map[int]int
	for d := 0; d <= min(len(a)+len(b), mostEdits); d++ {
		history = append(history, nil)
		next := map[int]int{}
		for k := -d; k <= d; k += 2 {
			x := start(reach, k, d)
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			next[k] = x
			if x >= len(a) && x-k >= len(b) {
				history[d] = reach
				return trace(a, b, history)
			}
		}
		history[d] = reach
		reach = next
	}
	return appendAll(appendAll(nil, '-', a), '+', b)
}

// start is where diagonal k begins with edit d: below the end of its upper
// neighbour (an insertion), or right of its lower one (a deletion).
func start(reach map[int]int, k, d int) int {
	if k == -d || k != d && reach[k-1] < reach[k+1] {
		return reach[k+1]
	}
	return reach[k-1] + 1
}

// trace walks back from the end through the reach that each edit began with.
func trace(a, b []string, history []map[int]int) []edit {
	var edits []edit
	x, y := len(a), len(b)
	for d := len(history) - 1; d >= 0; d-- {
		k := x - y
		x0 := start(history[d], k, d)
		for x > x0 {
			x, y = x-1, y-1
			edits = append(edits, edit{' ', a[x]})
		}
		switch {
		case d == 0:
		case k == -d || k != d && history[d][k-1] < history[d][k+1]:
			y--
			edits = append(edits, edit{'+', b[y]})
		default:
			x--
			edits = append(edits, edit{'-', a[x]})
		}
	}
	slices.Reverse(edits)
	return edits
}
