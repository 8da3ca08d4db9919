package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// FuzzWrite: whatever is in the folder, a run either refuses it and changes
// nothing, or brings about what it shall and leaves alone what is not ours.
// Nothing outside of the folder ever changes.
func FuzzWrite(f *testing.F) {
	f.Add("a.gen.go", []byte(generated), uint8(0), []byte("new"), true)
	f.Add("a.gen.go", []byte("package a\n"), uint8(0), []byte("new"), true)
	f.Add("old.gen.go", []byte(generated), uint8(0), []byte("new"), false)
	f.Add("note.txt", []byte(generated), uint8(0), []byte("new"), false)
	f.Add("a.gen.go", []byte(""), uint8(1), []byte("new"), true)
	f.Add("old.gen.go", []byte(""), uint8(1), []byte("new"), false)
	f.Add("a.gen.go", []byte(""), uint8(2), []byte("new"), true)
	f.Add("old.gen.go", []byte(""), uint8(2), []byte("new"), false)
	f.Add("a.gen.go", []byte(""), uint8(3), []byte("new"), true)
	f.Add("../outside/ours.gen.go", []byte(""), uint8(4), []byte("new"), true)
	f.Fuzz(func(t *testing.T, name string, old []byte, kind uint8, content []byte, wanted bool) {
		inFolder(t, map[string]string{"outside/ours.gen.go": generated, "out/hand.go": "package a\n"})
		if !place(t, filepath.Join("out", name), old, kind%5) {
			return
		}
		shall := Target{Dir: "out", Files: map[string][]byte{"client.gen.go": []byte(generated)}}
		if wanted {
			shall.Files[name] = append([]byte(generated), content...)
		}
		before := files(t)
		plans, err := Compare([]Target{shall})
		require.Equal(t, before, files(t), "Compare writes nothing")
		if err == nil {
			err = plans.Write()
		}
		after := files(t)
		require.Equal(t, generated, after["outside/ours.gen.go"])
		if err != nil {
			require.Equal(t, before, after)
			var found source.Diagnostics
			if filepath.Ext(name) == ".go" && filepath.Base(name) == name {
				require.True(t, errors.As(err, &found), "%T", err)
			}
			return
		}
		for name, content := range shall.Files {
			require.Equal(t, string(content), after["out/"+name])
			delete(after, "out/"+name)
			delete(before, "out/"+name)
		}
		if first, _, _ := strings.Cut(before["out/"+name], "\n"); strings.TrimSuffix(first, "\r") == Header && filepath.Ext(name) == ".go" {
			delete(before, "out/"+name) // left over from an earlier run
		}
		require.Equal(t, before, after, "what is not ours stays")
		again, err := Compare([]Target{shall})
		require.NoError(t, err)
		require.True(t, again.Clean())
	})
}

// place puts something where a name is: a file, links to a file and a folder of
// others, or a folder. It is false where the system has no such thing.
func place(t *testing.T, path string, content []byte, kind uint8) bool {
	t.Helper()
	if local, err := filepath.Rel("out", path); err != nil || filepath.Base(local) != local || local == "." || local == ".." {
		return kind == 4
	}
	var err error
	switch kind {
	case 0:
		err = os.WriteFile(path, content, 0o644)
	case 1:
		err = os.Symlink(filepath.Join("..", "outside", "ours.gen.go"), path)
	case 2:
		err = os.Symlink(filepath.Join("..", "outside"), path)
	case 3:
		err = os.Mkdir(path, 0o755)
	}
	return err == nil || errors.Is(err, fs.ErrExist)
}

// FuzzDifference: the lines that stay and go are the old text, those that stay
// and come the new one.
func FuzzDifference(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte(""), []byte("a\n"))
	f.Add([]byte("a\na\nb\na\n"), []byte("b\na\na\n"))
	f.Add([]byte("a\n"), []byte("a\na\n")) // the line is head and tail
	f.Fuzz(func(t *testing.T, before, after []byte) {
		var gone, come []byte
		for _, e := range difference(before, after) {
			if e.op != '+' {
				gone = append(gone, e.text...)
			}
			if e.op != '-' {
				come = append(come, e.text...)
			}
		}
		require.Equal(t, string(before), string(gone))
		require.Equal(t, string(after), string(come))
	})
}
