package main

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressOfShortRunIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := startProgress(&screen)
		p.step("reading openapi.yaml")
		time.Sleep(patience - 1)
		p.stop()
		require.Empty(t, screen.String())
	})
}

func TestProgressOfLongRunSaysWhatItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := startProgress(&screen)
		p.step("reading \x1bopenapi.yaml")
		time.Sleep(patience)
		synctest.Wait()
		p.step("writing package pets")
		time.Sleep(patience)
		synctest.Wait()
		p.stop()
		require.Equal(t, eraseLine+"reading \uFFFDopenapi.yaml (1 s)"+eraseLine+"writing package pets (2 s)"+eraseLine, screen.String())
	})
}

// A run without a terminal has no progress.
func TestProgressMayBeNil(t *testing.T) {
	var p *progress
	require.NotPanics(t, func() {
		p.step("reading openapi.yaml")
		p.stop()
	})
}

func TestTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.False(t, terminal(w), "a pipe")
	file, err := os.Create(t.TempDir() + "/log")
	require.NoError(t, err)
	defer file.Close()
	require.False(t, terminal(file), "a file")
	require.False(t, terminal(&bytes.Buffer{}), "no file at all")

	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminal here")
	}
	defer screen.Close()
	t.Setenv("TERM", "xterm")
	require.True(t, terminal(screen))
	t.Setenv("NO_COLOR", "")
	require.True(t, coloured(screen))
	t.Setenv("NO_COLOR", "1")
	require.False(t, coloured(screen))
	t.Setenv("TERM", "dumb")
	require.False(t, terminal(screen), "a terminal that cannot erase a line")
}
