package corpus

import (
	"maps"
	"math"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// direction is what an example is for.
type direction int

const (
	request direction = iota
	answer
	form // a request whose files are those of a multipart form
)

// exampleOf is a value that a schema permits, with all of its properties.
func exampleOf(s *openapi3.Schema, d direction) any { return exampler{d}.of(s, 0) }

type exampler struct{ direction }

const deepest = 5 // below it, only what is required

func (e exampler) of(s *openapi3.Schema, depth int) any {
	switch {
	case s == nil:
		return "any"
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return e.with(s, s.OneOf[0].Value, depth)
	case len(s.AnyOf) > 0:
		return e.with(s, s.AnyOf[0].Value, depth)
	case s.Type.Is("array"):
		return e.list(s, depth)
	case s.Type.Is("boolean"):
		return true
	case s.Type.Is("integer"), s.Type.Is("number"):
		return number(s)
	case s.Type.Is("string"):
		return e.text(s)
	}
	return e.object(s, depth)
}

// with is an alternative, and what stands beside it.
func (e exampler) with(s, choice *openapi3.Schema, depth int) any {
	value := e.of(choice, depth)
	if object, ok := value.(map[string]any); ok {
		e.properties(s, object, depth)
	}
	return value
}

func (e exampler) list(s *openapi3.Schema, depth int) any {
	items := []any{}
	for len(items) < max(1, int(s.MinItems)) && (depth < deepest || s.MinItems > 0) {
		if s.Items == nil {
			items = append(items, "any")
		} else {
			items = append(items, e.of(s.Items.Value, depth+1))
		}
	}
	return items
}

func (e exampler) object(s *openapi3.Schema, depth int) any {
	object := map[string]any{}
	for _, part := range s.AllOf {
		value, ok := e.of(part.Value, depth).(map[string]any)
		if !ok {
			return e.of(part.Value, depth)
		}
		maps.Copy(object, value)
	}
	e.properties(s, object, depth)
	for _, name := range s.Required {
		if s.Properties[name] == nil && object[name] == nil {
			object[name] = "any"
		}
	}
	if extra := s.AdditionalProperties.Schema; extra != nil && depth < deepest {
		object["other"] = e.of(extra.Value, depth+1)
	}
	return object
}

func (e exampler) properties(s *openapi3.Schema, object map[string]any, depth int) {
	for name, property := range s.Properties {
		p := property.Value
		switch {
		case e.direction != answer && p.ReadOnly, e.direction == answer && p.WriteOnly:
			continue
		case depth >= deepest && !required(s, name):
			continue
		}
		object[name] = e.member(p, depth)
	}
}

func (e exampler) member(p *openapi3.Schema, depth int) any {
	file := func(s *openapi3.Schema) bool { return e.direction == form && depth == 0 && s.Format == "binary" }
	switch {
	case file(p):
		return map[string]any{"Data": "aGVsbG8="}
	case p.Type.Is("array") && p.Items != nil && file(p.Items.Value):
		return []any{map[string]any{"Data": "aGVsbG8="}}
	}
	return e.of(p, depth+1)
}

func required(s *openapi3.Schema, name string) bool {
	for _, r := range s.Required {
		if r == name {
			return true
		}
	}
	return false
}

// number is one that all limits permit, where there are any.
func number(s *openapi3.Schema) any {
	n := 1.0
	if s.Min != nil {
		n = *s.Min
		if s.ExclusiveMin.IsTrue() {
			n++
		}
	}
	if s.Max != nil && n > *s.Max {
		n = *s.Max
	}
	if s.MultipleOf != nil {
		n = math.Ceil(n / *s.MultipleOf) * *s.MultipleOf
	}
	return n
}

// formats are texts of the formats that have a type of their own, or that the judge
// checks.
var formats = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "byte": "aGVsbG8=", "uuid": "123e4567-e89b-12d3-a456-426614174000",
	"email": "a@example.com", "uri": "https://example.com/a?b=c", "url": "https://example.com",
}

func (e exampler) text(s *openapi3.Schema) any {
	if text, ok := formats[s.Format]; ok {
		return text
	}
	if text, ok := patterns[s.Pattern]; ok && s.Pattern != "" {
		return text
	}
	if prefix := identifier.FindStringSubmatch(s.Pattern); prefix != nil {
		return prefix[1] + strings.Repeat("0a", 16)
	}
	text := "a b&c=d/é"
	if s.Pattern != "" {
		text = "x"
	}
	if n := int(s.MinLength); len([]rune(text)) < n {
		text += strings.Repeat("x", n-len([]rune(text)))
	}
	if s.MaxLength != nil && len([]rune(text)) > int(*s.MaxLength) {
		text = string([]rune(text)[:*s.MaxLength])
	}
	return text
}

// identifier is the pattern of identifiers with a prefix.
var identifier = regexp.MustCompile(`^\^([A-Z]{2})\[0-9a-fA-F\]\{32\}\$$`)

// patterns are texts for the regular expressions of the judged documents.
var patterns = map[string]string{
	`(\{user_question\}[\s\S]*?\{content\}|\{content\}[\s\S]*?\{user_question\})`: "{user_question} {content}",
	`\{user_question\}`: "{user_question}",
}
