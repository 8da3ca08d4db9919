package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/runtime"
)

// running is a gateway that runs on sockets of loopback.
type running struct {
	api, operators string
	end            func() error
}

// runGateway runs one until the test ends.
func runGateway(t *testing.T, config gateway.Config) running {
	g := startGateway(t, config)
	t.Cleanup(func() { require.NoError(t, g.end()) })
	return g
}

func startGateway(t *testing.T, config gateway.Config) running {
	g, err := gateway.New(config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan running)
	ended := make(chan error)
	end := func() error {
		cancel()
		return <-ended
	}
	go func() {
		ended <- g.Run(ctx, func(api, operators net.Addr) {
			ready <- running{"http://" + api.String(), "http://" + operators.String(), end}
		})
	}()
	return <-ready
}

// ask sends a request, and reads a JSON answer into got.
func ask(t *testing.T, method, url string, body, got any, header ...string) (status int) {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, sent)
	require.NoError(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if got != nil {
		require.NoError(t, json.Unmarshal(data, got), "%s", data)
	}
	return response.StatusCode
}

// TestOperatorsDecide: what may have gone out is held until a person decides. They
// ask the provider by the whole key; what they release goes its way, and what they
// close is over.
func TestOperatorsDecide(t *testing.T) {
	push := newPushService(t)
	config := realConfig(t, refusingProvider(t, http.StatusBadGateway).URL)
	config.Push = push.push(t)
	g := runGateway(t, config)
	for _, session := range []string{"s1", "s2"} {
		l := login
		l.LoginSessionID = session
		require.Equal(t, http.StatusBadGateway, ask(t, "POST", g.api+"/v1/codes", l, nil))
	}

	var page struct {
		Records []fallback.Record
		Next    string
	}
	require.Equal(t, http.StatusOK, ask(t, "GET", g.operators+"/v1/records?limit=1", nil, &page))
	require.Len(t, page.Records, 1)
	first := g.operators + "/v1/records/" + page.Records[0].ID.String()
	require.Equal(t, http.StatusOK, ask(t, "GET", g.operators+page.Next, nil, &page))
	require.Len(t, page.Records, 1)
	second := g.operators + "/v1/records/" + page.Records[0].ID.String()
	require.Equal(t, http.StatusOK, ask(t, "GET", g.operators+page.Next, nil, &page))
	require.Empty(t, page.Records)

	var key struct {
		Key string `json:"idempotency_key"`
	}
	require.Equal(t, http.StatusOK, ask(t, "GET", first+"/key", nil, &key))
	require.Equal(t, "SMS-2FA-u1-s1", key.Key)

	var record fallback.Record
	require.Equal(t, http.StatusOK, ask(t, "POST", first+"/decisions", map[string]string{"action": "release", "by": "kim"}, &record))
	require.Equal(t, fallback.Queued, record.State)
	require.Equal(t, login.Code, (<-push.taken)["code"])
	require.Equal(t, http.StatusOK, ask(t, "POST", second+"/decisions", map[string]string{"action": "close", "by": "kim"}, &record))
	require.Equal(t, fallback.Resolved, record.State)
	require.Equal(t, "kim", record.Decisions[0].By)
	require.Empty(t, push.taken)
}

// TestOperatorsAreRefused: with a problem that says what is wrong.
func TestOperatorsAreRefused(t *testing.T) {
	g := runGateway(t, realConfig(t, refusingProvider(t, http.StatusBadGateway).URL))
	require.Equal(t, http.StatusBadGateway, ask(t, "POST", g.api+"/v1/codes", login, nil))
	var page struct{ Records []fallback.Record }
	require.Equal(t, http.StatusOK, ask(t, "GET", g.operators+"/v1/records?state=held", nil, &page))
	record := "/v1/records/" + page.Records[0].ID.String()
	type decision map[string]string
	for _, c := range []struct {
		method, path string
		body         any
		header       []string
		status       int
		code         string
	}{
		{"GET", "/v1/records?state=lost", nil, nil, 400, gateway.CodeBadRequest},
		{"GET", "/v1/records?limit=0", nil, nil, 400, gateway.CodeBadRequest},
		{"GET", "/v1/records?after=x", nil, nil, 400, gateway.CodeBadRequest},
		{"GET", "/v1/records/x", nil, nil, 404, gateway.CodeNotFound},
		{"GET", "/v1/records/00000000-0000-0000-0000-000000000001/key", nil, nil, 404, gateway.CodeNotFound},
		{"POST", record + "/decisions", decision{"action": "resend", "by": "kim"}, nil, 409, gateway.CodeNotDecided},
		{"POST", record + "/decisions", decision{"action": "close"}, nil, 409, gateway.CodeNotDecided},
		{"POST", record + "/decisions", decision{"action": "close", "by": "kim", "why": "x"}, nil, 400, gateway.CodeBadRequest},
		{"POST", record + "/decisions", decision{"action": "close", "by": "kim"}, []string{"Sec-Fetch-Site", "cross-site"}, 403, ""},
	} {
		var problem struct{ Code string }
		got := any(&problem)
		if c.code == "" {
			got = nil
		}
		require.Equal(t, c.status, ask(t, c.method, g.operators+c.path, c.body, got, c.header...), c.path)
		require.Equal(t, c.code, problem.Code, c.path)
	}
	require.Equal(t, http.StatusNotFound, ask(t, "GET", g.api+record, nil, nil), "callers are no operators")
}

// TestRunRefusesABusyAddress: and leaves nothing open.
func TestRunRefusesABusyAddress(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	for name, change := range map[string]func(*gateway.Config){
		"api":       func(c *gateway.Config) { c.Listen = busy.Addr().String() },
		"operators": func(c *gateway.Config) { c.Operators = busy.Addr().String() },
	} {
		t.Run(name, func(t *testing.T) {
			config := realConfig(t, "http://127.0.0.1:1")
			good := config
			change(&config)
			g, err := gateway.New(config, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			require.ErrorContains(t, g.Run(t.Context(), nil), "address already in use")
			runGateway(t, good)
		})
	}
}

// TestDrainNotice: a load balancer hears that the gateway ends while it still serves.
func TestDrainNotice(t *testing.T) {
	config := realConfig(t, refusingProvider(t, http.StatusTooManyRequests).URL)
	config.DrainNotice = 2 * time.Second
	g := startGateway(t, config)
	ended := make(chan error)
	go func() { ended <- g.end() }()
	require.Eventually(t, func() bool {
		return ask(t, "GET", g.api+"/healthz", nil, nil, "Connection", "close") == http.StatusServiceUnavailable
	}, config.DrainNotice, time.Millisecond)
	var problem struct{ Code string }
	require.Equal(t, http.StatusServiceUnavailable, ask(t, "POST", g.api+"/v1/codes", login, &problem, "Connection", "close"))
	require.Equal(t, runtime.CodeRetryBudget, problem.Code, "it was sent")
	require.NoError(t, <-ended)
}

// TestCutOffIsNamed: who lets the process end before its sends learns which those were.
func TestCutOffIsNamed(t *testing.T) {
	asked := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hanging.Close()
	config := realConfig(t, hanging.URL)
	config.DrainTimeout = 10 * time.Millisecond
	g := startGateway(t, config)
	over := make(chan struct{})
	go func() {
		defer close(over)
		body, _ := json.Marshal(login)
		if response, err := http.Post(g.api+"/v1/codes", "application/json", bytes.NewReader(body)); err == nil {
			response.Body.Close()
		}
	}()
	<-asked
	err := g.end()
	require.ErrorContains(t, err, "requests at "+strings.TrimPrefix(g.api, "http://")+" had not ended, and are cut off")
	require.ErrorContains(t, err, "calls of pool-sms-auth had not ended, and are cut off")
	<-over

	sealer, err := fallback.ParseSealer(config.QueueKeys)
	require.NoError(t, err)
	q, err := fallback.Open(config.Queue, fallback.Options{Sealer: sealer})
	require.NoError(t, err)
	defer q.Close()
	held, err := q.Records(fallback.Held, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, held, 1)
	require.Equal(t, fallback.Ambiguous, held[0].Class)
}
