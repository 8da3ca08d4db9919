package spec

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// FuzzLoad: any document becomes an API, or diagnostics that name a place in a
// file; and the same the next time.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(f, err)
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		require.NoError(f, err)
		f.Add(archive.Files[0].Data)
	}
	for _, refused := range refusals {
		f.Add([]byte(refused.document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("api.yaml", document, 0o644))
		options := Options{Spec: "api.yaml", Package: "test"}
		require.Equal(t, loaded(options), loaded(options))
		_, err := Load(options)
		if err == nil {
			return
		}
		var found source.Diagnostics
		require.True(t, errors.As(err, &found), "%T", err)
		for _, one := range found {
			require.Equal(t, "api.yaml", one.Pos.File, one.Message)
		}
	})
}
