package source

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

const petsJSON = `{
  "openapi": "3.0.3",
  "info": {"title": "T", "version": "1", "description": "\ud83d\udc4d"},
  "paths": {
    "/pets": {
      "get": {"operationId": "listPets", "tags": ["a"], "responses": {"default": {"description": "x"}}},
      "post": {"operationId": "createPet", "deprecated": false, "responses": {"default": {"description": "x"}}}
    },
    "/admin": {
      "get": {"operationId": "admin", "responses": {"default": {"description": "x"}}}
    }
  }
}
`

func loadOverlaid(t *testing.T, actions string) (*Documents, error) {
	t.Helper()
	inFolder(t, map[string]string{
		"api.json":     petsJSON,
		"overlay.yaml": "overlay: 1.0.0\ninfo: {title: O, version: \"1\"}\nactions:\n" + actions,
	})
	return Load(Options{Path: "api.json", Overlays: []string{"overlay.yaml"}})
}

func TestOverlayUpdates(t *testing.T) {
	d, err := loadOverlaid(t, `
- target: $.paths['/pets'].*
  update:
    x-retry: {max-attempts: 2}
    tags: [b]
- target: $.paths.*[?@.operationId == 'createPet']
  update: {x-idempotent: true, deprecated: true, x-retry: {deadline: 1s}}
- target: $..tags
  update: c
- target: $.info.title
  update: U
- target: $.paths['/admin']
  remove: true
`)
	require.NoError(t, err)
	require.Equal(t, "U", d.Doc.Info.Title)
	require.Equal(t, []string{"a", "b", "c"}, d.Doc.Paths.Value("/pets").Get.Tags)
	require.Equal(t, []string{"b", "c"}, d.Doc.Paths.Value("/pets").Post.Tags)
	require.True(t, d.Doc.Paths.Value("/pets").Post.Deprecated)
	require.Nil(t, d.Doc.Paths.Value("/admin"))
	require.Equal(t, "👍", d.Doc.Info.Description)

	positions := map[string]string{
		"/paths/~1pets/post":                      "api.json:7:7",
		"/paths/~1pets/post/operationId":          "api.json:7:16",
		"/paths/~1pets/post/responses":            "api.json:7:65",
		"/paths/~1pets/post/x-idempotent":         "overlay.yaml:10:12",
		"/paths/~1pets/post/deprecated":           "overlay.yaml:10:32",
		"/paths/~1pets/post/x-retry":              "overlay.yaml:7:5",
		"/paths/~1pets/post/x-retry/max-attempts": "overlay.yaml:7:15",
		"/paths/~1pets/post/x-retry/deadline":     "overlay.yaml:10:60",
		"/paths/~1pets/get/tags/0":                "api.json:6:51",
		"/paths/~1pets/get/tags/1":                "overlay.yaml:8:12",
		"/paths/~1pets/get/tags/2":                "overlay.yaml:12:11",
		"/info/title":                             "overlay.yaml:14:11",
	}
	for pointer, want := range positions {
		require.Equal(t, want, d.Pos("", pointer).String(), pointer)
	}
	at := d.At("")
	require.Equal(t, "overlay.yaml:10:26", at(d.Node("", "/paths/~1pets/post/x-idempotent")).String())
}

func TestOverlayCopies(t *testing.T) {
	d, err := loadOverlaid(t, `
- target: $.paths['/admin'].get
  update: {x-retry: {max-attempts: 1}, operationId: other}
- target: $.paths['/pets']
  copy: $.paths['/admin']
- target: $.paths['/admin']
  remove: true
`)
	require.NoError(t, err)
	require.Equal(t, "other", d.Node("", "/paths/~1pets/get/operationId").Value)
	require.Equal(t, "overlay.yaml:6:40", d.Pos("", "/paths/~1pets/get/operationId").String())
	require.Equal(t, "overlay.yaml:6:22", d.Pos("", "/paths/~1pets/get/x-retry/max-attempts").String())
	require.Equal(t, "api.json:10:65", d.Pos("", "/paths/~1pets/get/responses/default/description").String())
}

// A mistake in an overlaid document is reported where it was written, although
// kin-openapi has seen a document that was printed anew.
func TestOverlayMistakesAreLocated(t *testing.T) {
	for name, test := range map[string]struct{ actions, want string }{
		"brought by the overlay": {"- target: $.paths['/pets'].get\n  update: {operationID: x}\n", "overlay.yaml:5:12: unknown field \"operationID\""},
		"wrong type":             {"- target: $.paths['/pets'].get\n  update: {parameters: x}\n", "overlay.yaml:5:12: found a string; expected a list"},
		"dangling ref":           {"- target: $.paths['/pets'].get\n  update: {requestBody: {$ref: '#/a'}}\n", "overlay.yaml:5:32: $ref \"#/a\" leads nowhere"},
		"made by an update":      {"- target: $.paths['/pets'].post\n  update: {parameters: [{in: query}]}\n", "overlay.yaml:5:25: parameter name can't be blank"},
		"bad version":            {"- target: $.openapi\n  update: 2.0.0\n", "overlay.yaml:5:11: openapi is \"2.0.0\""},
		"duplicate operationId":  {"- target: $.paths['/pets'].post\n  update: {operationId: listPets}\n", "overlay.yaml:5:12: duplicate operationId \"listPets\"; the first one is at api.json:6:15"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadOverlaid(t, test.actions)
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error(), test.want), err.Error())
		})
	}
}

func TestOverlayRefuses(t *testing.T) {
	for name, test := range map[string]struct{ actions, want string }{
		"target that matches nothing": {"- target: $.paths['/cats']\n  remove: true\n", `overlay.yaml:4:11: target "$.paths['/cats']" selects nothing in api.json`},
		"copy that matches nothing":   {"- target: $.paths\n  copy: $.cats\n", `overlay.yaml:5:9: copy "$.cats" selects nothing in api.json`},
		"copy of several":             {"- target: $.paths\n  copy: $.paths.*\n", `overlay.yaml:5:9: copy selects 2 elements; expected one`},
		"slice":                       {"- target: $.paths[1:2]\n  remove: true\n", `overlay.yaml:4:20: target "$.paths[1:2]": slices are not supported; name the indexes`},
		"function":                    {"- target: '$.paths[?length(@) > 1]'\n  remove: true\n", `overlay.yaml:4:21: target "$.paths[?length(@) > 1]": expected @, a quoted string`},
		"no path":                     {"- target: paths\n  remove: true\n", `overlay.yaml:4:11: target "paths": a JSONPath starts with $`},
		"no target":                   {"- remove: true\n", `overlay.yaml:4:3: an action needs a target, a JSONPath`},
		"nothing to do":               {"- target: $.paths\n", `overlay.yaml:4:3: an action has one of update, remove and copy`},
		"remove false":                {"- {target: $.paths, remove: false}\n", `overlay.yaml:4:3: an action has one of update, remove and copy`},
		"remove is a word":            {"- {target: $.paths, remove: yes please}\n", `overlay.yaml:4:29: remove is a string; expected true or false`},
		"misspelt key":                {"- {target: $.paths, updte: {}}\n", "overlay.yaml:4:21: unknown key \"updte\" in an action; expected one of target, description, update, remove, copy\n\tdid you mean update?"},
		"root removed":                {"- target: $\n  remove: true\n", `overlay.yaml:4:11: the whole document cannot be removed`},
		"kinds differ":                {"- target: $.paths\n  update: 1\n", `overlay.yaml:4:11: the target at api.json:4:12 is a mapping, and the update is a number`},
		"not a list":                  {"  a: 1\n", `overlay.yaml:1:1: an overlay has a list of actions, at least one`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadOverlaid(t, test.actions)
			require.Error(t, err)
			require.Contains(t, err.Error(), test.want)
			require.Len(t, err, 1)
		})
	}
}

func TestOverlayFileRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"missing":     {"", "overlay.yaml:1:1: the file is empty"},
		"no version":  {"actions: []\n", "overlay.yaml:1:1: there is no overlay key"},
		"version 2":   {"overlay: 2.0.0\n", `overlay.yaml:1:10: overlay is "2.0.0"; Overlay 1.0.x and 1.1.x are supported`},
		"unknown key": {"overlay: 1.0.0\naction: []\n", "overlay.yaml:2:1: unknown key \"action\" in an overlay"},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{"api.json": petsJSON, "overlay.yaml": test.text})
			_, err := Load(Options{Path: "api.json", Overlays: []string{"overlay.yaml"}})
			require.Error(t, err)
			require.Contains(t, err.Error(), test.want)
		})
	}
	inFolder(t, map[string]string{"api.json": petsJSON})
	_, err := Load(Options{Path: "api.json", Overlays: []string{"none.yaml"}})
	require.EqualError(t, err, "none.yaml: the overlay does not exist")
}

// Each action doubles the document; the bound ends it.
func TestOverlayRefusesGrowth(t *testing.T) {
	actions := strings.Repeat("- {target: $.paths, copy: $}\n", 40)
	_, err := loadOverlaid(t, actions)
	require.ErrorContains(t, err, "the overlays bring more than")
}

func TestJSONPath(t *testing.T) {
	const document = `
a: {name: x, n: 1, "odd name": {k: v}}
b: [{name: y, n: 2.0}, {name: z, flag: true}, {none: null}]
c: {d: {name: deep, e: {name: deeper}}}
`
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(document), &root))
	for path, want := range map[string][]string{
		"$.a.name":                          {"x"},
		"$['a'][\"name\"]":                  {"x"},
		"$.a['odd name'].k":                 {"v"},
		"$.b[0].name":                       {"y"},
		"$.b[-1].none":                      {"null"},
		"$.b[7]":                            nil,
		"$.b[*].name":                       {"y", "z"},
		"$.b.*.name":                        {"y", "z"},
		"$.b[0,1]['name','n']":              {"y", "2.0", "z"},
		"$.b[0,0].name":                     {"y"},
		"$..name":                           {"x", "y", "z", "deep", "deeper"},
		"$.c..name":                         {"deep", "deeper"},
		"$.c..*..name":                      {"deep", "deeper"},
		"$..[?@.flag].name":                 {"z"},
		"$.b[?@.name == 'z'].name":          {"z"},
		"$.b[?(@.name=='z')].name":          {"z"},
		"$.b[?@['name'] != 'z'].name":       {"y"},
		"$.b[?@.n == 2].name":               {"y"},
		"$.b[?@.flag == true].name":         {"z"},
		"$.b[?@.none == null].none":         {"null"},
		"$.b[?!@.flag && @.name].name":      {"y"},
		"$.b[?@.flag || @.n == 2].name":     {"y", "z"},
		"$.b[?(@.flag || @.n) && @.n].name": {"y"},
		"$.b[?@.absent == @.gone].name":     {"y", "z"},
		"$.c[?@.e.name == 'deeper'].name":   {"deep"},
		"$.c[?@.name == \"de\\\"ep\"].name": nil,
	} {
		t.Run(path, func(t *testing.T) {
			p, err := parseJSONPath(path)
			require.NoError(t, err)
			var got []string
			for _, m := range p.find(root.Content[0]) {
				got = append(got, m.node.Value)
			}
			require.Equal(t, want, got)
		})
	}
}

func TestJSONPathRefuses(t *testing.T) {
	for path, want := range map[string]pathError{
		"":                                       {0, "a JSONPath starts with $"},
		"a":                                      {0, "a JSONPath starts with $"},
		"$a":                                     {1, "expected . or ["},
		"$.":                                     {2, "expected a name or *"},
		"$.1a":                                   {2, "expected a name or *"},
		"$.x-a":                                  {2, "a name with a dash needs brackets: ['x-...']"},
		"$...a":                                  {3, "expected a name or *"},
		"$[":                                     {2, "expected a quoted name, an index, * or a filter"},
		"$['a'":                                  {5, "expected , or ]"},
		"$['a":                                   {2, "a string without end"},
		`$['\u0041']`:                            {2, `a string with an escape that is not supported; \\ \/ \' \" \b \f \n \r \t are`},
		"$[1:2]":                                 {3, "slices are not supported; name the indexes"},
		"$[?@.a < 1]":                            {7, "only == and != are supported"},
		"$[?count(@.*) == 1]":                    {3, "expected @, a quoted string, a number, true, false or null; functions are not supported"},
		"$[?@..a]":                               {4, "within a filter only names and indexes may follow @"},
		"$[?@['a','b']]":                         {13, "within a filter only one name or index may stand in brackets"},
		"$[?'a']":                                {6, "expected == or !="},
		"$[?(@.a]":                               {7, "expected )"},
		"$[?@.a &&]":                             {9, "expected @, a quoted string, a number, true, false or null; functions are not supported"},
		"$[?" + strings.Repeat("!", 60) + "@.a]": {53, "the filter is nested too deep"},
	} {
		_, err := parseJSONPath(path)
		require.Equal(t, &want, err, path)
	}
	_, err := parseJSONPath("$" + strings.Repeat(".a", 2000))
	require.EqualError(t, err, "longer than 2000 bytes")
}

// A path that is printed leads to the member, whatever its name is.
func TestJSONPathOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"paths":                           "$.paths",
		"x-a":                             "$['x-a']",
		"7":                               "$['7']",
		"/pets/{id}":                      "$['/pets/{id}']",
		"":                                "$['']",
		"it's \\ \"a\"\b\f\n\r\t\x01\x7f": "$['it\\'s \\\\ \"a\"\\b\\f\\n\\r\\t\x01\x7f']",
		"ключ":                            "$['ключ']",
	} {
		path, err := JSONPath(name)
		require.NoError(t, err)
		require.Equal(t, want, path)
		root := mapping(nil, name, scalar(nil, "found"), name+"'", scalar(nil, "other"))
		parsed, err := parseJSONPath(path)
		require.NoError(t, err)
		found := parsed.find(root)
		require.Len(t, found, 1, path)
		require.Equal(t, "found", found[0].node.Value)
	}
	_, err := JSONPath("paths", "/"+strings.Repeat("a", maxPath), "get")
	require.EqualError(t, err, "longer than 2000 bytes")
}
