// Package retryablehttp has the signatures that callers use.
package retryablehttp

import "net/http"

type RoundTripper struct{}

func (*RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return nil, nil }
