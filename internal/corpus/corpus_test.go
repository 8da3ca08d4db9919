package corpus

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
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

// without are the operations that are not supported yet, of documents that are
// supported otherwise.
var without = map[string]spec.Selection{
	"asana.yaml":                {Operations: []string{"POST /attachments"}},
	"box.json":                  {Paths: []string{"/**/*#*", "/oauth2/**", "/files/**/content", "/files/**/upload_sessions/**", "/authorize", "/search", "/users/*/avatar", "/zip_downloads/*/content", "/files/*/metadata/**", "/folders/*/metadata/**", "/metadata_templates/**"}},
	"datadog-v1.yaml":           {Paths: []string{"/api/v1/org/*/idp_metadata", "/api/v1/distribution_points", "/api/v1/series"}},
	"digitalocean-bundled.yaml": {Paths: []string{"/v1/**", "/api/v1/**", "/<upload_url>"}},
	"github.json":               {Operations: []string{"POST /repos/{owner}/{repo}/releases/{release_id}/assets"}},
	"k8s-batch-v1.json": {Operations: []string{
		"PATCH /apis/batch/v1/namespaces/{namespace}/cronjobs/{name}", "PATCH /apis/batch/v1/namespaces/{namespace}/cronjobs/{name}/status",
		"PATCH /apis/batch/v1/namespaces/{namespace}/jobs/{name}", "PATCH /apis/batch/v1/namespaces/{namespace}/jobs/{name}/status",
	}},
	"oai-uspto.yaml": {Operations: []string{"perform-search"}},
	"openai.yaml": {Paths: []string{
		"/**/*?beta=true", "/audio/**", "/chat/completions", "/content_provenance_checks", "/files", "/fine_tuning/jobs", "/images/**",
		"/organization/audit_logs", "/uploads/*/parts", "/videos/**", "/skills/**", "/containers/**",
	}},
}

// refused are the documents of which too little is supported yet.
var refused = []string{
	"docker-swagger2.yaml", "ogen-superset.json", "sms.yml", "verify.yml", "stripe-2022.json", "twilio-api-v2010.json", "twilio-messaging-v1.json", "twilio-verify-v2.json",
}

// located is one line of a refusal: a place and a message, or how to go on.
var located = regexp.MustCompile(`^([^\s:]+:\d+:\d+: \S|\t\S)`)

// TestEveryDocument: every document of the corpus, of whatever size, becomes a
// client that compiles, or is refused with places.
func TestEveryDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents take long")
	}
	corpus, dir := folder(t), module(t)
	documents := 0
	for _, document := range find(t, corpus) {
		name := filepath.Base(document)
		documents++
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Dir(document))
			_, files, err := generate(spec.Options{Spec: name, Package: "client"})
			if _, partly := without[name]; partly || slices.Contains(refused, name) {
				requireLocated(t, err)
			}
			if slices.Contains(refused, name) {
				return
			}
			if exclude, partly := without[name]; partly {
				_, files, err = generate(spec.Options{Spec: name, Package: "client", Exclude: exclude, Places: map[string]source.Pos{}})
			}
			require.NoError(t, err)
			writeAll(t, filepath.Join(dir, "d"+strings.NewReplacer(".", "", "-", "").Replace(name)), files)
		})
	}
	require.NotZero(t, documents)
	run(t, dir, "vet", "./...")
}

// find lists the documents of a folder: all but the parts of others.
func find(t *testing.T, corpus string) []string {
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

func requireLocated(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	for line := range strings.Lines(err.Error()) {
		require.Regexp(t, located, line)
	}
}
