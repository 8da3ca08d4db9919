package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/retrygen/retrygen/runtime"
)

type order struct {
	ID     string `json:"id"`
	Amount int    `json:"amount"`
	Note   string `json:"note,omitzero"`
}

var operation = runtime.Operation{
	Name: "createOrder", Route: "POST /orders", Idempotency: runtime.Idempotent, Replayability: runtime.Replayable,
	MaxAttempts: 3, Deadline: 10 * time.Second, MinAttemptBudget: 100 * time.Millisecond,
	BackoffBase: 100 * time.Millisecond, BackoffMax: 3 * time.Second, BackoffMultiplier: 2, RetryAfterMax: 10 * time.Second,
}

var upstream = runtime.UpstreamContract{Name: "orders", BudgetRatio: 0.1, BudgetWindow: time.Minute, BudgetMinPerWindow: 10}

func serve(b *testing.B) string {
	answer, _ := json.Marshal(order{ID: "o-1", Amount: 100})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// BenchmarkPost is one JSON POST and its JSON answer over keep-alive loopback,
// the same work for each.
func BenchmarkPost(b *testing.B) {
	url := serve(b)
	b.Run("net-http", func(b *testing.B) { post(b, url, http.DefaultClient.Do) })
	b.Run("retryablehttp", func(b *testing.B) {
		client := retryablehttp.NewClient()
		client.Logger = nil
		post(b, url, client.StandardClient().Do)
	})
	b.Run("retrygen", func(b *testing.B) { postRetrygen(b, url) })
}

func post(b *testing.B, url string, do func(*http.Request) (*http.Response, error)) {
	b.ReportAllocs()
	for b.Loop() {
		body, err := json.Marshal(order{ID: "o-1", Amount: 100})
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/orders", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
		response, err := do(request)
		if err != nil {
			b.Fatal(err)
		}
		data, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		if err := json.Unmarshal(data, new(order)); err != nil {
			b.Fatal(err)
		}
	}
}

func postRetrygen(b *testing.B, url string) {
	u, err := runtime.NewUpstream(upstream, url, runtime.UpstreamConfig{}, []*runtime.Operation{&operation})
	if err != nil {
		b.Fatal(err)
	}
	read := func(r *runtime.Response) (*order, error) { return runtime.ReadJSON[*order](r) }
	b.ReportAllocs()
	for b.Loop() {
		_, err := runtime.Do(b.Context(), u, &operation, runtime.Request{
			Path: []string{"/orders"}, Accept: "application/json", Body: runtime.JSON(order{ID: "o-1", Amount: 100}),
		}, read, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
}
