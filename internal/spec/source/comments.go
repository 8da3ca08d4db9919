package source

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Comment is a comment that speaks to retrygen.
type Comment struct {
	Pos  Pos    // of its #
	Text string // what follows the #: "retrygen:ignore ..."
	Line int    // the line that it is about: its own, or the next one if it stands alone
}

const directive = "retrygen:"

var directiveLine = regexp.MustCompile(`(?:^|\s)(#\s*)(` + directive + `.*)$`)

// comments are those of a file that speak to retrygen. The parser knows what is a
// comment and not where it stands; the text knows the reverse.
func comments(file string, data []byte, document *yaml.Node) (found []Comment) {
	if !bytes.Contains(data, []byte(directive)) {
		return nil
	}
	known := map[string]bool{}
	gatherComments(document, known)
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		at := directiveLine.FindStringSubmatchIndex(strings.TrimRight(line, "\r"))
		if at == nil || !known[strings.TrimSpace(line[at[4]:])] {
			continue
		}
		about := i
		if strings.TrimSpace(line[:at[2]]) == "" {
			about = nextWritten(lines, i)
		}
		pos := Pos{File: file, Line: i + 1, Col: len([]rune(line[:at[2]])) + 1}
		found = append(found, Comment{Pos: pos, Text: strings.TrimSpace(line[at[4]:]), Line: about + 1})
	}
	return found
}

// nextWritten is the index of the first line after i that holds more than a
// comment.
func nextWritten(lines []string, i int) int {
	for i++; i < len(lines); i++ {
		if line := strings.TrimSpace(lines[i]); line != "" && line[0] != '#' {
			break
		}
	}
	return i
}

func gatherComments(node *yaml.Node, known map[string]bool) {
	for _, text := range []string{node.HeadComment, node.LineComment, node.FootComment} {
		for line := range strings.Lines(text) {
			known[strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))] = true
		}
	}
	for _, child := range node.Content {
		gatherComments(child, known)
	}
}
