// Package source reads a document and all it refers to: files are confined to
// known folders, overlays are applied, and every JSON pointer has a position.
package source

import "fmt"

// Pos is a place that the user can open. The zero Pos means "not written".
// File is as the user would type it: relative to the working folder where
// possible. Line and Col count from 1; Col counts characters.
type Pos struct {
	File string
	Line int
	Col  int
}

// String is file:line:col, without the parts that are not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Diagnostic is one message about a document: what was found, and how to mend
// it.
type Diagnostic struct {
	Pos     Pos
	Message string // what was found and what was expected
	Fix     string // how to mend it; may be empty
	Rule    string // what kind of mistake it is, as a rule of lint; may be empty
}

func (d Diagnostic) Error() string {
	text := d.Message
	if d.Pos != (Pos{}) {
		text = d.Pos.String() + ": " + text
	}
	if d.Fix != "" {
		text += "\n\t" + d.Fix
	}
	return text
}
