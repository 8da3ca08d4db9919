package source

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// explainLoad gives a position to why kin-openapi could not load the document.
func (d *Documents) explainLoad(err error) error {
	var found Diagnostics
	if errors.As(err, &found) {
		return found.Err()
	}
	var load *yaml.LoadError
	if errors.As(err, &load) {
		at := d.valueAt(d.last, load.Mark.Line, load.Mark.Column)
		return one(at.pos, misfit(at.node, load.Message), "")
	}
	if found := d.badRefs(); len(found) > 0 {
		return found.Err()
	}
	return d.located(one(Pos{File: d.last.path}, firstLine(withoutValues(err.Error())), "")).Err()
}

var constructed = regexp.MustCompile(`^cannot construct \S+ into (\S+)`)

// lists are the types of kin-openapi that are slices.
var lists = []string{"openapi3.Parameters", "openapi3.SchemaRefs", "openapi3.SecurityRequirements", "openapi3.Servers", "openapi3.Tags"}

// misfit says in a user's words that a value does not fit into a Go type.
func misfit(node *yaml.Node, message string) string {
	message = firstLine(withoutValues(message))
	match := constructed.FindStringSubmatch(message)
	if match == nil {
		return message
	}
	expected := "a mapping"
	switch goType := match[1]; {
	case strings.HasPrefix(goType, "[]"), slices.Contains(lists, goType):
		expected = "a list"
	case goType == "string":
		expected = "a string"
	case goType == "bool":
		expected = "true or false"
	case strings.HasPrefix(goType, "uint"):
		expected = "a whole number from 0 to 18446744073709551615"
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "float"):
		expected = "a number"
	}
	return fmt.Sprintf("found %s; expected %s", KindName(node), expected)
}

// firstLine is the beginning of a message; the rest of long ones dumps values.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
