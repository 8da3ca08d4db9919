package bench

import (
	"testing"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/retrygen/retrygen/runtime"
)

// TestRetryingTransportIsRefused: retries have one owner (RULE-OWNER).
func TestRetryingTransportIsRefused(t *testing.T) {
	transport := &retryablehttp.RoundTripper{Client: retryablehttp.NewClient()}
	_, err := runtime.NewUpstream(upstream, "http://127.0.0.1:1", runtime.UpstreamConfig{RoundTripper: transport}, nil)
	if err == nil {
		t.Fatal("a transport that repeats requests by itself was accepted")
	}
}
