package gateway

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/runtime"
)

// metrics count calls and attempts apart, since one call may make three. No label
// holds what a user says, nor what a provider makes up.
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	attempts *prometheus.CounterVec
	retries  *prometheus.CounterVec
	broke    *prometheus.CounterVec
	requests *prometheus.HistogramVec
	// recoveryLag counts the alerts of [recovery].
	recoveryLag prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sms_calls_total", Help: "Calls of the provider by how they ended.",
		}, []string{"upstream", "operation", "state", "effect"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sms_attempts_total", Help: "Attempts of calls by what is proven of them; status 0 is no answer.",
		}, []string{"upstream", "operation", "evidence", "status"}),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sms_retries_total", Help: "Attempts that the retry budget paid.",
		}, []string{"upstream", "operation"}),
		broke: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "retry_budget_exhausted_total", Help: "Calls that ended because the retry budget could not pay.",
		}, []string{"upstream", "operation"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gateway_request_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 1.2, 2, 4},
		}, []string{"route", "status"}),
		recoveryLag: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "retry_recovery_lag_total", Help: "Faults after which retries did not become few in time.",
		}),
	}
	m.registry.MustRegister(m.calls, m.attempts, m.retries, m.broke, m.requests, m.recoveryLag, collectors.NewGoCollector())
	return m
}

// observe counts one transition of a call.
func (m *metrics) observe(e runtime.Event) {
	if e.From == runtime.StateAttempting {
		m.attempts.WithLabelValues(e.Upstream, e.Operation, e.Evidence.String(), statusLabel(e.Status)).Inc()
	}
	if e.TokenTaken {
		m.retries.WithLabelValues(e.Upstream, e.Operation).Inc()
	}
	if !e.To.Terminal() {
		return
	}
	m.calls.WithLabelValues(e.Upstream, e.Operation, e.To.String(), e.Effect.String()).Inc()
	if lifecycle.StoppedByBudget(e.Reason, e.FailureReason) {
		m.broke.WithLabelValues(e.Upstream, e.Operation).Inc()
	}
}

// statusLabel is one for all statuses that nobody knows: there are hundreds.
func statusLabel(status int) string {
	if status != 0 && http.StatusText(status) == "" {
		return "other"
	}
	return strconv.Itoa(status)
}

// gauges show what others count: the fallback queue, the journal, the states.
func (g *Gateway) gauges() {
	g.metrics.registry.MustRegister(figures{g})
}

// figures asks for all at once when somebody looks.
type figures struct{ g *Gateway }

var (
	recordsFigure   = prometheus.NewDesc("fallback_records", "Sends without success by state and class.", []string{"state", "class"}, nil)
	publishedFigure = prometheus.NewDesc("journal_events_published_total", "Lifecycle events on disk.", nil, nil)
	forwardedFigure = prometheus.NewDesc("journal_events_forwarded_total", "Lifecycle events that Kafka has acknowledged.", nil, nil)
	droppedFigure   = prometheus.NewDesc("journal_events_dropped_total", "Lifecycle events that were lost, by reason.", []string{"reason"}, nil)
	pendingFigure   = prometheus.NewDesc("journal_pending_bytes", "Lifecycle events that Kafka has not acknowledged.", nil, nil)
	illegalFigure   = prometheus.NewDesc("lifecycle_illegal_transitions_total", "Transitions that the table forbids; above 0 is a fault.", nil, nil)
	openFigure      = prometheus.NewDesc("lifecycle_open_calls", "Calls on their way.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (figures) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{recordsFigure, publishedFigure, forwardedFigure, droppedFigure, pendingFigure, illegalFigure, openFigure} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (f figures) Collect(out chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	if stats, err := f.g.queue.Stats(); err == nil {
		for state, classes := range stats {
			for class, n := range classes {
				count(recordsFigure, prometheus.GaugeValue, float64(n), string(state), string(class))
			}
		}
	}
	journal := f.g.journal.Stats()
	count(publishedFigure, prometheus.CounterValue, float64(journal.Published))
	count(forwardedFigure, prometheus.CounterValue, float64(journal.Forwarded))
	count(pendingFigure, prometheus.GaugeValue, float64(journal.PendingBytes))
	for reason, n := range journal.Dropped {
		count(droppedFigure, prometheus.CounterValue, float64(n), string(reason))
	}
	count(illegalFigure, prometheus.CounterValue, float64(f.g.states.Illegal()))
	count(openFigure, prometheus.GaugeValue, float64(f.g.states.Open()))
}

// timed measures the requests of a route.
func (m *metrics) timed(route string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		noted := &notedWriter{ResponseWriter: w, status: http.StatusOK}
		next(noted, r)
		m.requests.WithLabelValues(route, strconv.Itoa(noted.status)).Observe(time.Since(start).Seconds())
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// notedWriter remembers the status of an answer.
type notedWriter struct {
	http.ResponseWriter
	status int
}

func (w *notedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
