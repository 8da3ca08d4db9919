package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/petstore/gateway"
	"github.com/retrygen/retrygen/runtime"
)

// TestScenarios holds the demonstration to the gateway's policy: reads share one
// budget of three attempts, everything else is asked once, and no failure
// becomes an invented value.
func TestScenarios(t *testing.T) {
	type want struct {
		calls, attempts, requests, reserved, failures int
		status                                        int
		code                                          gateway.Code
		effect                                        runtime.Effect
		reason                                        runtime.Reason
	}
	wants := map[string]want{
		"healthy lookup":        {1, 1, 1, 0, 0, 200, gateway.OK, runtime.Executed, runtime.NoReason},
		"503, 503, 200":         {1, 3, 3, 0, 0, 200, gateway.OK, runtime.Executed, runtime.NoReason},
		"502, lost, 200":        {1, 3, 3, 0, 0, 200, gateway.OK, runtime.Executed, runtime.NoReason},
		"answer cut, 200":       {1, 2, 2, 0, 0, 200, gateway.OK, runtime.Executed, runtime.NoReason},
		"hangs once, 200":       {1, 2, 2, 0, 0, 200, gateway.OK, runtime.Executed, runtime.NoReason},
		"exhausted":             {1, 3, 3, 0, 1, 503, gateway.Unavailable, runtime.Unknown, runtime.MaxAttemptsReached},
		"exhausted, no traffic": {1, 2, 2, 0, 1, 503, gateway.Unavailable, runtime.Unknown, runtime.BudgetExhausted},
		"rate limited":          {1, 1, 1, 0, 0, 503, gateway.ProviderRateLimited, runtime.NotExecuted, runtime.StatusNotRetryable},
		"unexpected 500":        {1, 1, 1, 0, 1, 503, gateway.Unavailable, runtime.Unknown, runtime.StatusNotRetryable},
		"missing record":        {1, 1, 1, 0, 0, 404, gateway.MissingRecord, runtime.NotExecuted, runtime.StatusNotRetryable},
		"key refused":           {1, 1, 1, 0, 0, 502, gateway.IntegrationRejected, runtime.NotExecuted, runtime.StatusNotRetryable},
		"malformed 200":         {1, 1, 1, 0, 1, 503, gateway.Unavailable, runtime.Executed, runtime.PermanentFailure},
		"id is ..":              {1, 0, 0, 0, 0, 400, gateway.InvalidRequest, runtime.NotExecuted, runtime.Rejected},
		"breaker opens":         {4, 9, 9, 0, 3, 503, gateway.Unavailable, runtime.NotExecuted, runtime.Rejected},
		"reservation":           {1, 1, 1, 1, 0, 201, gateway.OK, runtime.Executed, runtime.NoReason},
		"reservation 503":       {1, 1, 1, 0, 1, 502, gateway.Ambiguous, runtime.Unknown, runtime.MaxAttemptsReached},
		"reservation lost":      {1, 1, 1, 1, 1, 502, gateway.Ambiguous, runtime.Unknown, runtime.MaxAttemptsReached},
	}
	require.Len(t, wants, len(scenarios))
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			r, err := s.play(t.Context())
			require.NoError(t, err)
			require.Equal(t, wants[s.name], want{r.calls, r.attempts, r.requests, r.reserved, r.failures,
				r.status, r.code, r.last.Effect, r.last.Reason})
		})
	}
}

// TestRateLimitIsNotWaitedFor: whatever Retry-After says, the caller has its
// answer at once.
func TestRateLimitIsNotWaitedFor(t *testing.T) {
	for _, s := range scenarios {
		if s.name != "rate limited" {
			continue
		}
		start := time.Now()
		r, err := s.play(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, r.attempts)
		require.Less(t, time.Since(start), time.Second, "Retry-After asked for 1 s")
	}
}

// TestReadmeShowsTheTable: what the README prints is what the demo prints, but
// for the waits, which are drawn.
func TestReadmeShowsTheTable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(readme), "```text\n")
	shown, _, _ := strings.Cut(text, "```")

	rows, err := playAll(t.Context())
	require.NoError(t, err)
	var printed strings.Builder
	require.NoError(t, printTable(&printed, rows))
	require.Equal(t, withoutWaits(printed.String()), withoutWaits(shown))
}

var column = regexp.MustCompile(` {2,}`)

func withoutWaits(table string) (rows [][]string) {
	for line := range strings.Lines(table) {
		cells := column.Split(strings.TrimSpace(line), -1)
		rows = append(rows, cells[:len(cells)-1])
	}
	return rows
}
