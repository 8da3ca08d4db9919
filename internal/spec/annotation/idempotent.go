package annotation

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/jsonschema"
	"github.com/retrygen/retrygen/internal/spec/source"
)

const defaultKeyHeader = "Idempotency-Key"

// idempotent decodes x-idempotent: true, false, or how the key is made.
func (d *decoder) idempotent(into *Idempotent) field {
	const expected = "true, false, or a mapping with key"
	var flag Field[bool]
	made := &Key{Header: Field[string]{Value: defaultKeyHeader}}
	plain, keyed := boolean(d, &flag), d.keyed(made)
	schema := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{plain.schema, keyed.schema}}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		switch {
		case value.Kind == yaml.MappingNode:
			*into = Idempotent{Set: true, Pos: d.at(key), Value: true, Key: made}
			keyed.decode(name, key, value)
		case value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool":
			plain.decode(name, key, value)
			*into = Idempotent{Set: flag.Set, Pos: flag.Pos, Value: flag.Value}
		default:
			d.wrong(name, value, expected)
			*into = Idempotent{Pos: d.at(key)}
		}
	}}
}

// keyed decodes {key: {header, template, retention}}.
func (d *decoder) keyed(into *Key) field {
	f := d.mapping(fields{
		"key": d.mapping(fields{
			"header":    d.header(&into.Header).is("The header that bears the key", defaultKeyHeader),
			"template":  d.template(&into.Template).is("How the key is made of required parameters and required fields of the body", "a random key for each call"),
			"retention": duration(d, &into.Retention, positive).is("How long the provider remembers a key", "none"),
		}).is("How the provider recognises a request that it has had", ""),
	})
	f.schema.Required = []string{"key"}
	decodeMembers := f.decode
	f.decode = func(name string, key, value *yaml.Node) {
		decodeMembers(name, key, value)
		if key, _ := source.Member(value, "key"); key == nil {
			d.report(value, RuleInvalidValue, "write {key: {header: Idempotency-Key}}", "%s is a mapping without key", name)
		}
	}
	return f
}

var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// occupied are headers that a request has for another purpose.
var occupied = []string{
	"accept", "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie",
	"expect", "host", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
}

// header decodes the name of the header that bears the key.
func (d *decoder) header(into *Field[string]) field {
	const expected = "the name of a header, such as Idempotency-Key"
	schema := &jsonschema.Schema{Type: "string", Pattern: token.String()}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if !isString(value) || !token.MatchString(value.Value) {
			d.wrong(name, value, expected)
			return
		}
		if slices.Contains(occupied, strings.ToLower(value.Value)) {
			d.wrong(name, value, "a header that has no other purpose, such as Idempotency-Key")
			return
		}
		set(d, into, key, value.Value)
	}}
}

// name decodes a short text in visible ASCII: it becomes a label of metrics and
// a part of messages.
func (d *decoder) name(into *Field[string]) field {
	const expected, most = "a name of letters, digits, dots, dashes and underscores", 100
	schema := &jsonschema.Schema{Type: "string", Pattern: upstreamName.String(), MaxLength: most}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if !isString(value) || len(value.Value) > most || !upstreamName.MatchString(value.Value) {
			d.wrong(name, value, expected)
			return
		}
		set(d, into, key, value.Value)
	}}
}

var upstreamName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// template decodes a key's template.
func (d *decoder) template(into *Field[[]Part]) field {
	const expected = "a template such as order-{order_id}"
	schema := &jsonschema.Schema{Type: "string", Pattern: templatePattern, MaxLength: maxTemplate}
	return field{expected: expected, schema: schema, decode: func(name string, key, value *yaml.Node) {
		if !isString(value) {
			d.wrong(name, value, expected)
			return
		}
		parts, err := ParseTemplate(value.Value)
		if err != nil {
			d.report(value, RuleKeyTemplate, "", "%s: %s", name, err)
			return
		}
		set(d, into, key, parts)
	}}
}
