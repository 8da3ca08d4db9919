package drill_test

import (
	"bytes"
	"context"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
)

// pageOf is the page of two drills, one of them with the naive policy.
func pageOf(t *testing.T) string {
	plan := drill.Standard()
	plan.Rate, plan.FaultFrom, plan.FaultTo, plan.Length = 100, 2*time.Second, 8*time.Second, 16*time.Second
	naive := plan
	naive.Name, naive.Naive = "<naive>", true
	var page bytes.Buffer
	require.NoError(t, drill.WritePage(&page, []drill.Report{rehearse(t, plan), rehearse(t, naive)}))
	return page.String()
}

// TestPageLoadsNothing: it works without a network, and no text is markup.
func TestPageLoadsNothing(t *testing.T) {
	page := pageOf(t)
	require.NotRegexp(t, `(?i)<(script|link|img|iframe|object)|@import|url\(|\ssrc=|\son[a-z]+=`, page)
	require.NotContains(t, page, "ZgotmplZ")
	require.Contains(t, page, "&lt;naive&gt;")
	require.Equal(t, 8, strings.Count(page, "<svg"))
}

// TestPageInABrowser: nothing overlaps, overflows or leaves its image, on a
// telephone and on a desk.
func TestPageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium here, so the layout of the page is not checked; on Debian: apt-get install chromium")
	}
	script, err := os.ReadFile("../../../internal/report/testdata/geometry.js")
	require.NoError(t, err)
	page, ok := strings.CutSuffix(strings.TrimSpace(pageOf(t)), "</body>\n</html>")
	require.True(t, ok)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	require.Regexp(t, policy, page)
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(policy.ReplaceAllString(page, "")+"<script>\n"+string(script)+"</script></body></html>"), 0o644))
	patience, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(patience, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1024",
		"--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file).Output()
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(out), "<body>")
	body, _, _ = strings.Cut(body, "</body>")
	require.Equal(t, "images 24\n\nend", strings.TrimSpace(html.UnescapeString(body)))
}
