package annotation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
)

// unlimited is the upper bound of what has none.
const unlimited = math.MaxInt32

// integer decodes a whole number from least to most.
func integer(d *decoder, into *Field[int], least, most int) field {
	expected := fmt.Sprintf("a whole number from %d to %d", least, most)
	if most == unlimited {
		expected = fmt.Sprintf("a whole number of at least %d", least)
	}
	schema := &jsonschema.Schema{Type: "integer", Minimum: new(float64(least)), Maximum: new(float64(most))}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		n, ok := whole(value)
		if !ok || n < least || n > most {
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, n)
	}}
}

func whole(value *yaml.Node) (int, bool) {
	if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!int" {
		return 0, false
	}
	n, err := strconv.Atoi(value.Value)
	return n, err == nil
}

// number decodes a decimal number from least to most.
func number(d *decoder, into *Field[float64], least, most float64) field {
	expected := fmt.Sprintf("a number from %v to %v", least, most)
	schema := &jsonschema.Schema{Type: "number", Minimum: &least, Maximum: &most}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		numeric := value.Kind == yaml.ScalarNode && (value.ShortTag() == "!!int" || value.ShortTag() == "!!float")
		n, err := strconv.ParseFloat(value.Value, 64)
		if !numeric || err != nil || !(n >= least && n <= most) { // false for NaN
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, n)
	}}
}

// span is a range of durations.
type span struct {
	least, most time.Duration
	none        bool // the word none is permitted, and decodes to 0
}

// positive are the durations above 0.
var positive = span{least: 1, most: math.MaxInt64}

func (s span) expected() string {
	text := "a duration such as 250ms or 1m30s"
	switch {
	case s == positive:
		text += ", above 0"
	case s.least <= 1:
		text += fmt.Sprintf(", above 0 and at most %s", short(s.most))
	default:
		text += fmt.Sprintf(", from %s to %s", short(s.least), short(s.most))
	}
	if s.none {
		text += ", or none"
	}
	return text
}

// written is a duration above 0, as [time.ParseDuration] reads it.
const written = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

func (s span) schema() *jsonschema.Schema {
	if !s.none {
		return &jsonschema.Schema{Type: "string", Pattern: written}
	}
	return &jsonschema.Schema{Type: "string", AnyOf: []*jsonschema.Schema{jsonschema.Words("none"), {Pattern: written}}}
}

// short is a duration without trailing zero units: 1h, not 1h0m0s.
func short(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// duration decodes a duration as Go writes it.
func duration(d *decoder, into *Field[time.Duration], permitted span) field {
	return field{expected: permitted.expected(), schema: permitted.schema(), decode: func(name string, key, value *yaml.Node) {
		if permitted.none && isString(value) && value.Value == "none" {
			set(d, into, key, 0)
			return
		}
		parsed, err := time.ParseDuration(value.Value)
		if !isString(value) || err != nil || parsed < permitted.least || parsed > permitted.most {
			d.wrong(name, value, permitted.expected())
			return
		}
		set(d, into, key, parsed)
	}}
}

// transient decodes the list of further statuses that are transient.
func transient(d *decoder, into *Field[[]int]) field {
	const expected = "a list of 5xx statuses"
	schema := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{
		Type: "integer", Minimum: new(500.0), Maximum: new(599.0), Not: &jsonschema.Schema{Enum: []any{501, 505}},
	}}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if value.Kind != yaml.SequenceNode {
			d.wrong(name, value, expected)
			return
		}
		statuses := []int{}
		for _, item := range value.Content {
			status, ok := whole(item)
			if !ok || status < 500 || status > 599 || status == 501 || status == 505 {
				d.wrong(name, item, "a status from 500 to 599, but neither 501 nor 505")
				continue
			}
			statuses = append(statuses, status)
		}
		set(d, into, key, sorted(statuses))
	}}
}

// denied decodes the statuses that are never retried. A policy may forbid more
// than the rules, never permit more: deny is the only word.
func denied(d *decoder, into *Field[[]int]) field {
	const expected = "a mapping such as {429: deny}"
	schema := &jsonschema.Schema{
		Type:                 "object",
		PatternProperties:    map[string]*jsonschema.Schema{`^\+?0*[1-5][0-9][0-9]$`: jsonschema.Words("deny")},
		AdditionalProperties: jsonschema.Never,
	}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if value.Kind != yaml.MappingNode {
			d.wrong(name, value, expected)
			return
		}
		statuses := []int{}
		for i := 0; i+1 < len(value.Content); i += 2 {
			code, word := value.Content[i], value.Content[i+1]
			status, err := strconv.Atoi(code.Value)
			switch {
			case err != nil || status < 100 || status > 599:
				d.wrong(name, code, "a status from 100 to 599")
			case !isString(word) || word.Value != "deny":
				d.report(word, RulePermitsMore, "remove it, or deny", "%s.%d is %s; expected deny: a document may forbid more retries than the rules, never permit more", name, status, shown(word))
			default:
				statuses = append(statuses, status)
			}
		}
		set(d, into, key, sorted(statuses))
	}}
}

func sorted(statuses []int) []int {
	slices.Sort(statuses)
	return slices.Compact(statuses)
}
