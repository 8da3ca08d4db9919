package source

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPositions(t *testing.T) {
	inFolder(t, map[string]string{
		"api.yaml": head + `paths:
  /pets/{id}: {$ref: 'paths/pet.yaml#/item'}
  /cats: {$ref: 'paths/cats.yaml'}
x-base: &base
  x-retry: {max-attempts: 2}
components:
  schemas:
    A: {$ref: '#/components/schemas/B'}
    B: {type: object, properties: {é: {type: string}, x: {type: integer}}}
x-list: [1, {a: 2}]
x-merged:
  <<: *base
  own: 1
x-alias: *base
`,
		"paths/pet.yaml": `item:
  parameters: [{name: id, in: path, required: true, schema: {$ref: '../api.yaml#/components/schemas/B/properties/x'}}]
  get:
    operationId: getPet
    responses: {default: {description: x}}
`,
		"paths/cats.yaml": "get:\n  operationId: cats\n  responses: {default: {description: x}}\n",
	})
	d, err := Load(Options{Path: "api.yaml"})
	require.NoError(t, err)

	for pointer, want := range map[string]string{
		"":                                    "api.yaml:1:1",
		"/paths/~1pets~1{id}":                 "api.yaml:4:3",
		"/paths/~1pets~1{id}/get":             "paths/pet.yaml:3:3",
		"/paths/~1pets~1{id}/get/operationId": "paths/pet.yaml:4:5",
		"/paths/~1pets~1{id}/parameters/0":    "paths/pet.yaml:2:16",
		"/paths/~1pets~1{id}/parameters/0/schema/type": "api.yaml:11:59",
		"/paths/~1cats/get":                            "paths/cats.yaml:1:1",
		"/paths/~1cats/nowhere":                        "api.yaml:5:3",
		"/components/schemas/A/properties/é":           "api.yaml:11:36",
		"/components/schemas/B/properties/x":           "api.yaml:11:55",
		"/components/schemas/B/properties/none":        "api.yaml:11:23",
		"/x-list/1/a":                                  "api.yaml:12:14",
		"/x-list/2":                                    "api.yaml:12:1",
		"/x-list/-1":                                   "api.yaml:12:1",
		"/x-merged/x-retry/max-attempts":               "api.yaml:7:13",
		"/x-merged/own":                                "api.yaml:15:3",
		"/x-alias/x-retry":                             "api.yaml:7:3",
		"/nothing/at/all":                              "api.yaml:1:1",
	} {
		require.Equal(t, want, d.Pos("", pointer).String(), pointer)
	}
	require.Equal(t, "paths/pet.yaml:4:5", d.Pos("paths/pet.yaml", "/item/get/operationId").String())
	require.Equal(t, Pos{}, d.Pos("none.yaml", "/item"))
	require.Nil(t, d.Node("none.yaml", ""))
	require.Nil(t, d.Node("", "/nothing"))
	require.Equal(t, "getPet", d.Node("", "/paths/~1pets~1{id}/get/operationId").Value)
	require.Equal(t, Pos{}, d.At("")(nil))
}

func TestResolve(t *testing.T) {
	d := &Documents{rootName: "api.yaml"}
	for _, test := range []struct{ file, ref, wantFile, wantPointer string }{
		{"", "#/components/schemas/A", "", "/components/schemas/A"},
		{"", "#/paths/~1a~1%7Bid%7D", "", "/paths/~1a~1{id}"},
		{"", "sub/a.yaml#/A", "sub/a.yaml", "/A"},
		{"", "./sub/a.yaml", "sub/a.yaml", ""},
		{"sub/a.yaml", "#/B", "sub/a.yaml", "/B"},
		{"sub/a.yaml", "b.yaml#/B", "sub/b.yaml", "/B"},
		{"sub/a.yaml", "../api.yaml#/B", "", "/B"},
		{"../common/a.yaml", "b%20c.yaml#/", "../common/b c.yaml", ""},
		{"sub/a.yaml", ":%", "sub/a.yaml", ""},
	} {
		file, pointer := d.Resolve(test.file, test.ref)
		require.Equal(t, [2]string{test.wantFile, test.wantPointer}, [2]string{file, pointer}, test.ref)
	}
}

func TestPointer(t *testing.T) {
	require.Equal(t, "/paths/~1a~0b/get", Pointer("paths", "/a~b", "get"))
	require.Equal(t, "", Pointer())
}

// Positions are what a user would type, whether the path is relative or not.
func TestDisplayPath(t *testing.T) {
	dir := inFolder(t, map[string]string{"sub/api.yaml": head + "paths: {}\n"})
	for path, want := range map[string]string{
		"sub/api.yaml":                     "sub/api.yaml:1:1",
		"./sub/../sub/api.yaml":            "sub/api.yaml:1:1",
		filepath.Join(dir, "sub/api.yaml"): "sub/api.yaml:1:1",
	} {
		d, err := Load(Options{Path: path})
		require.NoError(t, err)
		require.Equal(t, want, d.Pos("", "").String())
	}
	t.Chdir("/")
	d, err := Load(Options{Path: filepath.Join(dir, "sub/api.yaml")})
	require.NoError(t, err)
	require.Contains(t, d.Pos("", "").String(), "sub/api.yaml:1:1")
}
