package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/runtime"
)

var login = gateway.Login{UserID: "u1", LoginSessionID: "s1", To: "+4915112345678", Code: "493817"}

// bench is a gateway before a simulated provider, in virtual time.
type bench struct {
	*gateway.Gateway
	t        *testing.T
	provider *provider.Provider
	config   gateway.Config
	log      *bytes.Buffer
	closed   sync.Once
}

// newBench must be called within a bubble.
func newBench(t *testing.T, options provider.Options, change ...func(*gateway.Config)) *bench {
	network := drill.NewMemory()
	b := &bench{t: t, provider: provider.New(options), log: &bytes.Buffer{}}
	listener, err := network.Listen()
	require.NoError(t, err)
	server := &http.Server{Handler: b.provider}
	go func() { _ = server.Serve(listener) }()
	dir := t.TempDir()
	b.config = gateway.Config{
		ProviderURL:   "http://provider.test",
		ProviderToken: "provider-token",
		Rate:          1,
		Latency:       time.Millisecond,
		PerLogin:      1000,
		PerCaller:     1000,
		CodeTTL:       5 * time.Minute,
		Queue:         filepath.Join(dir, "fallback.db"),
		QueueKeys:     base64.StdEncoding.EncodeToString(make([]byte, 32)),
		Journal:       filepath.Join(dir, "journal"),
		Transport:     network.Transport,
	}
	for _, c := range change {
		c(&b.config)
	}
	b.Gateway, err = gateway.New(b.config, slog.New(slog.NewJSONHandler(b.log, nil)))
	require.NoError(t, err)
	t.Cleanup(func() {
		b.close()
		server.Close()
	})
	return b
}

func (b *bench) close() {
	b.closed.Do(func() { require.NoError(b.t, b.Close(context.Background())) })
}

// earn makes the budget able to pay for a retry of the next send: n tenths of a
// token.
func (b *bench) earn(n int) {
	for range n {
		_, err := b.SendCode(b.t.Context(), gateway.Login{UserID: "earner", LoginSessionID: uuidWord(), To: login.To, Code: login.Code})
		require.NoError(b.t, err)
	}
}

// traffic is that of others, so that there is a budget. It has run for a second when
// this returns.
func (b *bench) traffic() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			b.earn(1)
			time.Sleep(20 * time.Millisecond)
		}
	})
	time.Sleep(time.Second)
	return func() {
		cancel()
		done.Wait()
	}
}

func uuidWord() string { return strings.ReplaceAll(uuid.NewString(), "-", "_") }

// post asks over HTTP.
func (b *bench) post(path string, body any) *httptest.ResponseRecorder {
	data, err := json.Marshal(body)
	require.NoError(b.t, err)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(data)))
	return w
}

// records are those of the queue after the gateway has ended.
func (b *bench) records() (records []fallback.Record) {
	b.close()
	sealer, err := fallback.ParseSealer(b.config.QueueKeys)
	require.NoError(b.t, err)
	q, err := fallback.Open(b.config.Queue, fallback.Options{Sealer: sealer})
	require.NoError(b.t, err)
	defer q.Close()
	for _, state := range fallback.States() {
		page, err := q.Records(state, uuid.Nil, 1000)
		require.NoError(b.t, err)
		records = append(records, page...)
	}
	return records
}

// always is a provider that answers the logins of u1 with a fault.
func always(f provider.Fault) provider.Options {
	return provider.Options{Fault: func(a provider.Arrival) (none provider.Fault) {
		if strings.HasPrefix(a.Key, "SMS-2FA-u1-") {
			return f
		}
		return none
	}}
}

// TestFailureModes is the matrix of MC-FM-01: what each of fourteen faults, on
// every attempt of a send, is classified as; then those that the policy adds.
func TestFailureModes(t *testing.T) {
	const (
		eligible = true
		no       = false
	)
	for _, c := range []struct {
		name  string
		fault provider.Fault
		want  lifecycle.Classification
	}{
		{"429", provider.Status(429), lifecycle.Classification{Class: lifecycle.ClassTransient, Status: 429, RetryEligible: eligible, ConsumedBudget: 2}},
		{"429, Retry-After within the limit", provider.Status(429, "Retry-After", "1"), lifecycle.Classification{Class: lifecycle.ClassTransient, Status: 429, RetryEligible: eligible, ConsumedBudget: 2}},
		{"429, Retry-After above the limit", provider.Status(429, "Retry-After", "4"), lifecycle.Classification{Class: lifecycle.ClassTransient, Status: 429, RetryEligible: no}},
		{"429, Retry-After malformed", provider.Status(429, "Retry-After", "soon"), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 429, RetryEligible: no}},
		{"503", provider.Status(503), lifecycle.Classification{Class: lifecycle.ClassAmbiguous, Status: 503, RetryEligible: eligible, ConsumedBudget: 2}},
		{"504", provider.Status(504), lifecycle.Classification{Class: lifecycle.ClassAmbiguous, Status: 504, RetryEligible: eligible, ConsumedBudget: 2}},
		{"connection reset", provider.Reset(), lifecycle.Classification{Class: lifecycle.ClassAmbiguous, RetryEligible: eligible, ConsumedBudget: 2}},
		{"read timeout", provider.Hang(time.Minute), lifecycle.Classification{Class: lifecycle.ClassAmbiguous, RetryEligible: eligible, ConsumedBudget: 2}},
		{"400", provider.Status(400), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 400, RetryEligible: no}},
		{"401", provider.Status(401), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 401, RetryEligible: no}},
		{"403", provider.Status(403), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 403, RetryEligible: no}},
		{"404", provider.Status(404), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 404, RetryEligible: no}},
		{"422", provider.Status(422), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 422, RetryEligible: no}},
		{"a status that nobody knows", provider.Status(599), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 599, RetryEligible: no}},

		{"408", provider.Status(408), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 408, RetryEligible: no}},
		{"500", provider.Status(500), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 500, RetryEligible: no}},
		{"502", provider.Status(502), lifecycle.Classification{Class: lifecycle.ClassAmbiguous, Status: 502, RetryEligible: no}},
		{"201 that is no JSON", provider.Garble(201), lifecycle.Classification{Class: lifecycle.ClassPermanent, Status: 201, RetryEligible: no}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, always(c.fault))
				stop := b.traffic()
				_, err := b.SendCode(t.Context(), login)
				stop()
				outcome, ok := runtime.OutcomeOf(err)
				require.True(t, ok, "%v", err)
				require.Equal(t, c.want, lifecycle.Classify(outcome))
				require.Len(t, b.records(), 1, "it is in the fallback queue, once")
			})
		})
	}
}

// TestAnswers is what callers are told.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  provider.Fault
		earned int
		status int
		code   string
		queued fallback.State
	}{
		{name: "sent", status: http.StatusCreated},
		{"attempts are used up", provider.Status(429), 40, http.StatusServiceUnavailable, runtime.CodeRetryLimit, fallback.Queued},
		{"the budget is spent", provider.Status(429), 0, http.StatusServiceUnavailable, runtime.CodeRetryBudget, fallback.Queued},
		{"Retry-After is too long", provider.Status(429, "Retry-After", "4"), 40, http.StatusServiceUnavailable, runtime.CodeRetryAfterTooLong, fallback.Queued},
		{"nobody can know", provider.Status(502), 40, http.StatusBadGateway, runtime.CodeAmbiguous, fallback.Held},
		{"refused number", provider.Status(422), 40, http.StatusUnprocessableEntity, runtime.CodeStatusNotRetryable, fallback.Queued},
		{"refused gateway", provider.Status(401), 40, http.StatusBadGateway, runtime.CodeStatusNotRetryable, fallback.Queued},
		{"sent, the answer is garbled", provider.Acting(provider.Garble(201)), 40, http.StatusBadGateway, runtime.CodeMalformedResponse, fallback.Held},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, always(c.fault))
				b.earn(c.earned)
				w := b.post("/v1/codes", login)
				require.Equal(t, c.status, w.Code, w.Body)
				if c.code == "" {
					require.JSONEq(t, `{"message_id":"`+messageID(t, w)+`","status":"queued"}`, w.Body.String())
					require.Empty(t, b.records())
					return
				}
				require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
				var p runtime.Problem
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
				require.Equal(t, c.code, p.Code)
				require.Equal(t, c.status, p.Status)
				records := b.records()
				require.Len(t, records, 1)
				require.Equal(t, c.queued, records[0].State, "%+v", records[0])
				require.Equal(t, c.code, records[0].Problem)
				require.Equal(t, p.Effect, string(records[0].Effect))
			})
		})
	}
}

func messageID(t *testing.T, w *httptest.ResponseRecorder) string {
	var sent gateway.Sent
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &sent))
	require.NotEmpty(t, sent.MessageID)
	return sent.MessageID
}

// TestLogSaysWhy: in words, what was in the way of a send.
func TestLogSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, always(provider.Reset()))
		require.Equal(t, http.StatusBadGateway, b.post("/v1/codes", login).Code)
		require.Regexp(t, `"msg":"not sent".*"error":"retrygen: sendMessage: ambiguous: `, b.log.String())
	})
}

// TestBadRequestsSendNothing: and leave nothing behind.
func TestBadRequestsSendNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{})
		for body, detail := range map[string]string{
			`{`:    "the body is not JSON",
			``:     "the body is not JSON",
			`7`:    "the body must be an object",
			`[{}]`: "the body must be an object",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817"} {}`:                   "the body is not JSON",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817","urgent":true}`:        "the body has a field that is none of this request",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","TO":"+4915112345679"}`:                "the body has a field that is none of this request",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817","to":"+491519876543"}`: "/to: comes twice",
			`{"user_id":7,"login_session_id":"s1","to":"+4915112345678","code":"493817"}`:                         "/user_id: must be a string",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817","resend":"2"}`:         "/resend: must be a whole number",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817","resend":1e30}`:        "/resend: must be a whole number",
			`{"user_id":"` + strings.Repeat("u", 16<<10) + `"}`:                                                   "the body has more than 16 KiB",
			`{"user_id":"` + "\xff" + `","login_session_id":"s1","to":"+4915112345678","code":"493817"}`:          "the body is not JSON",
			`{"user_id":"u1","login_session_id":"s1.2","to":"+4915112345678","code":"493817"}`:                    "/login_session_id: must be letters, digits and underscores",
			`{"user_id":"u-1","login_session_id":"s1","to":"+4915112345678","code":"493817"}`:                     `/user_id: must match the pattern "^[A-Za-z0-9_]+$"`,
			`{"user_id":"u1","login_session_id":"s1","to":"015112345678","code":"493817"}`:                        `/to: must match the pattern "^\\+[1-9][0-9]{6,14}$"`,
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"letmein"}`:                     "/code: must be 4 to 10 digits",
			`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817","resend":1000}`:        "/resend: must be 0 to 999",
		} {
			w := httptest.NewRecorder()
			b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/codes", strings.NewReader(body)))
			require.Equal(t, http.StatusBadRequest, w.Code, body)
			var p runtime.Problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
			require.Equal(t, gateway.CodeBadRequest, p.Code)
			require.Equal(t, detail, p.Detail, body)
		}
		require.Empty(t, b.provider.Arrivals())
		require.Empty(t, b.records())
	})
}

// TestHammeringIsAnsweredWith429 (ADV-IR-01): whoever asks too often is told to
// wait 30 s, and nothing is sent for it; others are not affected.
func TestHammeringIsAnsweredWith429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{}, func(c *gateway.Config) { c.PerLogin = 3 })
		ask := func(user string, resend int) *httptest.ResponseRecorder {
			l := login
			l.UserID, l.Resend = user, resend
			return b.post("/v1/codes", l)
		}
		for i := range 3 {
			require.Equal(t, http.StatusCreated, ask("u1", i+1).Code)
		}
		w := ask("u1", 4)
		require.Equal(t, http.StatusTooManyRequests, w.Code)
		require.Equal(t, "30", w.Header().Get("Retry-After"))
		require.Contains(t, w.Body.String(), gateway.CodeCallerLimited)
		require.Len(t, b.provider.Arrivals(), 3)
		require.Equal(t, http.StatusCreated, ask("u2", 1).Code)
		time.Sleep(30 * time.Second)
		for i := range 3 {
			require.Equal(t, http.StatusCreated, ask("u1", i+4).Code, "as Retry-After has promised")
		}
	})
}

// TestAddressesAreLimited: requests that are none count, too, and a flood of
// notices takes nothing from the codes (ADV-FD-01).
func TestAddressesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{}, func(c *gateway.Config) { c.PerCaller = 2 })
		notice := gateway.Notice{UserID: "u1", NoticeID: "n1", To: login.To, Text: "Hello"}
		for range 2 {
			require.Equal(t, http.StatusCreated, b.post("/v1/notices", notice).Code)
		}
		require.Equal(t, http.StatusTooManyRequests, b.post("/v1/notices", notice).Code)
		require.Equal(t, http.StatusBadRequest, b.post("/v1/codes", 7).Code)
		require.Equal(t, http.StatusCreated, b.post("/v1/codes", login).Code)
		require.Equal(t, http.StatusTooManyRequests, b.post("/v1/codes", login).Code)
	})
}

// TestWantedResend: the key swallows a second request of a login session, unless it
// says that it is wanted.
func TestWantedResend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{})
		first, err := b.SendCode(t.Context(), login)
		require.NoError(t, err)
		echo, err := b.SendCode(t.Context(), login)
		require.NoError(t, err)
		require.Equal(t, first, echo)
		again := login
		again.Resend = 2
		second, err := b.SendCode(t.Context(), again)
		require.NoError(t, err)
		require.NotEqual(t, first, second)
		require.Equal(t, 2, b.provider.Sent())
		var keys []string
		for _, a := range b.provider.Arrivals() {
			keys = append(keys, a.Key)
		}
		require.Equal(t, []string{"SMS-2FA-u1-s1", "SMS-2FA-u1-s1", "SMS-2FA-u1-s1.2"}, keys)
	})
}

// TestRecordedKeyIsTheSentOne: the gateway writes the key down before the client
// makes it.
func TestRecordedKeyIsTheSentOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, always(provider.Status(503)))
		again := login
		again.Resend = 7
		_, err := b.SendCode(t.Context(), again)
		outcome, ok := runtime.OutcomeOf(err)
		require.True(t, ok)
		require.Equal(t, b.provider.Arrivals()[0].Key, outcome.Key)
		require.Equal(t, outcome.KeyHash(), b.records()[0].KeyHash)
	})
}

// TestShutdownDrains: what is under way ends, what comes then is refused, and
// every send is written down.
func TestShutdownDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, provider.Options{Latency: func() time.Duration { return time.Second / 2 }})
		var ends sync.WaitGroup
		ends.Go(func() {
			w := b.post("/v1/codes", login)
			require.Equal(t, http.StatusCreated, w.Code)
		})
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.Equal(t, http.StatusOK, health(b))
		ends.Go(b.close)
		synctest.Wait()
		require.Equal(t, http.StatusServiceUnavailable, health(b))
		refused := login
		refused.UserID = "u2"
		w := b.post("/v1/codes", refused)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Contains(t, w.Body.String(), runtime.CodeDraining)
		ends.Wait()
		records := b.records()
		require.Len(t, records, 1)
		require.Equal(t, fallback.Rejected, records[0].Class)
		require.Equal(t, 1, b.provider.Sent())
	})
}

func health(b *bench) int {
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	return w.Code
}

// TestRefusalIsNoLimit: what the policy never repeats is the provider's refusal, to
// callers, operators and events, though no budget or no attempt was left, either.
func TestRefusalIsNoLimit(t *testing.T) {
	const refused = runtime.CodeStatusNotRetryable
	for _, c := range []struct {
		name   string
		faults []provider.Fault // of the attempts in turn
		earned int
		status int
		code   string
		class  fallback.Class
		broke  bool
	}{
		{"422, and no budget", []provider.Fault{provider.Status(422)}, 0, http.StatusUnprocessableEntity, refused, fallback.Refused, false},
		{"400, and no budget", []provider.Fault{provider.Status(400)}, 0, http.StatusBadGateway, refused, fallback.Refused, false},
		{"500, and no budget", []provider.Fault{provider.Status(500)}, 0, http.StatusBadGateway, refused, fallback.Refused, false},
		{"299 that is no JSON, and no budget", []provider.Fault{provider.Garble(299)}, 0, http.StatusBadGateway, runtime.CodeMalformedResponse, fallback.Refused, false},
		{"422 at the last attempt", []provider.Fault{provider.Status(429), provider.Status(429), provider.Status(422)}, 40,
			http.StatusUnprocessableEntity, refused, fallback.Refused, false},
		{"502, and no budget", []provider.Fault{provider.Status(502)}, 0, http.StatusBadGateway, runtime.CodeAmbiguous, fallback.Ambiguous, false},
		{"503, and no budget", []provider.Fault{provider.Status(503)}, 0, http.StatusBadGateway, runtime.CodeAmbiguous, fallback.Ambiguous, true},
		{"429, and no budget", []provider.Fault{provider.Status(429)}, 0, http.StatusServiceUnavailable, runtime.CodeRetryBudget, fallback.Budget, true},
		{"429, Retry-After too long", []provider.Fault{provider.Status(429, "Retry-After", "4")}, 40,
			http.StatusServiceUnavailable, runtime.CodeRetryAfterTooLong, fallback.Exhausted, false},
		{"429, Retry-After too long, and no budget", []provider.Fault{provider.Status(429, "Retry-After", "4")}, 0,
			http.StatusServiceUnavailable, runtime.CodeRetryAfterTooLong, fallback.Exhausted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, provider.Options{Fault: func(a provider.Arrival) (none provider.Fault) {
					if strings.HasPrefix(a.Key, "SMS-2FA-u1-") {
						return c.faults[a.Attempt-1]
					}
					return none
				}})
				b.earn(c.earned)
				w := b.post("/v1/codes", login)
				var p runtime.Problem
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
				require.Equal(t, []any{c.status, c.status, c.code}, []any{w.Code, p.Status, p.Code}, w.Body)
				require.Equal(t, c.broke, strings.Contains(string(b.get(b.Handler(), "/metrics")), "\nretry_budget_exhausted_total{"))
				records := b.records()
				require.Equal(t, []any{c.class, c.code}, []any{records[0].Class, records[0].Problem})
				events, err := os.ReadFile(filepath.Join(b.config.Journal, "00000000000000000001.jsonl"))
				require.NoError(t, err)
				require.Equal(t, c.class == fallback.Budget, strings.Contains(string(events), `"to":"BUDGET_EXHAUSTED"`))
			})
		})
	}
}

// TestDamagedQueue: nothing is sent that cannot be recorded, a load balancer and
// operators learn of it, and the log says why.
func TestDamagedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, always(provider.Status(502)))
		require.Equal(t, http.StatusBadGateway, b.post("/v1/codes", login).Code)
		require.Equal(t, http.StatusOK, health(b))
		require.NoError(t, os.Truncate(b.config.Queue, 0))
		for range 2 {
			w := b.post("/v1/codes", login)
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Contains(t, w.Body.String(), gateway.CodeNotRecorded)
			require.NotContains(t, w.Body.String(), "damaged")
		}
		require.Len(t, b.provider.Arrivals(), 1)
		require.Equal(t, http.StatusServiceUnavailable, health(b))
		w := httptest.NewRecorder()
		b.Operators().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/v1/records", nil))
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Contains(t, w.Body.String(), gateway.CodeNotRecorded)
		b.close()
		for _, what := range []string{"not sent", "an operator could not be answered"} {
			require.Regexp(t, `"msg":"`+what+`".*the file is damaged`, b.log.String())
		}
	})
}
