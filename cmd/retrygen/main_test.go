package main

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/spec/source"
)

func TestEveryCommandHasAnExample(t *testing.T) {
	commands := []*cobra.Command{newRoot()}
	for len(commands) > 0 {
		command := commands[0]
		commands = append(commands[1:], command.Commands()...)
		require.Contains(t, command.Example, "retrygen", command.CommandPath())
		require.NotEmpty(t, command.Short, command.CommandPath())
	}
}

// TestHelpShowsAWholeConfiguration: it can be read, and no key is missing.
func TestHelpShowsAWholeConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	_, shown, _ := strings.Cut(configHelp, "\n\n")
	require.NoError(t, os.WriteFile("shown.yaml", []byte(shown), 0o644))
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/shop\n"), 0o644)) // a fake is in one
	c, err := config.Load("shown.yaml")
	require.NoError(t, err)
	for field, value := range reflect.ValueOf(*c).Fields() {
		if field.Name != "TypesOnly" {
			require.False(t, value.IsZero(), field.Name)
		}
	}
	require.NoError(t, os.WriteFile("unknown.yaml", []byte("no-such-key: 1"), 0o644))
	_, err = config.Load("unknown.yaml")
	_, keys, _ := strings.Cut(err.Error(), "expected one of ")
	for key := range strings.SplitSeq(keys, ", ") {
		require.Contains(t, shown, "  "+key+":")
	}
}

// TestVersion: the command may come from the main module, from a tool of the
// user's module, or from a build without a version.
func TestVersion(t *testing.T) {
	ours := debug.Module{Path: modulePath, Version: "v1.2.3"}
	for want, info := range map[string]*debug.BuildInfo{
		"(unknown)": nil,
		"(devel)":   {Main: debug.Module{Path: modulePath}},
		"v1.2.3":    {Main: ours},
		"v0.9.0": {
			Main: debug.Module{Path: "example.com/gateway", Version: "v7.0.0"},
			Deps: []*debug.Module{{Path: "example.com/other", Version: "v8.0.0"}, {Path: modulePath, Version: "v0.9.0"}},
		},
	} {
		require.Equal(t, want, version(info))
	}
}

// TestInternalFaults: a panic is no fault of the user's, and says so.
func TestInternalFaults(t *testing.T) {
	var stderr bytes.Buffer
	code := guarded(&stderr, func() int { panic("boom") })
	require.Equal(t, exitBadInput, code)
	require.True(t, strings.HasPrefix(stderr.String(), "retrygen: internal fault: boom\nNothing is wrong with your input that we know of; please report this:\n"))
	require.Contains(t, stderr.String(), "main_test.go")
}

// A message may quote a hostile document.
func TestMessagesCannotControlATerminal(t *testing.T) {
	var stderr bytes.Buffer
	require.Equal(t, exitBadInput, finish(&stderr, source.Diagnostics{{Message: "a\x1b[31mred\r\u202e", Fix: "\tb"}}, false))
	require.Equal(t, "retrygen: a\uFFFD[31mred\uFFFD\uFFFD\n\t\tb\n", stderr.String())
	stderr.Reset()
	require.Equal(t, exitBadInput, finish(&stderr, errors.New("\x1b"), false))
	require.Equal(t, "retrygen: \uFFFD\n", stderr.String())
}
