package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// call is what the driver is told, and result what it tells; see testdata/driver.
type call struct {
	Client    string
	Operation string
	Method    string
	Args      []json.RawMessage
	Params    map[string]json.RawMessage // nil: the method has none
	Body      json.RawMessage            `json:",omitempty"`
}

type result struct {
	Operation string
	Value     json.RawMessage
	Error     string
}

// buildDriver builds the driver of some packages of a module.
func buildDriver(t *testing.T, dir string, packages []string) {
	t.Helper()
	source, err := os.ReadFile("testdata/driver/main.go")
	require.NoError(t, err)
	write(t, filepath.Join(dir, "driver", "main.go"), source)
	var list strings.Builder
	list.WriteString("package main\n\nimport (\n")
	for _, name := range packages {
		fmt.Fprintf(&list, "\t%s %q\n", name, "corpus.example/"+name)
	}
	list.WriteString(")\n\nvar clients = map[string]func(string) (any, error){\n")
	for _, name := range packages {
		fmt.Fprintf(&list, "\t%q: of(%s.New),\n", name, name)
	}
	list.WriteString("}\n")
	write(t, filepath.Join(dir, "driver", "clients.go"), []byte(list.String()))
	run(t, dir, "build", "-o", "driver.out", "./driver")
}

// drive makes calls.
func drive(t *testing.T, dir, url string, calls []call) []result {
	t.Helper()
	var script bytes.Buffer
	for _, c := range calls {
		line, err := json.Marshal(c)
		require.NoError(t, err)
		script.Write(append(line, '\n'))
	}
	command := exec.Command(filepath.Join(dir, "driver.out"), url)
	command.Stdin, command.Stderr = &script, os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	var results []result
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var r result
		if err := lines.Decode(&r); err == io.EOF {
			require.Len(t, results, len(calls))
			return results
		}
		require.NoError(t, err)
		results = append(results, r)
	}
}
