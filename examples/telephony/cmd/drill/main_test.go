package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
)

// TestReportIsWritten: as JSON that is read again, and as a page.
func TestReportIsWritten(t *testing.T) {
	plan := drill.Short()
	plan.Rate, plan.FaultFrom, plan.FaultTo, plan.Length = 50, 200*time.Millisecond, 400*time.Millisecond, time.Second
	var out bytes.Buffer
	reports, err := rehearse(t.Context(), []drill.Plan{plan}, &out)
	require.NoError(t, err)
	require.Contains(t, out.String(), "ten seconds: 50 logins per second for 1s\n  logins")
	folder := filepath.Join(t.TempDir(), "new", "report")
	require.NoError(t, write(folder, reports))
	data, err := os.ReadFile(filepath.Join(folder, "report.json"))
	require.NoError(t, err)
	var read []drill.Report
	require.NoError(t, json.Unmarshal(data, &read))
	require.Equal(t, reports, read)
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "ten seconds")
}

func TestUnknownDrill(t *testing.T) {
	require.EqualError(t, run(t.Context(), []string{"--drills", "http1,http3"}, io.Discard, io.Discard),
		`--drills: there is no "http3", but http1, http2, half, short`)
}
