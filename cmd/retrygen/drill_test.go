package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrillOfTheDocuments: the drill that docs/reports.md shows is the one that the
// command holds.
func TestDrillOfTheDocuments(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"drill", "../../examples/telephony/openapi.yaml", "--operation", "sendMessage", "--rps", "1200",
		"--fault", "429:60%:45s", "--policy", "contract,no-budget,naive"}, &stdout, &stderr)
	require.Equal(t, exitDone, code, stderr.String())
	_, shown, _ := strings.Cut(stdout.String(), "\n\n")
	shown, _, _ = strings.Cut(shown, "\n\nno-budget\n")
	document, err := os.ReadFile("../../docs/reports.md")
	require.NoError(t, err)
	require.Contains(t, string(document), "```text\n"+shown+"\n```\n")
}
