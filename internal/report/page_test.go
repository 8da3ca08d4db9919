package report_test

import (
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/drill"
	"github.com/retrygen/retrygen/internal/report/explain"
	"github.com/retrygen/retrygen/internal/report/fleet"
	"github.com/retrygen/retrygen/internal/simulate"
	"github.com/retrygen/retrygen/internal/spec"
)

// pageOf has operations whose time lines differ as much as they can.
func pageOf(t *testing.T) []byte {
	usual := spec.Contract{Idempotency: spec.Value[spec.Idempotency]{V: spec.Idempotent}}
	usual.MaxAttempts.V, usual.Deadline.V, usual.AttemptTimeout.V, usual.MinAttemptBudget.V = 3, 8*time.Second, 2*time.Second, 100*time.Millisecond
	usual.BackoffBase.V, usual.BackoffMax.V, usual.BackoffMultiplier.V, usual.RetryAfterMax.V = 100*time.Millisecond, 3*time.Second, 2, 8*time.Second
	single, endless, crowded, patient := usual, usual, usual, usual
	single.MaxAttempts.V, single.Replayability.V = 1, spec.OneShot
	endless.Deadline.V, endless.AttemptTimeout.V, endless.MaxAttempts.V = 0, 0, 5
	crowded.Deadline.V, crowded.AttemptTimeout.V, crowded.MinAttemptBudget.V, crowded.MaxAttempts.V = 10*time.Millisecond, time.Millisecond, 9999999, 5
	crowded.Idempotency.V, crowded.Replayability.V = spec.IdempotentByKey, spec.OneShot
	crowded.Key.Header.V, crowded.Key.Template.V = "Idempotency-Key", strings.Repeat("long-", 40)+"{id}"
	patient.Deadline.V, patient.MinAttemptBudget.V, patient.AttemptTimeout.V = time.Hour, 59*time.Minute+59*time.Second, 0
	patient.BackoffBase.V, patient.BackoffMax.V, patient.BackoffJitter.V = 4*time.Minute, 5*time.Minute, spec.DecorrelatedJitter
	api := apiOf(usual, single, endless, crowded, patient)
	api.Operations[3].Name.Wire = strings.Repeat("veryLongName", 20)
	api.Operations[3].Route = "/" + strings.Repeat("very-long-path", 20)
	page, err := (&explain.Report{Format: 1, Packages: []*explain.Package{explain.New(api, api.Operations)}}).HTML()
	require.NoError(t, err)
	return page
}

// drillPage has policies, seconds and numbers that differ as much as they can.
func drillPage(t *testing.T, length time.Duration, faults ...simulate.Fault) []byte {
	usual := spec.Contract{Idempotency: spec.Value[spec.Idempotency]{V: spec.Idempotent}}
	usual.MaxAttempts.V, usual.Deadline.V, usual.AttemptTimeout.V, usual.MinAttemptBudget.V = 3, 8*time.Second, 2*time.Second, 100*time.Millisecond
	usual.BackoffBase.V, usual.BackoffMax.V, usual.BackoffMultiplier.V = 100*time.Millisecond, 3*time.Second, 2
	api := apiOf(usual)
	api.Operations[0].Name.Wire = strings.Repeat("veryLongName", 20)
	api.Operations[0].Route = "/" + strings.Repeat("very-long-path", 20)
	api.Upstream.BudgetRatio.V = 0.1
	r, err := drill.New(api, api.Operations[0], simulate.Plan{
		Processes: 3, Rate: 100, Length: length, Arrivals: simulate.Poisson,
		Capacity: simulate.Capacity{Rate: 110}, Faults: faults, Seed: 1,
	}, simulate.Policies())
	require.NoError(t, err)
	page, err := r.HTML()
	require.NoError(t, err)
	return page
}

// fleetPage has no rehearsal: what one shows is of no matter here.
func fleetPage(t *testing.T) []byte {
	r := fleet.Report{Sizes: []fleet.Size{{Processes: 1000}}, Floors: []fleet.Floor{{PerProcess: 0.1, Floor: 100}}}
	s := fleet.Scenario{Name: "outage", Words: "nothing goes", Length: 3 * time.Second, Faults: []simulate.Fault{{To: time.Second}}}
	for i, policy := range simulate.Policies() {
		result := simulate.Result{Calls: 1, Recovered: simulate.Never}
		for range 3 {
			result.Seconds = append(result.Seconds, simulate.Second{Primary: i * 123_456, Retry: i})
		}
		s.Runs = append(s.Runs, fleet.Run{Policy: policy, Result: result})
	}
	r.Scenarios = []fleet.Scenario{s, s}
	page, err := r.HTML()
	require.NoError(t, err)
	return page
}

// TestPageLoadsNothing: it has no address but fragments of its own, each of which
// exists once.
func TestPageLoadsNothing(t *testing.T) {
	page := string(pageOf(t))
	requireLoadsNothing(t, page)
	ids := map[string]int{}
	for _, match := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		ids[match[1]]++
	}
	links := regexp.MustCompile(`\shref="([^"]*)"`).FindAllStringSubmatch(page, -1)
	require.Greater(t, len(links), 50)
	for _, match := range links {
		require.Equal(t, 1, ids[strings.TrimPrefix(match[1], "#")], match[1])
	}
	requireLoadsNothing(t, string(drillPage(t, 10*time.Second)))
	requireLoadsNothing(t, string(fleetPage(t)))
}

func requireLoadsNothing(t *testing.T, page string) {
	require.NotRegexp(t, `(?i)<(script|link|img|iframe|object)|@import|url\(|\ssrc=|\son[a-z]+=`, page)
	require.NotContains(t, page, "ZgotmplZ")
}

// TestPagesInABrowser: nothing overlaps, overflows or leaves its image, on a
// telephone and on a desk.
func TestPagesInABrowser(t *testing.T) {
	fault := simulate.Fault{Status: 503, Share: 0.5, From: time.Second, To: 3 * time.Second}
	late := simulate.Fault{Kind: simulate.TimeoutFault, Share: 1, From: 11 * time.Minute, To: 59 * time.Minute}
	for name, tt := range map[string]struct {
		page   []byte
		images int
	}{
		"explain":        {pageOf(t), 5},
		"drill":          {drillPage(t, 15*time.Second, fault), 7},
		"drill of hours": {drillPage(t, 110*time.Minute, late), 7},
		"fleet":          {fleetPage(t), 2},
		"short drill":    {drillPage(t, 6*time.Second), 7},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, fmt.Sprintf("images %d\n\nend", 3*tt.images), layout(t, string(tt.page)))
		})
	}
}

// layout is what geometry.js finds in a page at three widths.
func layout(t *testing.T, page string) string {
	browser := browser(t)
	script, err := os.ReadFile("testdata/geometry.js")
	require.NoError(t, err)
	page, ok := strings.CutSuffix(strings.TrimSpace(page), "</body>\n</html>")
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
	return strings.TrimSpace(html.UnescapeString(body))
}

// browser is a Chromium of this machine. Without one the page is only looked at as
// text.
func browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium here, so the layout of the page is not checked; on Debian: apt-get install chromium")
	return ""
}

func TestJSONCannotControlATerminal(t *testing.T) {
	out, err := report.JSON("a\x1b\u009b\u202e\U000e0041é<")
	require.NoError(t, err)
	require.Equal(t, `"a\u001b\u009b\u202e\udb40\udc41é\u003c"`+"\n", string(out))
}
