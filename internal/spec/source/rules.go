package source

import "github.com/getkin/kin-openapi/openapi3"

// The kinds of mistakes in a document as such.
const (
	RuleBrokenReference = "broken-reference"
	RuleInvalidDocument = "invalid-document"
	RuleInvalidExample  = "invalid-example"
	RuleInvalidDefault  = "invalid-default"
	RuleInvalidPattern  = "invalid-pattern"
	RuleUntidyDocument  = "untidy-document"
)

// ruleOf is the kind of a mistake that changes nothing that is generated.
func ruleOf(err error) string {
	switch {
	case is[*openapi3.ExampleViolatesSchema](err):
		return RuleInvalidExample
	case is[*openapi3.DefaultViolatesSchema](err):
		return RuleInvalidDefault
	case is[*openapi3.SchemaPatternRegexError](err):
		return RuleInvalidPattern
	}
	return RuleUntidyDocument
}

// keywords are where the mistakes of some kinds stand in a schema.
var keywords = map[string]string{RuleInvalidExample: "example", RuleInvalidDefault: "default", RuleInvalidPattern: "pattern"}

// named tells the kind of harmless mistakes in an element, at the place of the
// keyword that has them.
func (d *Documents) named(here place, found Diagnostics, err error) Diagnostics {
	found = ruled(found, ruleOf(err))
	for i := range found {
		if key, _ := Member(here.node, keywords[found[i].Rule]); key != nil {
			found[i].Pos = d.posIn(here.file, key)
		}
		if found[i].Rule == RuleInvalidPattern {
			found[i].Message = "invalid pattern: it is no regular expression of Go (RE2)"
		}
	}
	return found
}

func ruled(found Diagnostics, rule string) Diagnostics {
	for i := range found {
		found[i].Rule = rule
	}
	return found
}
