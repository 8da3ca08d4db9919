package corpus

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/templates"
)

// writeFake writes the fake of a document beside its client, for the compiler.
func writeFake(t *testing.T, document, client string) {
	t.Helper()
	api, err := spec.Load(spec.Options{Spec: document, Package: "client", FakeOf: "corpus.example/" + filepath.Base(client)})
	require.NoError(t, err)
	files, err := templates.RenderFake(api)
	require.NoError(t, err)
	require.Contains(t, files, templates.FakeFile)
	writeAll(t, filepath.Join(client, api.Fake.Package), files)
}
