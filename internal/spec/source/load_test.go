package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inFolder writes files into a new folder and makes it the working folder.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
	return dir
}

const head = "openapi: 3.0.3\ninfo: {title: T, version: \"1\"}\n"

// Each of these gets one message, which begins with the place.
func TestLoadRefuses(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"missing file":       {nil, "api.yaml: the document does not exist"},
		"empty file":         {map[string]string{"api.yaml": ""}, "api.yaml:1:1: the file is empty"},
		"only a comment":     {map[string]string{"api.yaml": "# nothing\n"}, "api.yaml:1:1: the file is empty"},
		"root is a list":     {map[string]string{"api.yaml": "- a\n"}, "api.yaml:1:1: the document is a list; expected a mapping"},
		"root is a string":   {map[string]string{"api.yaml": "hello\n"}, "api.yaml:1:1: the document is a string; expected a mapping"},
		"broken YAML":        {map[string]string{"api.yaml": "openapi: 3.0.3\ninfo:\n  title: T\n version: 1\n"}, "api.yaml:4:2: not readable as YAML or JSON: did not find expected key"},
		"not UTF-8":          {map[string]string{"api.yaml": "openapi: 3.0.3\ninfo: {title: \"\xff\"}\n"}, "api.yaml:2:16: this is neither UTF-8 text nor white space\n\tsave the file as UTF-8, without control characters"},
		"control character":  {map[string]string{"api.yaml": "a: \"\x01\"\n"}, "api.yaml:1:5: this is neither UTF-8 text nor white space\n\tsave the file as UTF-8, without control characters"},
		"two documents":      {map[string]string{"api.yaml": head + "paths: {}\n---\na: 1\n"}, "api.yaml:4:1: a second YAML document starts here; only one is read\n\tremove the --- line, or split the file"},
		"duplicate keys":     {map[string]string{"api.yaml": head + "paths: {}\ninfo: {}\n"}, "api.yaml:4:1: duplicate key \"info\"; the first one is at api.yaml:2:1\n\tremove one of the two"},
		"duplicate JSON key": {map[string]string{"api.yaml": `{"openapi": "3.0.3", "paths": {}, "paths": {}}`}, "api.yaml:1:35: duplicate key \"paths\"; the first one is at api.yaml:1:22\n\tremove one of the two"},
		"key is a list":      {map[string]string{"api.yaml": head + "? [a]\n: 1\n"}, "api.yaml:3:3: a key is a list; expected a string"},
		"no version":         {map[string]string{"api.yaml": "paths: {}\n"}, "api.yaml:1:1: there is no openapi key that names the version; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported\n\twrite openapi: \"3.0.3\" at the top if that is what this is"},
		"swagger 1.2":        {map[string]string{"api.yaml": "swagger: \"1.2\"\n"}, "api.yaml:1:10: this is a Swagger 1.2 document; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported\n\tconvert it to OpenAPI 3 first"},
		"version 3.3.0":      {map[string]string{"api.yaml": "openapi: 3.3.0\n"}, "api.yaml:1:10: openapi is \"3.3.0\"; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported"},
		"version 4.0.0":      {map[string]string{"api.yaml": "openapi: 4.0.0\n"}, "api.yaml:1:10: openapi is \"4.0.0\"; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported"},
		"version 3.1":        {map[string]string{"api.yaml": "openapi: 3.1\n"}, "api.yaml:1:10: openapi is \"3.1\"; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported"},
		"version is a list":  {map[string]string{"api.yaml": "openapi: [3]\n"}, "api.yaml:1:10: openapi is a list; OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported"},
		"dangling ref": {
			map[string]string{"api.yaml": head + "paths: {}\ncomponents:\n  schemas:\n    Pet: {type: object}\n    A:\n      properties:\n        b: {$ref: '#/components/schemas/Pett'}\n"},
			"api.yaml:9:19: $ref \"#/components/schemas/Pett\" leads nowhere\n\tdid you mean Pet?",
		},
		"operations that are references in a circle": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get: {$ref: '#/paths/~1a/put'}\n    put: {$ref: '#/paths/~1a/get'}\n"},
			"api.yaml:5:17: $ref \"#/paths/~1a/put\" leads to nothing but other references\n\twrite what is meant in place of one of them",
		},
		"duplicate operationId": {
			map[string]string{"api.yaml": head + "paths:\n  /b:\n    get:\n      operationId: same\n      responses: {default: {description: x}}\n  /a:\n    get:\n      operationId: same\n      responses: {default: {description: x}}\n"},
			"api.yaml:10:7: duplicate operationId \"same\"; the first one is at api.yaml:6:7\n\tgive each operation an id of its own",
		},
		"unknown field": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get:\n      operationID: a\n      responses: {default: {description: x}}\n"},
			"api.yaml:6:7: unknown field \"operationID\"\n\tremove it, or begin its name with x-",
		},
		"wrong type": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get:\n      tags: one\n      responses: {default: {description: x}}\n"},
			"api.yaml:6:7: found a string; expected a list",
		},
		"parameter without a name": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get:\n      parameters:\n        - {in: query, schema: {type: string}}\n"},
			"api.yaml:7:12: parameter name can't be blank",
		},
		"operation of another file that is not there": {
			map[string]string{
				"api.yaml": head + "paths:\n  /a: {$ref: 'a.yaml'}\n",
				"a.yaml":   "get: {$ref: 'get.yaml'}\n",
			},
			"a.yaml:1:13: $ref \"get.yaml\" does not exist",
		},
		"operation that contains itself": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get: {$ref: '#/x-a'}\nx-a: {responses: {$ref: '#/x-a'}}\n"},
			"api.yaml:6:25: $ref \"#/x-a\" leads to what it stands in\n\tbreak the circle",
		},
		"references that fan out": {
			map[string]string{"api.yaml": head + "paths:\n  /a:\n    get: {$ref: '#/x-0'}\n" + fan(30)},
			"api.yaml:147:21: references bring more than 500000 elements",
		},
		"circle of references": {
			map[string]string{"api.yaml": head + "paths: {}\ncomponents:\n  schemas:\n    A: {$ref: '#/components/schemas/A'}\n"},
			"api.yaml:6:5: $ref \"#/components/schemas/A\" leads to nothing but other references: #/components/schemas/A -> #/components/schemas/A\n\twrite what they stand for in place of one of them",
		},
		"mistake in another file": {
			map[string]string{
				"api.yaml":     head + "paths: {}\ncomponents:\n  parameters:\n    A: {$ref: 'sub/a b.yaml#/A'}\n",
				"sub/a b.yaml": "A:\n  in: query\n  schema:\n    type: string\n",
			},
			"sub/a b.yaml:1:1: parameter name can't be blank",
		},
		"nested too deep": {
			map[string]string{"api.yaml": `{"openapi": "3.0.3", "x": ` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500) + `}`},
			"api.yaml:1:2018: nested more than 400 levels deep",
		},
		"alias in itself": {map[string]string{"api.yaml": head + "x-a: &a [1, *a]\n"}, "api.yaml:3:13: the alias *a is inside of what it stands for"},
		"empty key":       {map[string]string{"api.yaml": head + "x-a:\n  ~: 1\n"}, "api.yaml:4:3: a key is empty; expected a string\n\twrite it in quotes if that is its name"},
		"infinite number": {map[string]string{"api.yaml": head + "x-a: [-.Inf]\n"}, "api.yaml:3:7: found -.Inf; expected a number that JSON can write"},
		"negative length": {
			map[string]string{"api.yaml": head + "paths: {}\ncomponents: {schemas: {A: {type: string, minLength: -1}}}\n"},
			"api.yaml:4:42: found a number; expected a whole number from 0 to 18446744073709551615",
		},
		"mapping where a string is expected": {
			map[string]string{"api.yaml": head + "paths: {}\nservers:\n  - description: d\n    url:\n      a: b\n"},
			"api.yaml:6:5: found a mapping; expected a string",
		},
		"mapping where a string is expected, in JSON": {
			map[string]string{"api.yaml": `{"openapi": "3.0.3", "info": {"title": "\ud83d\udc4d", "version": "v"}, "paths": {}, "servers": [{"url": {"a": "b"}}]}`},
			"api.yaml:1:99: found a mapping; expected a string",
		},
		"merge of a list": {map[string]string{"api.yaml": head + "x-a: {<<: [1]}\n"}, "api.yaml:3:12: a merge key (<<) holds a number; expected a mapping"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inFolder(t, test.files)
			_, err := Load(Options{Path: "api.yaml"})
			require.EqualError(t, err, test.want)
		})
	}
}

// Mistakes of published documents that change nothing are no reason to refuse.
func TestLoadNotes(t *testing.T) {
	inFolder(t, map[string]string{"api.yaml": head + `paths: {}
components:
  schemas:
    A: {type: array}
    B: {type: object, required: [a, a]}
    C: {type: object, optional: true, properties: {c: {type: string}}}
    D: {type: object, $defs: {E: {type: string}}}
    F: {type: object, properties: {f: {$recursiveRef: "#"}}}
`})
	d, err := Load(Options{Path: "api.yaml"})
	require.NoError(t, err)
	require.EqualError(t, d.Notes, `api.yaml:6:5: when schema type is 'array', schema 'items' must be non-null
api.yaml:7:5: duplicate field "a" in required
api.yaml:8:23: unknown field "optional"
	remove it, or begin its name with x-
api.yaml:9:5: field $defs is for OpenAPI >=3.1
api.yaml:10:40: unknown field "$recursiveRef"
	remove it, or begin its name with x-`)
}

func TestLoadConfinesReferences(t *testing.T) {
	root := func(ref string) string {
		return head + "paths: {}\ncomponents:\n  schemas:\n    A: {$ref: '" + ref + "'}\n"
	}
	tests := map[string]struct{ ref, want string }{
		"parent folder":        {"../secret.yaml#/A", `$ref "../secret.yaml#/A" is outside of the folder of the document`},
		"hidden parent folder": {"sub/../../secret.yaml#/A", `$ref "sub/../../secret.yaml#/A" is outside of the folder of the document`},
		"absolute":             {"/etc/passwd", `$ref "/etc/passwd" is outside of the folder of the document`},
		"file URL":             {"file:///etc/passwd", `$ref "file:///etc/passwd" is not a file in the folder of the document; nothing is ever read over the network`},
		"http":                 {"http://127.0.0.1:1/a.yaml#/A", `$ref "http://127.0.0.1:1/a.yaml#/A" is not a file in the folder of the document; nothing is ever read over the network`},
		"host":                 {"//example.com/a.yaml", `$ref "//example.com/a.yaml" is not a file in the folder of the document; nothing is ever read over the network`},
		"backslash":            {`..\secret.yaml`, `$ref "..\\secret.yaml" is outside of the folder of the document`},
		"link that leaves":     {"link.yaml#/A", `$ref "link.yaml#/A" is outside of the folder of the document`},
		"folder":               {"sub#/A", `$ref "sub#/A" is not a file`},
		"missing":              {"none.yaml#/A", `$ref "none.yaml#/A" does not exist`},
		"missing element":      {"sub/ok.yaml#/Aa", `$ref "sub/ok.yaml#/Aa" leads nowhere`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := inFolder(t, map[string]string{
				"secret.yaml":     "A: {type: string, description: hunter2}\n",
				"api/api.yaml":    root(test.ref),
				"api/sub/ok.yaml": "Aaaaaaaa: {type: string}\n",
			})
			require.NoError(t, os.Symlink(filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "api/link.yaml")))
			_, err := Load(Options{Path: "api/api.yaml"})
			require.ErrorContains(t, err, "api/api.yaml:6:15: "+test.want)
			require.NotContains(t, err.Error(), "hunter2")
			require.Len(t, err, 1)
		})
	}
}

// A reference that leads to a file of secrets must not print them.
func TestLoadNeverQuotesReferencedFiles(t *testing.T) {
	for name, secret := range map[string]string{
		"text":        "PASSWORD hunter2\n",
		"environment": "PASSWORD=hunter2\n",
		"broken":      "password: [hunter2\n",
		"wrong type":  "type: [hunter2]\nminLength: hunter2\nproperties: hunter2\n",
		"list":        "- hunter2\n",
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{
				"api.yaml": head + "paths: {}\ncomponents:\n  schemas:\n    A: {$ref: 'secret'}\n",
				"secret":   secret,
			})
			_, err := Load(Options{Path: "api.yaml"})
			require.Error(t, err)
			require.NotContains(t, err.Error(), "hunter2")
			require.Contains(t, err.Error(), "secret:")
		})
	}
}

func TestLoadReadsOtherRoots(t *testing.T) {
	inFolder(t, map[string]string{
		"api/api.yaml":       head + "paths: {}\ncomponents:\n  schemas:\n    A: {$ref: '../common/a.yaml#/A'}\n",
		"common/a.yaml":      "A:\n  properties:\n    b: {$ref: 'deep/b.yaml'}\n",
		"common/deep/b.yaml": "type: string\nx-b: 1\n",
	})
	_, err := Load(Options{Path: "api/api.yaml"})
	require.ErrorContains(t, err, "outside")
	d, err := Load(Options{Path: "api/api.yaml", Roots: []string{"common"}})
	require.NoError(t, err)
	require.Equal(t, "common/deep/b.yaml:2:1", d.Pos("", "/components/schemas/A/properties/b/x-b").String())
	_, err = Load(Options{Path: "api/api.yaml", Roots: []string{"none"}})
	require.EqualError(t, err, "none: the folder does not exist")
}

func TestLoadRefusesAliasBombs(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(head + "paths: {}\ncomponents:\n  schemas:\n    A0: &a0 {type: string}\n")
	for i := 1; i < 12; i++ {
		prev := "*a" + string(rune('a'+i-1))
		if i == 1 {
			prev = "*a0"
		}
		bomb.WriteString("    A" + string(rune('a'+i)) + ": &a" + string(rune('a'+i)) + " {properties: {")
		for j := range 9 {
			bomb.WriteString(string(rune('a'+j)) + ": " + prev + ", ")
		}
		bomb.WriteString("}}\n")
	}
	inFolder(t, map[string]string{"api.yaml": bomb.String()})
	_, err := Load(Options{Path: "api.yaml"})
	require.ErrorContains(t, err, "the aliases expand to an excessive size or depth")
}

func TestLoadBoundsWhatItReads(t *testing.T) {
	f := folders{left: 10}
	_, err := f.readAll(strings.NewReader("12345678"))
	require.NoError(t, err)
	_, err = f.readAll(strings.NewReader("123"))
	require.EqualError(t, err, "makes the document larger than 64 MiB")
}

func TestLoadReadsLaterPatchReleases(t *testing.T) {
	inFolder(t, map[string]string{
		"api.yaml":     "openapi: 3.1.9\ninfo: {title: T, version: \"1\"}\nwebhooks: {}\n",
		"overlay.yaml": "overlay: 1.1.0\nactions: [{target: $.info, update: {title: U}}]\n",
	})
	for _, overlays := range [][]string{nil, {"overlay.yaml"}} {
		d, err := Load(Options{Path: "api.yaml", Overlays: overlays})
		require.NoError(t, err)
		require.True(t, d.Doc.IsOpenAPI31OrLater())
		require.Equal(t, "3.1.9", d.Node("", "/openapi").Value)
	}
}

func TestLoadRefusesFolders(t *testing.T) {
	inFolder(t, map[string]string{"api/api.yaml": head})
	_, err := Load(Options{Path: "api"})
	require.EqualError(t, err, "api: the document is a folder")
	_, err = Load(Options{Path: "none/api.yaml"})
	require.EqualError(t, err, "none/api.yaml: the document does not exist")
}

// A pipe would block for ever.
func TestLoadRefusesPipes(t *testing.T) {
	inFolder(t, map[string]string{"api.yaml": head + "paths: {}\ncomponents: {schemas: {A: {$ref: 'pipe'}}}\n"})
	if err := exec.Command("mkfifo", "pipe").Run(); err != nil {
		t.Skip("no mkfifo here")
	}
	_, err := Load(Options{Path: "api.yaml"})
	require.EqualError(t, err, `api.yaml:4:34: $ref "pipe" is not a file`)
}

// Numbers that float64 cannot hold are exact in the tree.
func TestLoadKeepsNumbers(t *testing.T) {
	inFolder(t, map[string]string{
		"api.yaml":     head + "paths: {}\nx-a: 9007199254740993\nx-b: 1.10\n",
		"overlay.yaml": "overlay: 1.0.0\nactions: [{target: $, update: {x-c: 18446744073709551615}}]\n",
	})
	d, err := Load(Options{Path: "api.yaml", Overlays: []string{"overlay.yaml"}})
	require.NoError(t, err)
	require.Equal(t, "9007199254740993", d.Node("", "/x-a").Value)
	require.Equal(t, "1.10", d.Node("", "/x-b").Value)
	require.Equal(t, "18446744073709551615", d.Node("", "/x-c").Value)
}

// TestLoadKeepsTags: a document that is printed anew for kin-openapi, whether
// for an overlay or for its version, keeps the types of its values.
func TestLoadKeepsTags(t *testing.T) {
	const body = "\ninfo: {title: T, version: \"1\"}\npaths: {}\nx-a: {b: true, c: 7, d: [null, x]}\n"
	inFolder(t, map[string]string{
		"api.yaml":     "openapi: 3.0.3" + body,
		"later.yaml":   "openapi: 3.0.9" + body,
		"overlay.yaml": "overlay: 1.0.0\nactions: [{target: $, update: {x-e: false}}]\n",
	})
	for _, options := range []Options{
		{Path: "api.yaml"},
		{Path: "later.yaml"},
		{Path: "api.yaml", Overlays: []string{"overlay.yaml"}},
	} {
		d, err := Load(options)
		require.NoError(t, err)
		for pointer, tag := range map[string]string{"/x-a/b": "!!bool", "/x-a/c": "!!int", "/x-a/d/0": "!!null", "/x-a/d/1": "!!str"} {
			require.Equal(t, tag, d.Node("", pointer).ShortTag(), "%v %s", options, pointer)
		}
		if options.Overlays != nil {
			require.Equal(t, "!!bool", d.Node("", "/x-e").ShortTag())
		}
	}
}

// fan is a chain of elements each of which holds the next one four times.
func fan(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "x-%d:\n", i)
		for _, key := range []string{"responses", "parameters", "tags", "security"} {
			fmt.Fprintf(&b, "  %s: {$ref: '#/x-%d'}\n", key, i+1)
		}
	}
	fmt.Fprintf(&b, "x-%d: {}\n", levels)
	return b.String()
}
