package runtime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRetryAfterOfACall: what the header says, and how long the call then waits
// before its second attempt; -1 where it makes none (RULE-RETRY-AFTER-1,
// RULE-RETRY-AFTER-3, RULE-RETRY-AFTER-4, RULE-RETRY-AFTER-5).
func TestRetryAfterOfACall(t *testing.T) {
	const none, drawn = -1, 200 * time.Millisecond
	for name, tt := range map[string]struct {
		header    string
		malformed Malformed
		deadline  time.Duration
		least     time.Duration
		most      time.Duration
		reason    Reason
	}{
		"absent":                          {"", IgnoreMalformed, 0, time.Millisecond, drawn, NoReason},
		"absent, malformed ones denied":   {"", DenyMalformed, 0, time.Millisecond, drawn, NoReason},
		"zero":                            {"0", IgnoreMalformed, 0, time.Millisecond, drawn, NoReason},
		"two seconds":                     {"2", IgnoreMalformed, 0, 2*time.Second + time.Millisecond, 2*time.Second + drawn, NoReason},
		"negative, ignored":               {"-5", IgnoreMalformed, 0, time.Millisecond, drawn, NoReason},
		"negative, denied":                {"-5", DenyMalformed, 0, none, none, StatusNotRetryable},
		"a past date":                     {"Fri, 31 Dec 1999 23:59:59 GMT", IgnoreMalformed, 0, time.Millisecond, drawn, NoReason},
		"a past date, malformed denied":   {"Fri, 31 Dec 1999 23:59:59 GMT", DenyMalformed, 0, time.Millisecond, drawn, NoReason},
		"a date in two seconds":           {"Sat, 01 Jan 2000 00:00:02 GMT", IgnoreMalformed, 0, 2*time.Second + time.Millisecond, 2*time.Second + drawn, NoReason},
		"no number, ignored":              {"soon", IgnoreMalformed, 0, time.Millisecond, drawn, NoReason},
		"an hour":                         {"3600", IgnoreMalformed, 0, none, none, RetryAfterTooLong},
		"484289 hours":                    {"1743440400", IgnoreMalformed, 0, none, none, RetryAfterTooLong},
		"more than can be counted":        {"99999999999999999999", IgnoreMalformed, 0, none, none, RetryAfterTooLong},
		"a second, 300 ms are left":       {"1", IgnoreMalformed, 300 * time.Millisecond, none, none, DeadlineTooNear},
		"within the limit, past the time": {"4", IgnoreMalformed, 3 * time.Second, none, none, DeadlineTooNear},
	} {
		for _, status := range []int{429, 503} {
			t.Run(name+" "+http.StatusText(status), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					answered := false
					u, err := NewUpstream(contract, "http://pets.test", UpstreamConfig{Budget: plenty{}, RoundTripper: answering(
						func(*http.Request) (int, http.Header, io.Reader) {
							if answered {
								return 200, http.Header{}, http.NoBody
							}
							answered = true
							if tt.header == "" {
								return status, http.Header{}, http.NoBody
							}
							return status, http.Header{"Retry-After": {tt.header}}, http.NoBody
						})}, nil)
					require.NoError(t, err)
					op := slow()
					op.RetryAfterMalformed = tt.malformed
					if tt.deadline != 0 {
						op.Deadline = tt.deadline
					}
					start := time.Now()
					var o Outcome
					err = exec(t.Context(), u, op, &o)
					require.Equal(t, tt.reason, o.Reason)
					if tt.most == none {
						require.Equal(t, "status", kind(err))
						require.Len(t, o.Attempts, 1)
						require.Zero(t, time.Since(start), "it neither waits nor comes back earlier")
						return
					}
					require.NoError(t, err)
					require.GreaterOrEqual(t, time.Since(start), tt.least)
					require.LessOrEqual(t, time.Since(start), tt.most)
				})
			})
		}
	}
}

// answering is an upstream in memory that answers with status, header and body.
type answering func(*http.Request) (int, http.Header, io.Reader)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header, body := f(r)
	if body == nil {
		return nil, errors.New("reset")
	}
	return &http.Response{StatusCode: status, Header: header, Request: r, Body: io.NopCloser(body), ContentLength: -1}, nil
}

// TestEveryWayOutOfABackoff gives the reservation back, whatever ends the wait
// or keeps the next attempt from beginning (RULE-BUDGET-3, RULE-DECIDE-RECHECK).
func TestEveryWayOutOfABackoff(t *testing.T) {
	gone := errors.New("gone")
	occupy := func(u *Upstream, _ context.CancelFunc) { u.bulkhead.places <- struct{}{} }
	for name, tt := range map[string]struct {
		meanwhile func(u *Upstream, cancel context.CancelFunc)
		patience  time.Duration // for a place in the bulkhead
		token     error         // of the second attempt
		open      error         // of the second attempt
		reason    Reason
		state     State
		took      time.Duration
	}{
		"the caller leaves": {meanwhile: func(_ *Upstream, cancel context.CancelFunc) { cancel() },
			reason: PermanentFailure, state: StateCancelled},
		"the upstream is drained": {meanwhile: func(u *Upstream, _ context.CancelFunc) { go func() { _ = u.Drain(context.Background()) }() },
			reason: Draining, state: StateDenied},
		"no token can be had":     {token: gone, reason: PermanentFailure, state: StateDenied, took: 2 * time.Second},
		"the body is gone":        {open: gone, reason: PermanentFailure, state: StateDenied, took: 2 * time.Second},
		"no place becomes free":   {meanwhile: occupy, patience: time.Second, reason: Rejected, state: StateDenied, took: 3 * time.Second},
		"no place before the end": {meanwhile: occupy, reason: DeadlineTooNear, state: StateDenied, took: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var u *Upstream
				budget := &counting{}
				c := contract
				c.MaxConcurrent, c.BulkheadAcquireTimeout = 1, tt.patience
				u, err := NewUpstream(c, "http://pets.test", UpstreamConfig{Budget: budget,
					RoundTripper: answering(func(*http.Request) (int, http.Header, io.Reader) {
						return 503, http.Header{"Retry-After": {"2"}}, http.NoBody
					}),
					Observer: func(e Event) {
						if e.To == StateBackoffWait && tt.meanwhile != nil {
							tt.meanwhile(u, cancel)
						}
					}}, nil)
				require.NoError(t, err)
				second := func(err error) error {
					if budget.reserved == 0 {
						return nil
					}
					return err
				}
				start := time.Now()
				var o Outcome
				_, err = Do(ctx, u, slow(), Request{
					Path: []string{"/pets"},
					Body: Reopen("text/plain", func() (io.ReadCloser, error) { return http.NoBody, second(tt.open) }),
					Auth: AnyOf(AllOf(Bearer("Token", tokenFunc(func(context.Context) (string, error) { return "t", second(tt.token) })))),
				}, readPet, []CallOption{Report(&o)})
				require.Error(t, err)
				require.Len(t, o.Attempts, 1)
				require.Equal(t, tt.reason, o.Reason)
				require.Equal(t, tt.state, o.State)
				require.Equal(t, []int{1, 0, 1}, []int{budget.reserved, budget.committed, budget.cancelled})
				require.Equal(t, tt.took, time.Since(start).Truncate(time.Second))
			})
		})
	}
}
