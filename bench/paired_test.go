package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/retrygen/retrygen/examples/petstore/pets"
	"github.com/retrygen/retrygen/runtime"
)

// client does the same JSON work in one way.
type client struct {
	name string
	get  func(ctx context.Context) error
	post func(ctx context.Context) error
}

// attemptTimeout is that of the operations: each call has one timer, and the one
// that ends first would cost more, since it wakes a thread.
const attemptTimeout = 400 * time.Millisecond

var reservation = pets.NewReservation{PetID: "rex", CustomerID: "c-1", Days: 2}

// BenchmarkPaired calls net/http and the generated client in turn, so that the
// noise of the machine meets both, and reports how long the median call takes
// and how the two compare. "memory" is a connection without a kernel, "alone" one
// without a server, too: what is left is the client. "same-request" is net/http with
// the header that tells the attempts apart, for which a server has work, too.
func BenchmarkPaired(b *testing.B) {
	for _, network := range []struct {
		name  string
		start func(b *testing.B) *http.Transport
	}{{"alone", alone}, {"memory", inMemory}, {"loopback", onLoopback}} {
		transport := network.start(b)
		plain := netHTTP(&http.Client{Transport: transport}, "")
		numbered := netHTTP(&http.Client{Transport: transport}, "1")
		generated := retrygen(b, transport)
		retrying := retryablehttp.NewClient()
		retrying.Logger, retrying.HTTPClient.Transport = nil, transport
		other := netHTTP(retrying.StandardClient(), "")
		b.Run(network.name+"/get", func(b *testing.B) { compare(b, plain.get, generated.get) })
		b.Run(network.name+"/post", func(b *testing.B) { compare(b, plain.post, generated.post) })
		b.Run(network.name+"/get-same-request", func(b *testing.B) { compare(b, numbered.get, generated.get) })
		b.Run(network.name+"/post-same-request", func(b *testing.B) { compare(b, numbered.post, generated.post) })
		b.Run(network.name+"/same", func(b *testing.B) { compare(b, plain.get, netHTTP(&http.Client{Transport: transport}, "").get) })
		b.Run(network.name+"/post-retryablehttp", func(b *testing.B) { compare(b, plain.post, other.post) })
	}
}

// compare reports the medians of two kinds of calls, and their ratio.
func compare(b *testing.B, first, second func(context.Context) error) {
	var times [2][]time.Duration
	for b.Loop() {
		for i, call := range []func(context.Context) error{first, second} {
			start := time.Now()
			if err := call(b.Context()); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	before, after := median(times[0]), median(times[1])
	b.ReportMetric(0, "ns/op") // of both together: it means nothing
	b.ReportMetric(float64(before.Nanoseconds()), "net/http-ns")
	b.ReportMetric(float64(after.Nanoseconds()), "ns")
	b.ReportMetric(float64(after)/float64(before), "ratio")
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkAllocations counts those of the client alone.
func BenchmarkAllocations(b *testing.B) {
	transport := alone(b)
	for _, c := range []client{netHTTP(&http.Client{Transport: transport}, ""), retrygen(b, transport)} {
		for name, call := range map[string]func(context.Context) error{"get": c.get, "post": c.post} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := call(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func provider() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, pet)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, made)
	})
}

const (
	pet  = `{"id":"rex","name":"Rex","kind":"dog","available":true,"bornOn":"2020-02-29"}`
	made = `{"id":"r-1","petId":"rex","until":"2026-01-03T00:00:00Z"}`
)

const host = "http://provider.test"

func onLoopback(b *testing.B) *http.Transport {
	server := httptest.NewServer(provider())
	b.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}}
}

func inMemory(b *testing.B) *http.Transport {
	listener := &pipes{conns: make(chan net.Conn)}
	server := &http.Server{Handler: provider()}
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(func() { _ = server.Close() })
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		listener.conns <- there
		return here, nil
	}}
}

func alone(b *testing.B) *http.Transport {
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		b.Cleanup(func() { _ = there.Close() })
		return &parrot{Conn: here, asked: make(chan byte, 1), closed: make(chan struct{})}, nil
	}}
}

// parrot is a connection that answers by itself, each request with the same words.
type parrot struct {
	net.Conn
	asked  chan byte // the first of the method
	closed chan struct{}
	once   sync.Once
}

func (p *parrot) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *parrot) Write(b []byte) (int, error) {
	p.asked <- b[0]
	return len(b), nil
}

func (p *parrot) Read(b []byte) (int, error) {
	select {
	case method := <-p.asked:
		if method == 'G' {
			return copy(b, found), nil
		}
		return copy(b, created), nil
	case <-p.closed:
		return 0, net.ErrClosed
	}
}

var found, created = answer("200 OK", pet), answer("201 Created", made)

func answer(status, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// pipes is a listener whose connections are pipes.
type pipes struct{ conns chan net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p *pipes) Close() error   { close(p.conns); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// netHTTP is what one writes by hand. attempt is the number of the attempt for the
// upstream; empty sends none.
func netHTTP(c *http.Client, attempt string) client {
	do := func(request *http.Request, into any) error {
		if attempt != "" {
			request.Header.Set(runtime.AttemptHeader, attempt)
		}
		request.Header.Set("Accept", "application/json")
		request.Header.Set("X-Api-Key", "k")
		response, err := c.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		return json.Unmarshal(data, into)
	}
	return client{
		name: "net-http",
		get: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/pets/rex", nil)
			if err != nil {
				return err
			}
			return do(request, new(pets.Pet))
		},
		post: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
			defer cancel()
			body, err := json.Marshal(reservation)
			if err != nil {
				return err
			}
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, host+"/reservations", bytes.NewReader(body))
			if err != nil {
				return err
			}
			request.Header.Set("Content-Type", "application/json")
			return do(request, new(pets.Reservation))
		},
	}
}

func retrygen(b *testing.B, transport *http.Transport) client {
	c, err := pets.New(pets.Config{
		BaseURL: host, APIKey: runtime.Secret("k"), Upstream: runtime.UpstreamConfig{Transport: transport},
	})
	if err != nil {
		b.Fatal(err)
	}
	return client{
		name: "retrygen",
		get: func(ctx context.Context) error {
			pet, err := c.GetPet(ctx, "rex")
			if err == nil && !strings.EqualFold(pet.ID, "rex") {
				b.Fatal("another pet")
			}
			return err
		},
		post: func(ctx context.Context) error {
			_, err := c.CreateReservation(ctx, reservation)
			return err
		},
	}
}
