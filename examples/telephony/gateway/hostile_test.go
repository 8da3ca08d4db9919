package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/runtime"
)

// TestOtherSitesCannotAsk: a page in somebody's browser cannot make the gateway send.
func TestOtherSitesCannotAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{})
		for _, header := range []http.Header{
			{"Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"https://other.example"}},
		} {
			r := httptest.NewRequest(http.MethodPost, "/v1/codes", strings.NewReader(
				`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817"}`))
			r.Header = header
			w := httptest.NewRecorder()
			b.Handler().ServeHTTP(w, r)
			require.Equal(t, http.StatusForbidden, w.Code, header)
		}
		require.Empty(t, b.provider.Arrivals())
	})
}

// TestOperatorsHaveNames: a page whose own name leads to the gateway is not of one
// origin with the operators' API.
func TestOperatorsHaveNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{}, func(c *gateway.Config) { c.OperatorHosts = "ops.example.com,Gateway" })
		for host, status := range map[string]int{
			"127.0.0.1:8081":       http.StatusOK,
			"[::1]:8081":           http.StatusOK,
			"[::1]":                http.StatusOK,
			"localhost:8081":       http.StatusOK,
			"gateway:8081":         http.StatusOK,
			"OPS.example.com":      http.StatusOK,
			"other.example:8081":   http.StatusMisdirectedRequest,
			"127.0.0.1.nip.io":     http.StatusMisdirectedRequest,
			"localhost.other.test": http.StatusMisdirectedRequest,
			"":                     http.StatusMisdirectedRequest,
		} {
			r := httptest.NewRequest(http.MethodGet, "/v1/records", nil)
			r.Host = host
			w := httptest.NewRecorder()
			b.Operators().ServeHTTP(w, r)
			require.Equal(t, status, w.Code, host)
			if status != http.StatusOK {
				require.Contains(t, w.Body.String(), gateway.CodeOtherName)
			}
		}
	})
}

// TestAnswersAreBounded: a provider that goes on answering fills no memory, and is not
// asked again.
func TestAnswersAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		code   string
	}{
		"body": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id":"m1","status":"queued","created_at":"2026-01-01T00:00:00Z"}`+strings.Repeat(" ", 64<<10))
		}, runtime.CodeMalformedResponse},
		"header": {func(w http.ResponseWriter) {
			w.Header().Set("X-Long", strings.Repeat("x", 80<<10))
			w.WriteHeader(http.StatusCreated)
		}, runtime.CodeAmbiguous},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				c.answer(w)
			}))
			defer s.Close()
			g, err := gateway.New(realConfig(t, s.URL), slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			defer func() { require.NoError(t, g.Close(context.Background())) }()
			_, err = g.SendCode(t.Context(), login)
			require.Equal(t, c.code, runtime.ProblemOf(err).Code, "%v", err)
			_, err = g.SendNotice(t.Context(), gateway.Notice{UserID: "u1", NoticeID: "n1", To: login.To, Text: "Hello"})
			require.Equal(t, c.code, runtime.ProblemOf(err).Code, "%v", err)
			require.Equal(t, 2, asked)
		})
	}
}
