// Package provider simulates the telephony provider on one's own machine: it
// sends no message, knows keys again, fails as it is told, and bans whoever
// stampedes.
package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// Options say how the provider behaves. Their zero value is healthy, answers at
// once and bans nobody.
type Options struct {
	// Latency is drawn for each answer; nil answers at once.
	Latency func() time.Duration
	// Fault is what a request to send a message meets; nil is healthy.
	Fault func(Arrival) Fault
	// BanAbove is how many requests within one second are a stampede; 0 bans nobody.
	BanAbove int
	// BanFor is how long a stampede is answered with 403; 0 is 35 minutes.
	BanFor time.Duration
}

// Arrival is a request to send a message that has just arrived.
type Arrival struct {
	Number  int // from 1, over all requests to send
	Time    time.Time
	Attempt int // of its call, as the client says; from 1
	Key     string
}

// Provider is the simulator, an [http.Handler].
type Provider struct {
	options Options
	mux     *http.ServeMux

	mu       sync.Mutex
	stampede *stampede
	arrivals []Arrival
	order    []string // ids, the oldest first
	messages map[string]*message
	byKey    map[string]*message
	media    map[string]int
}

// message is one that was sent, once, however often it was asked for.
type message struct {
	sms.Message
	userID  string
	fingers [sha256.Size]byte // of the request's body
}

// New makes a provider that has sent nothing yet.
func New(options Options) *Provider {
	p := &Provider{
		options:  options,
		stampede: newStampede(options.BanAbove, options.BanFor),
		messages: map[string]*message{},
		byKey:    map[string]*message{},
		media:    map[string]int{},
	}
	p.mux = http.NewServeMux()
	p.mux.HandleFunc("POST /v1/messages", p.send)
	p.mux.HandleFunc("GET /v1/messages", p.list)
	p.mux.HandleFunc("GET /v1/messages/{id}", p.get)
	p.mux.HandleFunc("DELETE /v1/messages/{id}", p.cancel)
	p.mux.HandleFunc("GET /v1/messages/{id}/receipts", p.receipts)
	p.mux.HandleFunc("PUT /v1/media/{id}", p.upload)
	return p
}

// ServeHTTP implements [http.Handler]. Whoever is banned learns nothing else.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.banned(time.Now()) {
		refuse(w, http.StatusForbidden, "BANNED", "too many requests: your address is banned")
		return
	}
	if r.Header.Get("Authorization") == "" {
		refuse(w, http.StatusUnauthorized, "NO_TOKEN", "a bearer token is missing")
		return
	}
	p.mux.ServeHTTP(w, r)
}

// Arrivals are the requests to send so far, in their order. Those that met a ban
// are not among them.
func (p *Provider) Arrivals() []Arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Arrival(nil), p.arrivals...)
}

// Sent is the number of messages that went out.
func (p *Provider) Sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages)
}

// Bans is the number of stampedes so far.
func (p *Provider) Bans() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stampede.bans
}

func (p *Provider) banned(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stampede.banned(now)
}

func (p *Provider) arrive(r *http.Request) Arrival {
	attempt, _ := strconv.Atoi(r.Header.Get(runtime.AttemptHeader))
	p.mu.Lock()
	defer p.mu.Unlock()
	a := Arrival{Number: len(p.arrivals) + 1, Time: time.Now(), Attempt: attempt, Key: r.Header.Get("Idempotency-Key")}
	p.arrivals = append(p.arrivals, a)
	return a
}

func (p *Provider) send(w http.ResponseWriter, r *http.Request) {
	arrival := p.arrive(r)
	// Only of a request that was read to its end does a server hear that the client
	// has gone.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		refuse(w, http.StatusBadRequest, "BAD_BODY", "the body cannot be read")
		return
	}
	fault := healthy
	if p.options.Fault != nil {
		fault = p.options.Fault(arrival)
	}
	if p.options.Latency != nil && !pause(r, p.options.Latency()) {
		return
	}
	if fault.do == nil {
		p.accept(w, arrival.Key, body)
		return
	}
	if fault.acts {
		p.accept(discard{}, arrival.Key, body)
	}
	fault.do(w, r)
}

// accept sends a message, or tells of the one that was sent under the key.
func (p *Provider) accept(w http.ResponseWriter, key string, body []byte) {
	var wanted sms.NewMessage
	if err := json.Unmarshal(body, &wanted); err != nil {
		refuse(w, http.StatusBadRequest, "BAD_JSON", "the body is no message")
		return
	}
	if err := wanted.Validate(); err != nil {
		refuse(w, http.StatusUnprocessableEntity, "INVALID", err.Error())
		return
	}
	if key == "" {
		refuse(w, http.StatusBadRequest, "NO_KEY", "an Idempotency-Key is missing")
		return
	}
	sent, same := p.store(key, wanted, sha256.Sum256(body))
	if !same {
		refuse(w, http.StatusUnprocessableEntity, "KEY_REUSED", "the key belongs to another message")
		return
	}
	answer(w, http.StatusCreated, sent)
}

// store keeps a message under its key. It is false where the key belongs to
// another one.
func (p *Provider) store(key string, wanted sms.NewMessage, fingers [sha256.Size]byte) (sms.Message, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.byKey[key]; m != nil {
		return m.Message, m.fingers == fingers
	}
	sum := sha256.Sum256([]byte(key))
	m := &message{
		Message: sms.Message{ID: "m-" + hex.EncodeToString(sum[:8]), Status: sms.MessageStatusQueued, CreatedAt: time.Now().UTC(), To: &wanted.To},
		userID:  wanted.UserID,
		fingers: fingers,
	}
	p.byKey[key], p.messages[m.ID] = m, m
	p.order = append(p.order, m.ID)
	return m.Message, true
}

func (p *Provider) list(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 50
	}
	user := r.URL.Query().Get("user_id")
	p.mu.Lock()
	defer p.mu.Unlock()
	found := []sms.Message{}
	for i := len(p.order) - 1; i >= 0 && len(found) < limit; i-- {
		if m := p.messages[p.order[i]]; user == "" || m.userID == user {
			found = append(found, m.Message)
		}
	}
	answer(w, http.StatusOK, found)
}

func (p *Provider) get(w http.ResponseWriter, r *http.Request) {
	p.with(w, r, func(m *message) { answer(w, http.StatusOK, m.Message) })
}

func (p *Provider) cancel(w http.ResponseWriter, r *http.Request) {
	p.with(w, r, func(m *message) {
		m.Status = sms.MessageStatusCancelled
		w.WriteHeader(http.StatusNoContent)
	})
}

func (p *Provider) receipts(w http.ResponseWriter, r *http.Request) {
	p.with(w, r, func(m *message) {
		answer(w, http.StatusOK, []sms.Receipt{{MessageID: m.ID, Status: m.Status, At: m.CreatedAt}})
	})
}

func (p *Provider) with(w http.ResponseWriter, r *http.Request, do func(*message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.messages[r.PathValue("id")]; m != nil {
		do(m)
		return
	}
	refuse(w, http.StatusNotFound, "NO_MESSAGE", "there is no such message")
}

func (p *Provider) upload(w http.ResponseWriter, r *http.Request) {
	size, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "TOO_LARGE", "media may have 1 MiB")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.media[r.PathValue("id")] = int(size)
	w.WriteHeader(http.StatusNoContent)
}

// Media is the size of what was uploaded under the id, and whether anything was.
func (p *Provider) Media(id string) (size int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size, ok = p.media[id]
	return size, ok
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code, detail string) {
	answer(w, status, sms.Problem{Title: http.StatusText(status), Detail: &detail, Code: &code})
}
