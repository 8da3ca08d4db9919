// Package jsonschema says what a decoder accepts in the words of JSON Schema, for
// editors. It is draft-07, which they support best.
package jsonschema

import "encoding/json"

// Draft is the dialect of a [Schema], for its root.
const Draft = "http://json-schema.org/draft-07/schema#"

// Schema is a part of a schema. The zero value accepts anything.
type Schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	Ref         string             `json:"$ref,omitempty"` // all else is ignored beside it
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	OneOf       []*Schema          `json:"oneOf,omitempty"`
	Not         *Schema            `json:"not,omitempty"`
	If          *Schema            `json:"if,omitempty"`
	Then        *Schema            `json:"then,omitempty"`
	Else        *Schema            `json:"else,omitempty"`
	Definitions map[string]*Schema `json:"definitions,omitempty"`

	Minimum *float64 `json:"minimum,omitempty"`
	Maximum *float64 `json:"maximum,omitempty"`

	MinLength int    `json:"minLength,omitempty"`
	MaxLength int    `json:"maxLength,omitempty"`
	Pattern   string `json:"pattern,omitempty"` // as ECMAScript and Go both read it

	Items    *Schema `json:"items,omitempty"`
	MinItems int     `json:"minItems,omitempty"`

	Properties           map[string]*Schema `json:"properties,omitempty"`
	PatternProperties    map[string]*Schema `json:"patternProperties,omitempty"`
	AdditionalProperties *Schema            `json:"additionalProperties,omitempty"`
	PropertyNames        *Schema            `json:"propertyNames,omitempty"`
	Required             []string           `json:"required,omitempty"`
	MinProperties        int                `json:"minProperties,omitempty"`
	Dependencies         map[string]*Schema `json:"dependencies,omitempty"`
}

// Never accepts nothing: the schema of a member that may not be there.
var Never = &Schema{Not: &Schema{}}

// MarshalJSON prints [Never] as false, which editors do not offer to complete.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s == Never {
		return []byte("false"), nil
	}
	type plain Schema
	return json.Marshal((*plain)(s))
}

// Closed is a mapping that has no other members than these.
func Closed(members map[string]*Schema) *Schema {
	return &Schema{Type: "object", Properties: members, AdditionalProperties: Never}
}

// Needs is anything, but a mapping has these members.
func Needs(members ...string) *Schema { return &Schema{Required: members} }

// Words is one of several words.
func Words(words ...string) *Schema {
	s := &Schema{Type: "string"}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// Definition refers to one of the definitions of the root.
func Definition(name string) *Schema { return &Schema{Ref: "#/definitions/" + name} }

// Described is the schema with a text that an editor shows of it.
func (s *Schema) Described(text string) *Schema {
	described := *s
	described.Description = text
	return &described
}
