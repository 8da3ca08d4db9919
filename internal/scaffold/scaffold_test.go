package scaffold

import (
	"go/parser"
	"go/token"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/spec"
)

const document = "openapi: 3.0.3\ninfo: {title: Payments, version: \"1\"}\npaths: {}\n"

// TestFiles: the configuration says what was asked for, whatever that means to YAML, and
// the overlay applies to any document.
func TestFiles(t *testing.T) {
	for _, start := range []Start{
		{Spec: "openapi.yaml", Package: "payments"},
		{Spec: "../a: b #c.yaml", Package: "true"},
		{Spec: "- x", Package: "null"},
		{Spec: "'{it}'.yaml", Package: "ünïcode"},
	} {
		t.Run(start.Spec, func(t *testing.T) {
			files, err := start.Files()
			require.NoError(t, err)
			c, err := config.Decode(config.FileName, files[config.FileName])
			require.NoError(t, err)
			require.Equal(t, start.Spec, c.Spec)
			require.Equal(t, start.Package, c.Package)
			require.Equal(t, []string{Overlay}, c.Overlays)
			require.Equal(t, ".", c.Output)

			doc, err := parser.ParseFile(token.NewFileSet(), "doc.go", files["doc.go"], 0)
			require.NoError(t, err)
			require.Equal(t, start.Package, doc.Name.Name)

			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("openapi.yaml", []byte(document), 0o644))
			require.NoError(t, os.WriteFile(Overlay, files[Overlay], 0o644))
			_, err = spec.Load(spec.Options{Spec: "openapi.yaml", Overlays: []string{Overlay}, Package: "test"})
			require.NoError(t, err)
		})
	}
}

// TestFilesTakeTheOverlay: one that is given is written as it is.
func TestFilesTakeTheOverlay(t *testing.T) {
	files, err := Start{Spec: "a.yaml", Package: "a", Overlay: []byte("mine")}.Files()
	require.NoError(t, err)
	require.Equal(t, "mine", string(files[Overlay]))
}
