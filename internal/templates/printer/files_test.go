package printer

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiles(t *testing.T) {
	files, err := Files(petsAPI(), false, false)
	require.NoError(t, err)
	for name, source := range files {
		_, err := parser.ParseFile(token.NewFileSet(), name, source, parser.AllErrors)
		require.NoError(t, err)
	}
	require.Len(t, files, 5)

	files, err = Files(petsAPI(), true, false)
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Contains(t, string(files["models.gen.go"]), "// Package pets")
}
