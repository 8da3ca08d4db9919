package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
)

// The problems that operators can meet.
const (
	// CodeNotFound: no record has the id.
	CodeNotFound = "ERR_RECORD_NOT_FOUND"
	// CodeOtherName: the request is for a host that the gateway is not.
	CodeOtherName = "ERR_OTHER_HOST"
	// CodeNotDecided: a person's decision on a record cannot be carried out.
	CodeNotDecided = "ERR_DECISION_NOT_POSSIBLE"
)

// Operators is the API of the people who decide what becomes of a send that may
// have gone out. Whoever reaches it is one of them: it has a listener of its own,
// which belongs behind a login, and answers under an address, as localhost, and under
// the names of [Config.OperatorHosts].
//
//	GET  /v1/records?state=held      records, the oldest first
//	GET  /v1/records/{id}            one
//	GET  /v1/records/{id}/key        its whole idempotency key, to ask the provider by
//	POST /v1/records/{id}/decisions  {"action": "release" or "close", "by": "name"}
func (g *Gateway) Operators() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/records", g.records)
	mux.HandleFunc("GET /v1/records/{id}", g.record(func(id uuid.UUID) (any, error) { return g.queue.Record(id) }))
	mux.HandleFunc("GET /v1/records/{id}/key", g.record(g.wholeKey))
	mux.HandleFunc("POST /v1/records/{id}/decisions", g.decide)
	return g.onlyAs(g.config.OperatorHosts, http.NewCrossOriginProtection().Handler(mux))
}

// onlyAs refuses requests under other names than these. A page in an operator's
// browser may have its own name lead here (DNS rebinding), and would then be of one
// origin with what the operator can read and decide.
func (g *Gateway) onlyAs(names string, next http.Handler) http.Handler {
	known := append(strings.Split(strings.ToLower(names), ","), "localhost")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.ToLower(hostOf(r.Host))
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err != nil && !slices.Contains(known, host) {
			g.answerOperator(w, nil, errOtherName)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var errOtherName = &ownError{
	status: http.StatusMisdirectedRequest,
	code:   CodeOtherName,
	title:  "The operators' API has another name",
	detail: "It answers under an address, as localhost, and under the names of --operator-hosts.",
}

// page is a page of records, and how to get the next one.
type page struct {
	Records []fallback.Record `json:"records"`
	Next    string            `json:"next,omitempty"`
}

func (g *Gateway) records(w http.ResponseWriter, r *http.Request) {
	wanted, err := parseListing(r.URL.Query().Get)
	if err != nil {
		g.answerOperator(w, nil, badRequest(err))
		return
	}
	records, err := g.queue.Records(wanted.state, wanted.after, wanted.limit)
	p := page{Records: records}
	if len(records) == wanted.limit {
		p.Next = fmt.Sprintf("/v1/records?state=%s&limit=%d&after=%s", wanted.state, wanted.limit, records[len(records)-1].ID)
	}
	g.answerOperator(w, p, err)
}

type listing struct {
	state fallback.State
	after uuid.UUID
	limit int
}

func parseListing(parameter func(string) string) (l listing, err error) {
	l = listing{state: fallback.Held, limit: 100}
	if text := parameter("state"); text != "" {
		l.state = fallback.State(text)
	}
	if !slices.Contains(fallback.States(), l.state) {
		return l, fmt.Errorf("state: must be one of %v", fallback.States())
	}
	if text := parameter("limit"); text != "" {
		if l.limit, err = strconv.Atoi(text); err != nil || l.limit < 1 || l.limit > 1000 {
			return l, errors.New("limit: must be 1 to 1000")
		}
	}
	if text := parameter("after"); text != "" {
		if l.after, err = uuid.Parse(text); err != nil {
			return l, errors.New("after: must be the id of a record")
		}
	}
	return l, nil
}

// record answers with what look finds of one record.
func (g *Gateway) record(look func(uuid.UUID) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil {
			g.answerOperator(w, nil, fallback.ErrNotFound)
			return
		}
		found, err := look(id)
		g.answerOperator(w, found, err)
	}
}

// wholeKey shows a key, and leaves a trace of it.
func (g *Gateway) wholeKey(id uuid.UUID) (any, error) {
	key, err := g.queue.Key(id)
	if err != nil {
		return nil, err
	}
	g.log.Info("an operator has read an idempotency key", "id", id)
	return struct {
		IdempotencyKey string `json:"idempotency_key"`
	}{string(key)}, nil
}

func (g *Gateway) decide(w http.ResponseWriter, r *http.Request) {
	type decision struct {
		Action fallback.Action `json:"action"`
		By     string          `json:"by"`
	}
	d, err := decode[decision](w, r)
	if err != nil {
		g.answerOperator(w, nil, badRequest(err))
		return
	}
	g.record(func(id uuid.UUID) (any, error) {
		err := g.queue.Resolve(id, fallback.Decision{Action: d.Action, By: d.By})
		if err != nil {
			return nil, err
		}
		g.log.Info("an operator has decided", "id", id, "action", d.Action, "by", d.By)
		return g.queue.Record(id)
	})(w, r)
}

func (g *Gateway) answerOperator(w http.ResponseWriter, found any, err error) {
	w.Header().Set("Cache-Control", "no-store")
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(found)
		return
	}
	var own *ownError
	switch {
	case errors.As(err, &own):
	case errors.Is(err, fallback.ErrNotFound):
		own = &ownError{http.StatusNotFound, CodeNotFound, "There is no such record", "Nothing has the id, or it was purged.", err}
	case errors.Is(err, fallback.ErrNotPossible):
		own = &ownError{http.StatusConflict, CodeNotDecided, "The decision is not possible", err.Error(), err}
	case errors.Is(err, fallback.ErrClosed):
		own = &ownError{http.StatusServiceUnavailable, CodeNotRecorded, "The gateway ends", "The next one will answer.", err}
	default:
		own = &ownError{http.StatusServiceUnavailable, CodeNotRecorded, "The fallback queue does not work", "The gateway's log tells why.", err}
		g.log.Error("an operator could not be answered", "error", own)
	}
	writeProblem(w, problemOf(own))
}
