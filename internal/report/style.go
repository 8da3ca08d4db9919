package report

import (
	_ "embed"
	"html/template"
)

//go:embed style.css
var style string

// Style is the style sheet that the pages of all reports have in common.
func Style() template.CSS { return template.CSS(style) } //nolint:gosec // it is our own file
