package fallback

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func pushTo(t *testing.T, handler http.HandlerFunc) *Push {
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	c, err := NewPush("push", server.URL, PushOptions{Token: "t0ken",
		RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	require.NoError(t, err)
	return c
}

// TestPush: one POST under the delivery's ID, by which the service knows it again.
func TestPush(t *testing.T) {
	d := Delivery{ID: uuid.Max, Kind: "login-code", Recipient: "user4711", Code: code, Expires: time.Unix(1e9, 0).UTC()}
	c := pushTo(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Idempotency-Key") != d.ID.String() ||
			r.Header.Get("Authorization") != "Bearer t0ken" || r.Header.Get("Content-Type") != "application/json" {
			panic(http.ErrAbortHandler)
		}
		var got map[string]string
		if json.Unmarshal(body, &got) != nil || len(got) != 5 || got["delivery_id"] != d.ID.String() || got["kind"] != "login-code" ||
			got["recipient"] != "user4711" || got["code"] != code || got["expires"] != "2001-09-09T01:46:40Z" {
			panic(http.ErrAbortHandler)
		}
	})
	require.NoError(t, c.Deliver(t.Context(), d))
	require.Equal(t, "fallback.Push(push)", fmt.Sprintf("%#v", c))
}

// TestPushAnswers: what each means, and that no error repeats the body. A redirect
// is not followed: nobody has attested where it leads.
func TestPushAnswers(t *testing.T) {
	for status, want := range map[int]string{
		200: "", 202: "", 204: "",
		404: "fallback: undeliverable: status 404", 410: "fallback: undeliverable: status 410", 422: "fallback: undeliverable: status 422",
		307: "status 307", 401: "status 401", 429: "status 429", 503: "status 503",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			requests := 0
			c := pushTo(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
				if status != http.StatusNoContent {
					_, _ = io.WriteString(w, code)
				}
			})
			err := c.Deliver(t.Context(), Delivery{Code: code})
			if want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, want)
			}
			require.Equal(t, 1, requests)
		})
	}
}

// TestPushVerifiesTheServer: a certificate that nobody vouches for ends the
// delivery before anything is sent.
func TestPushVerifiesTheServer(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	c, err := NewPush("push", server.URL, PushOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, c.Deliver(t.Context(), Delivery{Code: code}), "certificate")
}
