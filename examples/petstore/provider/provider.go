// Package provider is a pet provider on loopback whose failures are scripted:
// one fault per request, in order, then health.
package provider

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// Fault is what the provider does with one request.
type Fault func(w http.ResponseWriter, r *http.Request)

// Provider is a running server.
type Provider struct {
	server *httptest.Server

	mu       sync.Mutex
	script   []Fault
	requests int
	reserved int
}

// Start starts a healthy provider on 127.0.0.1.
func Start() *Provider {
	p := &Provider{}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	return p
}

// URL is the provider's address.
func (p *Provider) URL() string { return p.server.URL }

// Close stops the provider.
func (p *Provider) Close() { p.server.Close() }

// Script sets the faults of the next requests and counts from 0 again.
func (p *Provider) Script(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script, p.requests, p.reserved = faults, 0, 0
}

// Requests is the number of requests read since the last Script.
func (p *Provider) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// Reserved is the number of reservations made since the last Script.
func (p *Provider) Reserved() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reserved
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") == "" {
		Status(http.StatusUnauthorized)(w, r)
		return
	}
	p.next()(w, r)
}

// next takes the next fault of the script.
func (p *Provider) next() Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if len(p.script) == 0 {
		return p.healthy
	}
	fault := p.script[0]
	p.script = p.script[1:]
	return fault
}

func (p *Provider) healthy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost:
		p.reserve()
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id": "r-1", "petId": "rex", "until": "2026-12-24T12:00:00Z"}`)
	case r.URL.Path == "/pets":
		fmt.Fprint(w, `[`+rex+`]`)
	default:
		fmt.Fprint(w, rex)
	}
}

func (p *Provider) reserve() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved++
}

const rex = `{"id": "rex", "name": "Rex", "kind": "dog", "available": true, "bornOn": "2021-05-01"}`

// Healthy answers as if nothing were wrong.
func (p *Provider) Healthy() Fault { return p.healthy }

// Status answers with a status and a problem.
func Status(status int) Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"title": %q}`, http.StatusText(status))
	}
}

// RateLimited answers 429 and asks for patience.
func RateLimited(seconds int) Fault {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprint(seconds))
		Status(http.StatusTooManyRequests)(w, r)
	}
}

// Malformed answers 200 with something that is no pet.
func Malformed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"id": "rex", "name": 7`)
}

// Hang reads the request and answers too late.
func Hang(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(5 * time.Second):
	}
}

// Lost reads the request and breaks the connection instead of answering.
func Lost(w http.ResponseWriter, _ *http.Request) { reset(w) }

// ReservedThenLost makes the reservation, and breaks the connection instead of
// saying so.
func (p *Provider) ReservedThenLost(w http.ResponseWriter, _ *http.Request) {
	p.reserve()
	reset(w)
}

func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// Cut answers with half of the body and breaks the connection.
func Cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", fmt.Sprint(len(rex)))
	fmt.Fprint(w, rex[:len(rex)/2])
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	panic(http.ErrAbortHandler)
}
