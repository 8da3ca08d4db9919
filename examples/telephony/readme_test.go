package telephony_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeNamesTests: every mechanism, adversarial case and invariant is in the
// README, and each test that it names exists.
func TestReadmeNamesTests(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(data)
	for _, id := range strings.Fields("MC-FM-01 MC-PO-01 MC-ST-01 MC-RT-01 ADV-IR-01 ADV-FD-01 ADV-UC-01 " +
		"INV-RTY-01 INV-RTY-02 INV-RTY-03 INV-RTY-04 INV-RTY-05 G-1 G-2") {
		require.Contains(t, readme, id)
	}
	var tests strings.Builder
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		tests.Write(source)
		return err
	}))
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(readme, -1)
	require.Greater(t, len(named), 30)
	for _, name := range named {
		require.Contains(t, tests.String(), "\nfunc "+name[1]+"(t *testing.T) {")
	}
}
