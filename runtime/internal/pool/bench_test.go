package pool

import (
	"io"
	"net/http"
	"testing"
)

// client is what is measured: a request, its body read.
type client func(req *http.Request) (*http.Response, error)

func bench(b *testing.B, url string, send client) {
	req, err := http.NewRequestWithContext(b.Context(), "GET", url, nil)
	if err != nil {
		b.Fatal(err)
	}
	call := func() {
		resp, err := send(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
	call()
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}

// BenchmarkKeepAlive compares with net/http on one connection. The allocations
// of the server count for all alike.
func BenchmarkKeepAlive(b *testing.B) {
	for _, w := range wires {
		url, transport := w.start(b, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
		if transport == nil {
			transport = &http.Transport{}
		}
		transport.DisableCompression = true
		b.Run(w.name+"/http.Client", func(b *testing.B) {
			bench(b, url, (&http.Client{Transport: transport}).Do)
		})
		b.Run(w.name+"/http.Transport", func(b *testing.B) { bench(b, url, transport.RoundTrip) })
		b.Run(w.name+"/pool", func(b *testing.B) {
			p := newPool(b, Options{Transport: transport})
			bench(b, url, func(req *http.Request) (*http.Response, error) {
				resp, _, err := p.RoundTrip(req)
				return resp, err
			})
		})
		transport.CloseIdleConnections()
	}
}
