package source

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// FuzzLoad: any bytes are either a document or Diagnostics with a file.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", petsJSON, head + "paths: {}\n", "swagger: 2.0",
		head + "paths:\n  /a/{b}:\n    get: {operationId: a, responses: {default: {description: x}}}\n",
		head + "x-a: &a {b: 1}\nx-c: {<<: *a}\nx-d: [*a]\n",
		head + "paths: {}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/A'}, B: {allOf: [{$ref: '#/components/schemas/C'}]}}}\n",
		"swagger: '2.0'\ninfo: {title: T, version: v}\nhost: a\nconsumes: [a/b]\nparameters: {p: {in: body, name: b, schema: {$ref: '#/definitions/A'}}}\n" +
			"paths: {/a: {parameters: [{$ref: '#/parameters/p'}], post: {parameters: [{in: formData, name: f, type: file}, {in: query, name: q, type: array, items: {type: string}, collectionFormat: pipes}], responses: {200: {description: x, schema: {type: file}}}}}}\n" +
			"definitions: {A: {type: [string, 'null'], discriminator: k, x-nullable: true}}\nsecurityDefinitions: {s: {type: oauth2, flow: application}}\n",
		head + "paths:\n  /a: {get: {$ref: '#/x-a'}, description: {$ref: '#/x-b'}, parameters: {$ref: '#/x-c'}}\nx-a: {responses: {$ref: '#/x-a'}}\nx-b: [1]\n",
		"openapi: 3.1.7\ninfo: {title: T, version: v}\nwebhooks: {a: {$ref: '../b.yaml'}}\n",
	} {
		f.Add([]byte(seed), "$..*")
	}
	f.Fuzz(func(t *testing.T, data []byte, target string) {
		overlay, err := yaml.Marshal(map[string]any{
			"overlay": "1.0.0",
			"actions": []any{map[string]any{"target": target, "update": map[string]any{"x-a": 1}}},
		})
		require.NoError(t, err)
		inFolder(t, map[string]string{"api.yaml": string(data), "overlay.yaml": string(overlay)})
		for _, options := range []Options{
			{Path: "api.yaml"}, {Path: "api.yaml", Partial: true}, {Path: "api.yaml", Overlays: []string{"overlay.yaml"}},
		} {
			d, err := Load(options)
			if err == nil {
				require.NotNil(t, d.Doc)
				require.NotZero(t, d.Pos("", "/paths"))
				continue
			}
			var found Diagnostics
			require.True(t, errors.As(err, &found), "%T", err)
			for _, one := range found {
				require.NotEmpty(t, one.Pos.File, one.Message)
			}
		}
	})
}

// FuzzJSONPath: any text is either a path that can be evaluated, or an error
// with an offset in the text.
func FuzzJSONPath(f *testing.F) {
	for _, seed := range []string{"$", "$.a['b'][0]..c", "$..[?@.a == 'x' && !(@.b != 1 || @['c'][0])]", "$[*,'a',-1]", `$["\n"]`} {
		f.Add(seed)
	}
	var root yaml.Node
	require.NoError(f, yaml.Unmarshal([]byte("{a: [{a: x, b: 1}, {c: [1]}], b: {c: {a: x}}}"), &root))
	f.Fuzz(func(t *testing.T, text string) {
		path, err := parseJSONPath(text)
		if err != nil {
			var bad *pathError
			require.True(t, errors.As(err, &bad))
			require.LessOrEqual(t, bad.offset, len(text))
			return
		}
		seen := map[*yaml.Node]bool{}
		for _, m := range path.find(root.Content[0]) {
			require.False(t, seen[m.node], "selected twice")
			seen[m.node] = true
		}
	})
}
