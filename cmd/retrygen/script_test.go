package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the scripts compare with instead of comparing it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"retrygen": main})
}

// TestGoldenScripts runs each script of testdata/script in a folder of its own
// that holds testdata/pets. Beside the commands of testscript they have
//
//	edit FILE OLD NEW     replaces text that occurs in a file; knows \n and \r
//	exits CODE ARG...     runs retrygen, which ends with this code
//	refused ARG...        runs retrygen, which ends with 2, prints nothing but
//	                      errors, and changes nothing below the folder
//	unchanged ARG...      runs retrygen, which changes nothing below the folder
func TestGoldenScripts(t *testing.T) {
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	environment := goEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, environment...)
			env.Setenv("REPOSITORY", repository)
			env.Setenv("GORACE", "atexit_sleep_ms=10") // a process has no goroutines left that could race
			return copyNew("testdata/pets", env.WorkDir)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"edit":      edit,
			"exits":     exits,
			"refused":   refused,
			"unchanged": unchanged,
		},
	})
}

// goEnv lets a script use the go command, which finds no home there: the caches,
// and where a module comes from that no build has needed yet.
func goEnv(t *testing.T) []string {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	require.NoError(t, err)
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		names[i] += "=" + value
	}
	return names
}

// copyNew copies files of a folder that the script does not bring itself.
func copyNew(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, entry := range entries {
		target := filepath.Join(to, entry.Name())
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
	}
	return err
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	file, before, after := ts.MkAbs(args[0]), unescape.Replace(args[1]), unescape.Replace(args[2])
	text := ts.ReadFile(file)
	if !strings.Contains(text, before) {
		ts.Fatalf("%s does not contain %q", args[0], before)
	}
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(text, before, after)), 0o644))
}

// unescape knows what a script cannot hold otherwise.
var unescape = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\ufeff`, "\ufeff", `\x01`, "\x01", `\xff`, "\xff")

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits CODE ARG...")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	expectCode(ts, code, args[1:])
}

func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: refused ARG...")
	}
	before := tree(ts)
	expectCode(ts, exitBadInput, args)
	if ts.ReadFile("stdout") != "" {
		ts.Fatalf("printed to stdout")
	}
	expectTree(ts, before)
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	before := tree(ts)
	if err := ts.Exec("retrygen", args...); (err != nil) != neg {
		ts.Fatalf("ended with %v", err)
	}
	expectTree(ts, before)
}

func expectCode(ts *testscript.TestScript, code int, args []string) {
	got := 0
	err := ts.Exec("retrygen", args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != code {
		ts.Fatalf("exit code %d; expected %d", got, code)
	}
}

func expectTree(ts *testscript.TestScript, before string) {
	if after := tree(ts); after != before {
		ts.Fatalf("files changed; before:\n%safter:\n%s", before, after)
	}
}

// tree is all that is below the folder of a script: names, modes and contents.
func tree(ts *testscript.TestScript) string {
	var lines strings.Builder
	root := ts.Getenv("WORK")
	ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprint(&lines, path, " ", info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&lines, " %x", sha256.Sum256(data))
		}
		fmt.Fprintln(&lines)
		return nil
	}))
	return lines.String()
}
