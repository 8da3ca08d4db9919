package output

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWriteNew: all files are made, or none; what is there is never touched.
func TestWriteNew(t *testing.T) {
	const fix = "\n\tmove it away, or leave it and write what is missing by hand"
	tests := map[string]struct {
		names []string
		want  string // the error
	}{
		"new ones":              {[]string{"one", "two"}, ""},
		"one is there":          {[]string{"one", "there"}, "there: is there already; no file is ever overwritten" + fix},
		"two are there":         {[]string{"there", "dangling"}, "dangling: is there already; no file is ever overwritten" + fix + "\nthere: is there already; no file is ever overwritten" + fix},
		"a folder is there":     {[]string{"folder"}, "folder: is there already; no file is ever overwritten" + fix},
		"the second one fails":  {[]string{"one", "three/four"}, "three/four: cannot be written: no such file or directory"},
		"one is outside":        {[]string{"../one"}, "../one: cannot be written: path escapes from parent"},
		"the folder is missing": {nil, "missing: cannot be opened: no such file or directory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{"there": "theirs", "folder/theirs": ""})
			require.NoError(t, os.Symlink("nowhere", "dangling"))
			before, dir := files(t), "."
			if test.names == nil {
				dir = "missing"
			}
			content := map[string][]byte{}
			for _, name := range test.names {
				content[name] = []byte("ours: " + name)
			}
			err := WriteNew(dir, content)
			if test.want == "" {
				require.NoError(t, err)
				for name, text := range content {
					before[name] = string(text)
				}
			} else {
				require.EqualError(t, err, test.want)
			}
			require.Equal(t, before, files(t))
		})
	}
}
