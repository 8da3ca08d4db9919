package output

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const generated = Header + "\n\npackage a\n"

// inFolder makes the working folder one of its own, with these files.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
}

// files are the regular files below the working folder, and what they hold.
func files(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found[filepath.ToSlash(path)] = string(data)
		return err
	}))
	return found
}

func target(dir string, names ...string) Target {
	t := Target{Dir: dir, Files: map[string][]byte{}}
	for _, name := range names {
		t.Files[name] = []byte(generated + "// " + name + "\n")
	}
	return t
}

// TestWriteUndoesAll: a step that fails takes back those before it, in all
// folders, new ones included.
func TestWriteUndoesAll(t *testing.T) {
	tests := map[string]struct {
		block string // what is in the way after all was compared
		want  string
	}{
		"a file cannot be replaced":  {"b/two.gen.go/x", "b/two.gen.go: cannot be written: file exists"},
		"a file cannot be deleted":   {"b/zero.gen.go/x", "b/zero.gen.go: cannot be deleted: directory not empty"},
		"a folder cannot be made":    {"new/c", "new/c: is not a folder\n\tchoose another output folder"},
		"a folder has become a link": {"link", "b: is a symbolic link; nothing is written through one\n\tname the folder that it leads to as output"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{
				"a/one.gen.go": generated, "a/old.gen.go": generated,
				"b/one.gen.go": generated, "b/two.gen.go": generated, "b/zero.gen.go": generated,
			})
			plans, err := Compare([]Target{target("a", "one.gen.go", "first.gen.go"), target("n/e/w", "one.gen.go"), target("b", "one.gen.go", "two.gen.go"), target("new/c", "one.gen.go")})
			require.NoError(t, err)

			if test.block == "link" {
				require.NoError(t, os.Rename("b", "real"))
				require.NoError(t, os.Symlink("real", "b"))
			} else {
				_ = os.Remove(filepath.Dir(test.block))
				require.NoError(t, os.MkdirAll(filepath.Dir(test.block), 0o755))
				require.NoError(t, os.WriteFile(test.block, nil, 0o644))
			}
			before := files(t)
			require.EqualError(t, plans.Write(), test.want)
			require.Equal(t, before, files(t))
			require.NoDirExists(t, "n")
		})
	}
}

// TestWriteUndoesStaging: the temporary files of the others are gone, too.
func TestWriteUndoesStaging(t *testing.T) {
	inFolder(t, nil)
	long := strings.Repeat("x", 250) + ".go" // its temporary name is too long
	plans, err := Compare([]Target{target("a", "one.gen.go"), target("b", "one.gen.go", long)})
	require.NoError(t, err)
	require.EqualError(t, plans.Write(), "b/"+long+": cannot be written: file name too long")
	require.NoDirExists(t, "a")
	require.NoDirExists(t, "b")
}

// TestWriteSaysWhatItCannotUndo: beside the cause of the failure.
func TestWriteSaysWhatItCannotUndo(t *testing.T) {
	inFolder(t, nil)
	w := &writing{}
	w.did("a/one.gen.go", func() error { return fs.ErrPermission })
	w.did("a/gone.gen.go", func() error { return fs.ErrNotExist }) // as it shall be
	err := w.undoAll(refusal("b", "is not a folder", ""))
	require.EqualError(t, err, "b: is not a folder\na/one.gen.go: cannot be put back as it was: permission denied")
}

// TestCompareRefusesNames: what is printed decides no path.
func TestCompareRefusesNames(t *testing.T) {
	for _, name := range []string{"../a.go", "/a.go", "b/a.go", "a.txt", "", ".", ".."} {
		inFolder(t, nil)
		_, err := Compare([]Target{target("out", name)})
		require.ErrorContains(t, err, "internal fault", name)
	}
}

// TestCompareRefusesOneFolderTwice, however it is spelt.
func TestCompareRefusesOneFolderTwice(t *testing.T) {
	inFolder(t, map[string]string{"a/b/x.txt": ""})
	working, err := os.Getwd()
	require.NoError(t, err)
	for _, again := range []string{"a/b", "a/../a/b/", filepath.Join(working, "a", "b")} {
		_, err := Compare([]Target{target("a/b", "one.gen.go"), target(again, "two.gen.go")})
		require.EqualError(t, err, "a/b: is the output folder of two configurations\n\tgive each its own")
	}
	_, err = Compare([]Target{target("new", "one.gen.go"), target("./new/.", "two.gen.go")})
	require.EqualError(t, err, "new: is the output folder of two configurations\n\tgive each its own")

	// A link above both, where links are permitted; the folder is there or not.
	require.NoError(t, os.Symlink("a", "link"))
	t.Chdir(t.TempDir())
	for _, name := range []string{"b", "new"} {
		one, other := filepath.Join(working, "a", name), filepath.Join(working, "link", name)
		_, err = Compare([]Target{target(one, "one.gen.go"), target(other, "two.gen.go")})
		require.ErrorContains(t, err, "is the output folder of two configurations")
	}
}

// TestHeaderIsTheWholeFirstLine: git may have given it the line end of Windows.
func TestHeaderIsTheWholeFirstLine(t *testing.T) {
	for text, want := range map[string]bool{
		generated: true, Header: true, Header + "\r\n": true,
		Header + "\r\rx\n": false, Header + "\rx\n": false,
		"": false, "\n" + generated: false, " " + generated: false, Header + " x\n": false,
		strings.TrimSuffix(Header, "."): false, "\ufeff" + generated: false,
	} {
		inFolder(t, map[string]string{"a.go": text})
		root, err := os.OpenRoot(".")
		require.NoError(t, err)
		got, err := ours(root, "a.go")
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", text)
		require.NoError(t, root.Close())
	}
}
