package corpus

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/templates"
)

// folder is where the documents are.
func folder(t *testing.T) string {
	dir := os.Getenv("RETRYGEN_CORPUS")
	if dir == "" {
		t.Skip("set RETRYGEN_CORPUS to a folder of published documents to run this test")
	}
	return dir
}

// generate is what a document becomes.
func generate(options spec.Options) (*spec.API, map[string][]byte, error) {
	api, err := spec.Load(options)
	if err != nil {
		return nil, nil, err
	}
	files, err := templates.Render(api, templates.Options{})
	return api, files, err
}

// module is a new module that has this repository in the place of retrygen, and
// needs nothing of the network.
func module(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module corpus.example\n\ngo 1.26\n\n"+
		"require github.com/retrygen/retrygen v0.0.0\n\nreplace github.com/retrygen/retrygen => "+root+"\n"))
	return dir
}

// write writes a file and the folders above it.
func write(t *testing.T, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, data, 0o644))
}

func writeAll(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		write(t, filepath.Join(dir, name), data)
	}
}

// run runs the go command in a module.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
}

// annotated are the documents that overlays of ours annotate. The numbers tell
// that the overlays have found what they mean.
var annotated = []struct {
	document, pkg                 string
	operations, idempotent, keyed int
}{
	{"oai-petstore.yaml", "petstore", 3, 2, 1},
	{"oai-petstore-expanded.yaml", "expanded", 4, 3, 0},
	{"messagebird-sms.yaml", "messagebird", 4, 3, 1},
	{"spotify.yml", "spotify", 97, 90, 2},
}

// TestAnnotated: documents that overlays annotate become clients that compile,
// that are the same every time, and that do on the wire what was annotated.
func TestAnnotated(t *testing.T) {
	corpus, dir := folder(t), module(t)
	for _, test := range annotated {
		t.Run(test.pkg, func(t *testing.T) {
			options := spec.Options{
				Spec:     filepath.Join(corpus, test.document),
				Overlays: []string{filepath.Join("testdata", test.pkg+".yaml")},
				Package:  test.pkg,
			}
			api, files, err := generate(options)
			require.NoError(t, err)
			require.Len(t, api.Operations, test.operations)
			require.Equal(t, test.idempotent, count(api, spec.Idempotent))
			require.Equal(t, test.keyed, count(api, spec.IdempotentByKey))
			require.Equal(t, test.pkg+"-upstream", api.Upstream.Name.V)
			writeAll(t, filepath.Join(dir, test.pkg), files)

			again, err := os.MkdirTemp(dir, "again")
			require.NoError(t, err)
			_, files, err = generate(options)
			require.NoError(t, err)
			writeAll(t, filepath.Join(again, test.pkg), files)
			requireSame(t, filepath.Join(dir, test.pkg), filepath.Join(again, test.pkg))
		})
	}
	calls, err := os.ReadFile("testdata/calls/calls_test.go")
	require.NoError(t, err)
	write(t, filepath.Join(dir, "calls", "calls_test.go"), calls)
	run(t, dir, "vet", "./...")
	run(t, dir, "test", "./calls")
}

func count(api *spec.API, kind spec.Idempotency) (n int) {
	for _, op := range api.Operations {
		if op.Contract.Idempotency.V == kind {
			n++
		}
	}
	return n
}

// requireSame compares two folders of files.
func requireSame(t *testing.T, a, b string) {
	t.Helper()
	left, right := contents(t, a), contents(t, b)
	require.NotEmpty(t, left)
	require.Equal(t, slices.Sorted(maps.Keys(left)), slices.Sorted(maps.Keys(right)))
	for name := range left {
		require.True(t, bytes.Equal(left[name], right[name]), "%s differs", name)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		files[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
	}
	return files
}

// compiled are the documents whose clients every run of the tests compiles; with
// RETRYGEN_CORPUS_ALL set it compiles all of them.
var compiled = []string{
	"box.json", "docker-swagger2.yaml", "k8s-batch-v1.json", "ogen-superset.json", "openai.yaml", "spotify.yml",
	"twilio-verify-v2.json", "verify.yml",
}

// TestEveryDocument: the command makes a client of every document of the corpus,
// the same however many processors it has and wherever it writes, and the clients
// compile, and their fakes.
func TestEveryDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents take long")
	}
	corpus, dir, command := folder(t), module(t), build(t)
	all := os.Getenv("RETRYGEN_CORPUS_ALL") != ""
	var table strings.Builder
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(rows, "document\toperations\tlines\tseconds\tpeak MiB\t")
	for _, document := range find(t, corpus) {
		name := filepath.Base(document)
		t.Run(name, func(t *testing.T) {
			client := filepath.Join(dir, "d"+strings.NewReplacer(".", "", "-", "").Replace(name))
			first := generated(t, command, document, client, 8)
			fmt.Fprintf(rows, "%s\t%d\t%d\t%.1f\t%d\t\n", name, first.operations, first.lines, first.took.Seconds(), first.peak>>20)
			if !slices.Contains(compiled, name) && !all {
				require.NoError(t, os.RemoveAll(client))
				return
			}
			again := t.TempDir()
			generated(t, command, document, again, 1)
			requireSame(t, client, again)
			writeFake(t, document, client)
		})
	}
	require.NoError(t, rows.Flush())
	t.Log("\n" + table.String())
	run(t, dir, "build", "./...")
	run(t, dir, "vet", "./...")
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "retrygen")
	command := exec.Command("go", "build", "-o", name, "../../cmd/retrygen")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return name
}

// measured is what one run of the command has made, and what it took.
type measured struct {
	operations, lines int
	took              time.Duration
	peak              int64 // bytes of memory
}

// generated runs the command for a document.
func generated(t *testing.T, retrygen, document, output string, processors int) (m measured) {
	t.Helper()
	require.NoError(t, os.MkdirAll(output, 0o755))
	command := exec.Command(retrygen, "generate", "--spec", document, "--package", "client", "--output", output)
	command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors))
	start := time.Now()
	out, err := command.CombinedOutput()
	m.took = time.Since(start)
	require.NoError(t, err, "%s", out)
	m.peak = peak(command.ProcessState)
	for _, data := range contents(t, output) {
		m.lines += bytes.Count(data, []byte("\n"))
		m.operations += bytes.Count(data, []byte("= runtime.Operation{"))
	}
	require.NotZero(t, m.lines)
	return m
}

// find lists the documents of a folder: all but the parts of others.
func find(t testing.TB, corpus string) []string {
	t.Helper()
	var documents []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*.json", "*/*.yaml", "*/*.yml", "*/*.json"} {
		names, err := filepath.Glob(filepath.Join(corpus, pattern))
		require.NoError(t, err)
		documents = append(documents, names...)
	}
	slices.Sort(documents)
	return documents
}
