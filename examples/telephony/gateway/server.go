package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"

	"github.com/retrygen/retrygen/runtime"
)

// routes is the gateway's own API. Codes and notices have limits of their own
// (ADV-FD-01). A page in somebody's browser cannot make it send.
func (g *Gateway) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/codes", g.metrics.timed("/v1/codes", sends(g, "login", newCallers(g.config.PerCaller), g.allowLogin, g.SendCode)))
	mux.HandleFunc("POST /v1/notices", g.metrics.timed("/v1/notices", sends(g, "notice", newCallers(g.config.PerCaller), nil, g.SendNotice)))
	mux.HandleFunc("GET /healthz", g.health)
	mux.Handle("GET /metrics", g.metrics.handler())
	return http.NewCrossOriginProtection().Handler(mux)
}

// sends answers requests of type T. Those of an address that asks too often, and
// those that allow refuses, are answered with 429.
func sends[T any](g *Gateway, what string, addresses *callers, allow func(T) bool, send func(context.Context, T) (Sent, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		wanted, err := decode[T](w, r)
		switch {
		case !addresses.allow(hostOf(r.RemoteAddr)), err == nil && allow != nil && !allow(wanted):
			g.answer(w, what, Sent{}, errHammered)
		case err != nil:
			g.answer(w, what, Sent{}, badRequest(err))
		default:
			sent, err := send(r.Context(), wanted)
			g.answer(w, what, sent, err)
		}
	}
}

var errHammered = &ownError{
	status: http.StatusTooManyRequests,
	code:   CodeCallerLimited,
	title:  "Too many requests of one caller",
	detail: "Nothing was sent. Wait as long as Retry-After says.",
}

// hostOf is a host without the port, if it has one.
func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	return host
}

// allowLogin remembers users by names that a user can have: what is no request of
// this gateway goes its way, and is refused.
func (g *Gateway) allowLogin(l Login) bool {
	_, err := l.message()
	return err != nil || g.logins.allow(l.UserID)
}

// answer tells a caller, and the log, what became of a request. Neither holds a
// code, a number or a key: the key's hash leads to the events of the call. Why it
// failed in words is for the log alone.
func (g *Gateway) answer(w http.ResponseWriter, what string, sent Sent, err error) {
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(sent)
		return
	}
	p := problemOf(err)
	attributes := []any{"what", what, "code", p.Code, "status", p.Status, "error", err.Error()}
	if o, ok := runtime.OutcomeOf(err); ok {
		attributes = append(attributes, "call", o.CallID.String(), "key_hash", o.KeyHash(), "effect", o.Effect.String(),
			"reason", o.Reason.String(), "attempts", len(o.Attempts), "upstream_status", o.Status)
	}
	g.log.Warn("not sent", attributes...)
	writeProblem(w, p)
}

// health tells a load balancer whether to send more: no send begins that the fallback
// queue cannot record. The journal and Kafka keep nobody from sending.
func (g *Gateway) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if g.draining.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":"draining"}`+"\n")
		return
	}
	if err := g.queue.Health(); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"status":"fallback queue unavailable"}`+"\n")
		return
	}
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n")
}
