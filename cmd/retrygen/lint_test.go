package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestColours: on terminals only, and not where the user wants none. The null
// device passes for a terminal.
func TestColours(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = device.Close() }()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, coloured(device))
	require.False(t, coloured(&bytes.Buffer{}))
	t.Setenv("NO_COLOR", "1")
	require.False(t, coloured(device))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.False(t, coloured(device))
}
