package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// TestMutatedDocuments: a document in which any one value is missing, or is of
// another kind, is refused at a place in it, or becomes Go that type-checks.
func TestMutatedDocuments(t *testing.T) {
	check := newChecker(t)
	for _, name := range mutated(t) {
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(filepath.Join(folder, name, "openapi.yaml"))
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal(source, &document))
			for _, mutation := range mutations(document.Content[0], "") {
				restore := mutation.apply()
				text, err := yaml.Marshal(&document)
				restore()
				require.NoError(t, err)
				require.NoError(t, os.WriteFile("openapi.yaml", text, 0o644))
				files := generate(t, "mutated")
				refused, ok := files[refusal]
				if !ok {
					check.files(t, files)
					continue
				}
				for line := range strings.Lines(string(refused)) {
					require.Regexp(t, located, line, mutation.name)
				}
			}
		})
	}
}

// located is a line of a refusal: a message with its place, or a way out.
const located = `^(openapi\.yaml:\d+:\d+: |\t)`

// mutated are the documents that are mutated: a few, or all with
// RETRYGEN_SOAK.
func mutated(t *testing.T) (names []string) {
	if os.Getenv("RETRYGEN_SOAK") == "" {
		return []string{"keys", "security", "servers", "nullable-matrix"}
	}
	all, err := filepath.Glob(folder + "/*/client.gen.go")
	require.NoError(t, err)
	for _, name := range all {
		if name = filepath.Base(filepath.Dir(name)); name != "several-files" && name != "references" { // they are more than one document
			names = append(names, name)
		}
	}
	return names
}

// mutation changes one node of a document; apply returns how it was.
type mutation struct {
	name  string
	apply func() (restore func())
}

func mutations(n *yaml.Node, at string) (all []mutation) {
	for _, kind := range []string{"null", "[]", "{}", "[x]", "{x: y}", "-1", "true", "''", "'*/'"} {
		all = append(all, mutation{at + " = " + kind, func() func() {
			before := *n
			var other yaml.Node
			if err := yaml.Unmarshal([]byte(kind), &other); err != nil {
				panic(err)
			}
			*n = *other.Content[0]
			return func() { *n = before }
		}})
	}
	for i, child := range n.Content {
		name := fmt.Sprint(at, "/", i)
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				all = append(all, without(n, i, 2, at+"/"+child.Value))
				continue
			}
			name = at + "/" + n.Content[i-1].Value
		} else {
			all = append(all, without(n, i, 1, name))
		}
		all = append(all, mutations(child, name)...)
	}
	return all
}

// without is a collection without the member at i, of so many nodes.
func without(n *yaml.Node, i, nodes int, name string) mutation {
	return mutation{"no " + name, func() func() {
		before := n.Content
		n.Content = append(append([]*yaml.Node(nil), before[:i]...), before[i+nodes:]...)
		return func() { n.Content = before }
	}}
}
