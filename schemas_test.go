package retrygen_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	judge "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	yamlv4 "go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/jsonschema"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// compiled is a schema of ours in the hands of another implementation, which has
// looked at it with the metaschema.
func compiled(t *testing.T, s *jsonschema.Schema) *judge.Schema {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	document, err := judge.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	compiler := judge.NewCompiler()
	require.NoError(t, compiler.AddResource("file:///ours.json", document))
	valid, err := compiler.Compile("file:///ours.json")
	require.NoError(t, err)
	return valid
}

// tree is a YAML document whose aliases are expanded.
func tree(t require.TestingT, text string) *yamlv4.Node {
	root, err := source.Parse("shown.yaml", []byte(text))
	require.NoError(t, err, text)
	return root
}

// instance is what editors hand of a tree to a schema: JSON.
func instance(t require.TestingT, node *yamlv4.Node) any {
	switch node.Kind {
	case yamlv4.MappingNode:
		members := map[string]any{}
		for key, value := range source.Members(node) {
			members[key.Value] = instance(t, value)
		}
		return members
	case yamlv4.SequenceNode:
		items := []any{}
		for _, item := range node.Content {
			items = append(items, instance(t, item))
		}
		return items
	}
	if !slices.Contains([]string{"!!int", "!!float", "!!bool", "!!null"}, node.ShortTag()) {
		return node.Value
	}
	var value any
	require.NoError(t, node.Decode(&value))
	return value
}

// firstKey tells a configuration from a document and an overlay.
var firstKey = regexp.MustCompile(`(?m)^[{\s]*"?(spec|openapi|swagger|overlay)"?:`)

// TestSchemasAcceptTheRepository: every configuration, document and overlay of every
// module, but for the documents that are there to be refused.
func TestSchemasAcceptTheRepository(t *testing.T) {
	configs, annotations := compiled(t, config.Schema()), compiled(t, annotation.Schema())
	seen := map[string]int{}
	check := func(name, text string) {
		found := firstKey.FindStringSubmatch(text)
		if found == nil {
			return
		}
		kind, schema := found[1], annotations
		if kind == "spec" {
			schema = configs
		}
		seen[kind]++
		err := schema.Validate(instance(t, tree(t, text)))
		if err != nil && (kind == "openapi" || kind == "swagger") {
			_, refused := spec.Load(spec.Options{Spec: name, Package: "shown"})
			require.Error(t, refused, "%s: %v", name, err)
			return
		}
		require.NoError(t, err, name)
	}
	require.NoError(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains([]string{".yaml", ".json"}, filepath.Ext(name)) {
			check(name, read(t, name))
		}
		return err
	}))
	for _, b := range blocks(t, "yaml") {
		if b.document != "docs/lint.md" { // which shows what is wrong
			check(b.document, b.text)
		}
	}
	for _, kind := range []string{"spec", "openapi", "swagger", "overlay"} {
		require.NotZero(t, seen[kind], kind)
	}
}

// TestSchemaOfConfigurationsRefuses what is surely wrong.
func TestSchemaOfConfigurationsRefuses(t *testing.T) {
	schema := compiled(t, config.Schema())
	for _, text := range []string{
		"package: pets", "spec:", "spec: ''", "spec: [a]", "spec: https://example.com/openapi.yaml",
		"{spec: a, overlay: [b]}", "{spec: a, overlays: b}", "{spec: a, overlays: []}", "{spec: a, overlays: [1]}",
		"{spec: a, package: my-pets}", "{spec: a, package: 1pets}", "{spec: a, interface: api}", "{spec: a, interface: A.B}",
		"{spec: a, include: {}}", "{spec: a, include: {tag: [b]}}", "{spec: a, exclude: {tags: b}}", "{spec: a, names: {A: 1}}", "{spec: a, types: {}}",
		"{spec: a, content-types: some}", "{spec: a, on-ambiguous: error}", "{spec: a, fake: yes}", "{spec: a, types-only: 1}", "{spec: a, all-schemas: }",
	} {
		_, err := config.Decode("retrygen.yaml", []byte(text))
		require.Error(t, err, text)
		require.Error(t, schema.Validate(instance(t, tree(t, text))), text)
	}
}

// TestSchemaOfAnnotationsRefuses what is surely wrong, wherever it is decoded.
func TestSchemaOfAnnotationsRefuses(t *testing.T) {
	schema := compiled(t, annotation.Schema())
	for place, wrong := range map[string][]string{
		"openapi: 3.0.3\n%s": {
			"x-retry: 3", "x-retry: {max-atempts: 2}", "x-retry: {max-attempts: 6}", "x-retry: {deadline: 10}", "x-retry: {deadline: soon}", "x-retry: {attempt-timeout: none}",
			"x-retry: {statuses: {404: retry}}", "x-retry: {statuses: {600: deny}}", "x-retry: {transient: [501]}", "x-retry: {backoff: {jitter: none}}",
			"x-upstream: {budget: {ratio: 0.6}}", "x-upstream: {budget: {ratio: '0.1'}}", "x-upstream: {name: a b}", "x-upstream: {pool: {max-connections: 0}}",
			"x-transient-500:", "x-on-ambiguous: ignore", "x-idempotent: true",
		},
		"swagger: '2.0'\npaths: {/a: {get: {%s}}}": {"x-idempotent: maybe", "x-upstream: {}"},
		"openapi: 3.0.3\npaths: {/a: {get: {%s}}}": {
			"x-idempotent: {}", "x-idempotent: {key: {headr: A}}", "x-idempotent: {key: {header: a b}}", "x-idempotent: {key: {template: constant}}", "x-idempotent: {key: {template: '{a}{b}'}}",
			"x-replayability: twice", "x-pagination: {}", "x-pagination: true", "x-pagination: {cursor: a}", "x-pagination: {page: a, next: b}", "x-pagination: {page: a, offset: b}",
			"x-pagination: {link: false}", "x-pagination: {link: true, more: a}", "x-pagination: {page: a, limit: b}", "x-pagination: {page: ''}",
		},
		"openapi: 3.0.3\npaths: {/a: {%s}}":                                              {"x-retry: {}"},
		"openapi: 3.0.3\npaths: {/a: {put: {requestBody: {%s}}}}":                        {"x-replayability: 1", "x-idempotent: true"},
		"openapi: 3.0.3\npaths: {/a: {put: {requestBody: {content: {a/b: {%s}}}}}}":      {"x-replayability: 1"},
		"openapi: 3.0.3\ncomponents: {schemas: {A: {allOf: [{properties: {b: {%s}}}]}}}": {"x-replayability: 1"},
		"overlay: 1.0.0\nactions: [{target: $, update: {%s}}]":                           {"x-retry: {max-attempts: 9}", "x-idempotent: 1", "x-upstream: []"},
		"overlay: 1.0.0\nactions: [{target: $.paths, update: {/a: {get: {%s}}}}]":        {"x-idempotent: 1"},
		"%s": {"x-idempotent: 1", "get: {x-retry: 1}"}, // a file that a document refers to
	} {
		for _, one := range wrong {
			text := fmt.Sprintf(place, one)
			require.Error(t, schema.Validate(instance(t, tree(t, text))), text)
		}
	}
}

// TestSchemaOfAnnotationsLeavesTheRestAlone: what is no annotation of ours, and what is
// a user's data.
func TestSchemaOfAnnotationsLeavesTheRestAlone(t *testing.T) {
	schema := compiled(t, annotation.Schema())
	for _, text := range []string{
		"{}", "openapi: [3]", "openapi: 3.0.3\npaths: 7\ncomponents: [1]", "openapi: 3.0.3\nx-pagination: {pageParam: p}",
		"openapi: 3.0.3\npaths: {x-retry: {a: 1}, /a: {get: {x-pagination: {pageParam: p}, x-entry: 1, requestBody: , responses: {200: {x-retry: 1}}}}}",
		"openapi: 3.0.3\ncomponents: {schemas: {A: {example: {x-retry: 1}, properties: {x-retry: {type: string}}}}}",
		"overlay: 1.0.0\nactions: [{target: $, update: 1}, {target: $.a, remove: true}]",
	} {
		require.NoError(t, schema.Validate(instance(t, tree(t, text))), text)
	}
}

// values are what a key may be given, right and wrong.
var values = []string{
	"true", "false", "True", "", "~", "''", "a", "A", "größe", "Äpfel", "a b", "a-b", "_", "0", "1", "5", "0.5", "2.0", "1e-1", "-1", "501", "503", "../a.yaml", "func",
	"10ms", "1m30s", "'+1.5h'", ".5s", "1.s", "100µs", "0s", "none", "24h", "1h1", "full", "deny", "ignore", "request", "success", "error", "required", "one-shot", "all",
	"'a-{b}'", "'{a}{b}'", "'{a.b}-{größe}!'", "'a}'", "[]", "[a]", "[500, 599, 500]", "[1]", "{}", "{429: deny, '+0503': deny}", "{429: retry}", "{A: b}", "{tags: [a], paths: [/a]}", "{key: {}}",
	"{pageParam: p}", "{link: true}", "{<<: {page: a}}",
}

// visitKeys visits what a schema knows, with the path of keys that leads there.
func visitKeys(s *jsonschema.Schema, at []string, visit func(at []string, s *jsonschema.Schema)) {
	visit(at, s)
	for _, either := range s.AnyOf {
		for key, member := range either.Properties {
			visitKeys(member, append(slices.Clone(at), key), visit)
		}
	}
	for key, member := range s.Properties {
		visitKeys(member, append(slices.Clone(at), key), visit)
	}
}

// given is the member of a mapping where the key at this path has this value.
func given(at []string, value string) string {
	for _, key := range slices.Backward(at[1:]) {
		value = "{" + key + ": " + value + "}"
	}
	return at[0] + ": " + value
}

// agree checks a schema and a decoder of one text: what is decoded without a mistake,
// the schema accepts; the key at this path has a value that both accept and one that
// both refuse; and both know the same keys there.
func agree(t *testing.T, s *jsonschema.Schema, at []string, accepts, decode func(text string) error) {
	right, wrong := 0, 0
	for _, value := range values {
		text := given(at, value)
		switch decoded, accepted := decode(text), accepts(text); {
		case decoded == nil:
			require.NoError(t, accepted, text)
			right++
		case accepted != nil:
			wrong++
		}
	}
	require.NotZero(t, right, at)
	require.NotZero(t, wrong, at)
	if s.Properties == nil || s.AdditionalProperties != jsonschema.Never {
		return
	}
	first, _, _ := strings.Cut(decode(given(at, "{no-such-key: 1}")).Error(), "\nshown")
	_, keys, _ := strings.Cut(first, "expected one of ")
	require.ElementsMatch(t, slices.Collect(maps.Keys(s.Properties)), strings.Split(keys, ", "), at)
}

func TestSchemaOfConfigurationsAgreesWithTheDecoder(t *testing.T) {
	schema := compiled(t, config.Schema())
	whole := func(text string) string {
		if strings.HasPrefix(text, "spec:") {
			return text
		}
		return "spec: a.yaml\n" + text
	}
	accepts := func(text string) error { return schema.Validate(instance(t, tree(t, whole(text)))) }
	decode := func(text string) error {
		_, err := config.Decode("shown.yaml", []byte(whole(text)))
		return err
	}
	visitKeys(config.Schema(), nil, func(at []string, s *jsonschema.Schema) {
		if at != nil {
			agree(t, s, at, accepts, decode)
		}
	})
	first, _, _ := strings.Cut(decode("no-such-key: 1").Error(), "\nshown")
	_, keys, _ := strings.Cut(first, "expected one of ")
	require.ElementsMatch(t, slices.Collect(maps.Keys(config.Schema().Properties)), strings.Split(keys, ", "))
}

func decodeAnnotation(root *yamlv4.Node) error {
	at := func(n *yamlv4.Node) source.Pos { return source.Pos{File: "shown.yaml", Line: n.Line, Col: n.Column} }
	_, found := annotation.DecodeOperation(root, at)
	if slices.Contains(annotation.OfRoot, root.Content[0].Value) {
		_, found = annotation.DecodeRoot(root, at)
	}
	return found.Err()
}

func TestSchemaOfAnnotationsAgreesWithTheDecoder(t *testing.T) {
	schema := compiled(t, annotation.Schema())
	accepts := func(text string) error { return schema.Validate(instance(t, tree(t, text))) }
	decode := func(text string) error { return decodeAnnotation(tree(t, text)) }
	keys := slices.Concat(annotation.OfRoot, annotation.OfOperation, annotation.OfBody)
	for name, definition := range annotation.Schema().Definitions {
		if strings.HasPrefix(name, "x-") {
			require.Contains(t, keys, name)
			keys = slices.DeleteFunc(keys, func(key string) bool { return key == name })
			visitKeys(definition, []string{name}, func(at []string, s *jsonschema.Schema) {
				if at[0] != annotation.KeyPagination || len(at) == 1 { // its keys depend on each other
					agree(t, s, at, accepts, decode)
				}
			})
		}
	}
	require.Empty(t, keys)
}

// TestSchemaOfPaginationIsExact: every set of keys, and a mistake beside it.
func TestSchemaOfPaginationIsExact(t *testing.T) {
	schema := compiled(t, annotation.Schema())
	known := []string{"cursor: a", "next: b", "offset: c", "page: d", "link: true", "items: e", "more: f", "limit: g"}
	for set := range 1 << len(known) {
		var members []string
		for i, member := range known {
			if set&(1<<i) != 0 {
				members = append(members, member)
			}
		}
		root := tree(t, "x-pagination: {"+strings.Join(members, ", ")+"}")
		require.Equal(t, decodeAnnotation(root) == nil, schema.Validate(instance(t, root)) == nil, members)
	}
}

// defaults are what the table of RULE-ANNOTATION-RANGE says.
var defaults = regexp.MustCompile("(?m)^\\| [A-Z-]*[ ]?\\| `([a-z.-]+)` \\| ([^|]+) \\|")

// TestSchemaKnowsTheDefaults that the rules have.
func TestSchemaKnowsTheDefaults(t *testing.T) {
	described := map[string]string{}
	for name, definition := range annotation.Schema().Definitions {
		visitKeys(definition, nil, func(at []string, s *jsonschema.Schema) {
			if strings.HasPrefix(name, "x-") {
				described[strings.Join(at, ".")] = s.Description
			}
		})
	}
	_, table, _ := strings.Cut(read(t, "docs/rules.md"), "**RULE-ANNOTATION-RANGE**")
	found := defaults.FindAllStringSubmatch(table, -1)
	require.Len(t, found, 16)
	for _, row := range found {
		require.True(t, strings.HasSuffix(described[row[1]], " Default "+row[2]+"."), "%s: %q", row[0], described[row[1]])
	}
}
