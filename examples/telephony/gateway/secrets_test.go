package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/provider"
)

// TestSecretsShowNowhere: whatever happens to a send, its code, its number, its
// whole key and the provider's token are in no log, event, metric, error, problem or
// record, and not in the files in clear.
func TestSecretsShowNowhere(t *testing.T) {
	// What a provider says comes from what it was sent.
	echo := provider.Fault{}
	for _, c := range []struct {
		name  string
		fault provider.Fault
	}{
		{"sent", echo},
		{"throttled", provider.Status(429)},
		{"refused", provider.Status(422, "X-Echo", login.Code)},
		{"ambiguous", provider.Status(502)},
		{"reset", provider.Reset()},
		{"garbled", provider.Acting(provider.Garble(201))},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, always(c.fault))
				b.earn(40)
				var shown bytes.Buffer
				for _, session := range []string{"secretsession1", "secretsession2"} {
					l := login
					l.LoginSessionID = session
					_, err := b.SendCode(t.Context(), l)
					for ; err != nil; err = errors.Unwrap(err) {
						fmt.Fprintf(&shown, "%v %+v %#v\n", err, err, err)
					}
					l.LoginSessionID += "0"
					if w := b.post("/v1/codes", l); w.Code != http.StatusCreated {
						shown.Write(w.Body.Bytes())
					}
					l.Code = "12345x" // a bad request is not repeated to the caller
					shown.Write(b.post("/v1/codes", l).Body.Bytes())
				}
				shown.Write(b.get(b.Handler(), "/metrics"))
				for _, state := range []string{"sending", "queued", "held", "expired"} {
					shown.Write(b.get(b.Operators(), "/v1/records?state="+state))
				}
				records, err := json.Marshal(b.records()) // closes the gateway
				require.NoError(t, err)
				shown.Write(records)
				shown.Write(b.log.Bytes())
				require.NoError(t, filepath.WalkDir(filepath.Dir(b.config.Queue), func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return err
					}
					data, err := os.ReadFile(name)
					shown.Write(data)
					return err
				}))
				require.Contains(t, shown.String(), `"to":"ATTEMPTING"`, "the journal is among it")
				require.Contains(t, shown.String(), "sms_calls_total", "and so are the metrics")
				for _, secret := range []string{login.Code, "12345x", login.To, login.To[1:], "SMS-2FA-", "secretsession", "provider-token"} {
					require.NotContains(t, shown.String(), secret)
				}
			})
		})
	}
}

// get is the body of an answer.
func (b *bench) get(h http.Handler, path string) []byte {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	require.Equal(b.t, http.StatusOK, w.Code)
	return w.Body.Bytes()
}

// TestMetrics: calls and attempts are counted apart, a spent budget shows, and so
// does what waits in the queue.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, always(provider.Status(429)))
		b.earn(10) // pays for one retry
		require.Equal(t, http.StatusServiceUnavailable, b.post("/v1/codes", login).Code)
		_, err := b.SendNotice(t.Context(), gateway.Notice{UserID: "u1", NoticeID: "n1", To: login.To, Text: "Hello"})
		require.NoError(t, err)
		metrics := string(b.get(b.Handler(), "/metrics"))
		for _, line := range []string{
			`sms_calls_total{effect="Executed",operation="sendMessage",state="Dispatched",upstream="pool-sms-auth"} 10`,
			`sms_calls_total{effect="NotExecuted",operation="sendMessage",state="BudgetExhausted",upstream="pool-sms-auth"} 1`,
			`sms_calls_total{effect="Executed",operation="sendMessage",state="Dispatched",upstream="pool-sms-notifications"} 1`,
			`sms_attempts_total{evidence="ResponseReceived",operation="sendMessage",status="429",upstream="pool-sms-auth"} 2`,
			`sms_retries_total{operation="sendMessage",upstream="pool-sms-auth"} 1`,
			`retry_budget_exhausted_total{operation="sendMessage",upstream="pool-sms-auth"} 1`,
			`fallback_records{class="budget",state="queued"} 1`,
			`lifecycle_illegal_transitions_total 0`,
			`lifecycle_open_calls 0`,
			`retry_recovery_lag_total 0`,
			`gateway_request_seconds_count{route="/v1/codes",status="503"} 1`,
		} {
			require.Contains(t, metrics, line+"\n")
		}
	})
}

// TestMetricsAreFew: statuses that a provider makes up are one series.
func TestMetricsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{Fault: func(a provider.Arrival) provider.Fault { return provider.Status(600 + a.Number) }})
		for range 5 {
			require.Equal(t, http.StatusBadGateway, b.post("/v1/codes", login).Code)
		}
		metrics := string(b.get(b.Handler(), "/metrics"))
		require.Contains(t, metrics, `sms_attempts_total{evidence="ResponseReceived",operation="sendMessage",status="other",upstream="pool-sms-auth"} 5`+"\n")
		require.Equal(t, 1, strings.Count(metrics, "\nsms_attempts_total{"))
	})
}
