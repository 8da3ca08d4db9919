package config

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// FuzzDecode: any bytes are either a configuration that can be used, or
// Diagnostics with the file.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", whole, "spec: openapi.yaml\r\npackage: pets\r\n", "\ufeffspec: openapi.yaml\n",
		"spec: &a b\noutput: *a\nexclude: &c {tags: [*a]}\ninclude: {<<: *c}\n",
		"spec: [a]\ninclude: &x {tags: [*x]}\n", "spec: a\nspec: b\n", "? [a]\n: b\n", "- spec\n", "spec: \"\\0\"\n---\n",
		"spec: ../a\noutput: /\nnames: {1: A}\ntypes: {~: b}\ntypes-only: no\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const file = "../api/" + FileName
		c, err := Decode(file, data)
		if err != nil {
			var found source.Diagnostics
			require.True(t, errors.As(err, &found), "%T", err)
			for _, one := range found {
				require.NotEmpty(t, one.Message)
				require.Equal(t, file, one.Pos.File)
			}
			return
		}
		require.NotEmpty(t, c.Spec)
		require.NotEmpty(t, c.Output)
		require.True(t, validPackage(c.Package), c.Package)
		for _, list := range [][]string{c.Overlays, c.Roots, c.Include.Tags, c.Include.Paths, c.Include.Operations, c.Exclude.Tags, c.Exclude.Paths, c.Exclude.Operations} {
			require.NotContains(t, list, "")
		}
		again, err := Decode(file, data)
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}
