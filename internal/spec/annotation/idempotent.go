package annotation

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const defaultKeyHeader = "Idempotency-Key"

// idempotent decodes x-idempotent: true, false, or how the key is made.
func (d *decoder) idempotent(into *Idempotent) decode {
	return func(name string, key, value *yaml.Node) {
		if value.Kind == yaml.MappingNode {
			made := &Key{Header: Field[string]{Value: defaultKeyHeader}}
			*into = Idempotent{Set: true, Pos: d.at(key), Value: true, Key: made}
			d.keyed(name, key, value, made)
			return
		}
		var flag Field[bool]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!bool" {
			d.wrong(name, value, "true, false, or a mapping with key")
			*into = Idempotent{Pos: d.at(key)}
			return
		}
		boolean(d, &flag)(name, key, value)
		*into = Idempotent{Set: flag.Set, Pos: flag.Pos, Value: flag.Value}
	}
}

// keyed decodes {key: {header, template, retention}}.
func (d *decoder) keyed(name string, key, value *yaml.Node, into *Key) {
	found := false
	d.mapping(fields{
		"key": func(name string, key, value *yaml.Node) {
			found = true
			d.mapping(fields{
				"header":    d.header(&into.Header),
				"template":  d.template(&into.Template),
				"retention": duration(d, &into.Retention, positive),
			})(name, key, value)
		},
	})(name, key, value)
	if !found {
		d.report(value, RuleInvalidValue, "write {key: {header: Idempotency-Key}}", "%s is a mapping without key", name)
	}
}

var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// occupied are headers that a request has for another purpose.
var occupied = []string{
	"accept", "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie",
	"expect", "host", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
}

// header decodes the name of the header that bears the key.
func (d *decoder) header(into *Field[string]) decode {
	return func(name string, key, value *yaml.Node) {
		if !isString(value) || !token.MatchString(value.Value) {
			d.wrong(name, value, "the name of a header, such as Idempotency-Key")
			return
		}
		if slices.Contains(occupied, strings.ToLower(value.Value)) {
			d.wrong(name, value, "a header that has no other purpose, such as Idempotency-Key")
			return
		}
		set(d, into, key, value.Value)
	}
}

// name decodes a short text in visible ASCII: it becomes a label of metrics and
// a part of messages.
func (d *decoder) name(into *Field[string]) decode {
	return func(name string, key, value *yaml.Node) {
		if !isString(value) || len(value.Value) > 100 || !upstreamName.MatchString(value.Value) {
			d.wrong(name, value, "a name of letters, digits, dots, dashes and underscores")
			return
		}
		set(d, into, key, value.Value)
	}
}

var upstreamName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// template decodes a key's template.
func (d *decoder) template(into *Field[[]Part]) decode {
	return func(name string, key, value *yaml.Node) {
		if !isString(value) {
			d.wrong(name, value, "a template such as order-{order_id}")
			return
		}
		parts, err := ParseTemplate(value.Value)
		if err != nil {
			d.report(value, RuleKeyTemplate, "", "%s: %s", name, err)
			return
		}
		set(d, into, key, parts)
	}
}
