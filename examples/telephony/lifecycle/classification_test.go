package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestClassify: the tuple of a call that meets a fault at every attempt, or at
// those that are given (MC-FM-01).
func TestClassify(t *testing.T) {
	const (
		success, transient, permanent  = lifecycle.ClassSuccess, lifecycle.ClassTransient, lifecycle.ClassPermanent
		ambiguous, rejected, cancelled = lifecycle.ClassAmbiguous, lifecycle.ClassRejected, lifecycle.ClassCancelled
	)
	always := func(f retrytest.Fault) []retrytest.Fault { return slices.Repeat([]retrytest.Fault{f}, 3) }
	status := func(code int, header ...string) []retrytest.Fault { return always(retrytest.Status(code, header...)) }
	noBudget, err := runtime.NewLedger(0, 60e9, runtime.DepositRequest, 0)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		faults []retrytest.Fault
		change func(*sms.NewMessage, *sms.Config)
		ended  bool // the caller had given up
		want   lifecycle.Classification
	}{
		"201":                {want: lifecycle.Classification{success, 201, false, 0}},
		"503, then 201":      {faults: status(503)[:1], want: lifecycle.Classification{success, 201, false, 1}},
		"429":                {faults: status(429), want: lifecycle.Classification{transient, 429, true, 2}},
		"429, and no budget": {faults: status(429), change: broke(noBudget), want: lifecycle.Classification{transient, 429, true, 0}},
		"429 for a minute":   {faults: status(429, "Retry-After", "60"), want: lifecycle.Classification{transient, 429, false, 0}},
		"429 until soon":     {faults: status(429, "Retry-After", "soon"), want: lifecycle.Classification{permanent, 429, false, 0}},
		"503":                {faults: status(503), want: lifecycle.Classification{ambiguous, 503, true, 2}},
		"504":                {faults: status(504), want: lifecycle.Classification{ambiguous, 504, true, 2}},
		"502":                {faults: status(502), want: lifecycle.Classification{ambiguous, 502, false, 0}},
		"500":                {faults: status(500), want: lifecycle.Classification{permanent, 500, false, 0}},
		"404":                {faults: status(404), want: lifecycle.Classification{permanent, 404, false, 0}},
		"404, its body cut":  {faults: always(retrytest.CutBody(404)), want: lifecycle.Classification{permanent, 404, false, 0}},
		"404, and no budget": {faults: status(404), change: broke(noBudget), want: lifecycle.Classification{permanent, 404, false, 0}},
		"299":                {faults: status(299), want: lifecycle.Classification{permanent, 299, false, 0}},
		"799":                {faults: status(799), want: lifecycle.Classification{permanent, 799, false, 0}},
		"the answer is lost": {faults: always(retrytest.LoseAnswer()), want: lifecycle.Classification{ambiguous, 0, true, 2}},
		"the answer makes no sense": {faults: always(retrytest.MalformedStatusLine()),
			want: lifecycle.Classification{ambiguous, 0, false, 0}},
		"the message makes no sense": {faults: always(retrytest.MalformedJSON(201)), want: lifecycle.Classification{permanent, 201, false, 0}},
		"201, its body cut":          {faults: always(retrytest.CutBody(201)), want: lifecycle.Classification{transient, 201, true, 2}},
		"nobody listens":             {faults: always(retrytest.RefuseConnection()), want: lifecycle.Classification{transient, 0, true, 2}},
		"there is no such name":      {faults: always(retrytest.UnknownHost()), want: lifecycle.Classification{permanent, 0, false, 0}},
		"no login session": {change: func(m *sms.NewMessage, _ *sms.Config) { m.LoginSessionID = "" },
			want: lifecycle.Classification{rejected, 0, false, 0}},
		"the caller had gone": {ended: true, want: lifecycle.Classification{cancelled, 0, false, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := provider(t)
				for _, f := range test.faults {
					if f.StrikesConnection() {
						p.Connect(f)
					} else {
						p.SendMessage.Before(f)
					}
				}
				message, config := login(1), sms.Config{}
				if test.change != nil {
					test.change(&message, &config)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.ended {
					cancel()
				}
				var reported runtime.Outcome
				_, err := p.Client(config).SendMessage(ctx, message, runtime.Report(&reported))
				require.Equal(t, test.want, lifecycle.Classify(&reported))
				if err != nil {
					outcome, ok := runtime.OutcomeOf(err)
					require.True(t, ok)
					require.Equal(t, test.want, lifecycle.Classify(outcome), "the error knows the same")
				}
			})
		})
	}
}

func broke(b runtime.Budget) func(*sms.NewMessage, *sms.Config) {
	return func(_ *sms.NewMessage, c *sms.Config) { c.Upstream.Budget = b }
}

// TestClassifyWithoutOutcome: what no rule knows is not repeated.
func TestClassifyWithoutOutcome(t *testing.T) {
	outcome, _ := runtime.OutcomeOf(errors.New("what is this?"))
	require.Equal(t, lifecycle.Classification{Class: lifecycle.ClassPermanent}, lifecycle.Classify(outcome))
}
