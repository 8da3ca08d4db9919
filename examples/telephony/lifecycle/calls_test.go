package lifecycle_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/examples/telephony/sms/smstest"
	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// provider is a fake in memory that sends every message.
func provider(t *testing.T) *smstest.Server {
	p := smstest.NewWith(t, retrytest.Config{InMemory: true})
	p.SendMessage.Answer(smstest.SendMessage201(sms.Message{ID: "m-1", Status: sms.MessageStatusQueued}))
	return p
}

func login(n int) sms.NewMessage {
	return sms.NewMessage{UserID: fmt.Sprint("u", n), LoginSessionID: "s1", To: "+4915112345678", Text: "Your code is 123456"}
}

// faults are what an attempt may meet, with and without the message being sent.
var faults = []retrytest.Fault{
	retrytest.Status(http.StatusTooManyRequests),
	retrytest.Status(http.StatusTooManyRequests, "Retry-After", "1"),
	retrytest.Status(http.StatusTooManyRequests, "Retry-After", "60"),
	retrytest.Status(http.StatusTooManyRequests, "Retry-After", "soon"),
	retrytest.Status(http.StatusServiceUnavailable),
	retrytest.Status(http.StatusGatewayTimeout),
	retrytest.Status(http.StatusBadGateway),
	retrytest.Status(http.StatusInternalServerError),
	retrytest.Status(http.StatusNotFound),
	retrytest.Status(http.StatusUnauthorized),
	retrytest.LoseAnswer(),
	retrytest.ResetAnswer(),
	retrytest.Hang(),
	retrytest.CutBody(http.StatusCreated),
	retrytest.MalformedJSON(http.StatusCreated),
	retrytest.MalformedStatusLine(),
}

// TestConcurrentCalls: 5,000 calls at once over whatever can go wrong make no
// illegal transition, each has one end, and none is left behind.
func TestConcurrentCalls(t *testing.T) {
	const calls = 5000
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		p := provider(t)
		for range 2 * calls {
			switch fault := faults[random.IntN(len(faults))]; random.IntN(4) {
			case 0:
				p.SendMessage.Before(fault)
			case 1:
				p.SendMessage.After(fault)
			default:
				p.SendMessage.Pass(1)
			}
		}
		for range 200 {
			p.Connect(retrytest.RefuseConnection(), retrytest.DropConnection(), retrytest.CloseUnread())
		}

		var mu sync.Mutex
		events := map[string][]lifecycle.Event{}
		ids := map[string]bool{}
		observer := lifecycle.NewObserver(func(e lifecycle.Event) {
			mu.Lock()
			defer mu.Unlock()
			_, id, _ := strings.Cut(e.Call, "-")
			events[id] = append(events[id], e)
			ids[e.ID] = true
		}, slog.Default())
		budget, err := runtime.NewLedger(0.5, time.Minute, runtime.DepositRequest, 100)
		require.NoError(t, err)
		client := p.Client(sms.Config{Upstream: runtime.UpstreamConfig{Observer: observer.Observe, Budget: budget}})

		outcomes := make([]runtime.Outcome, calls)
		var running sync.WaitGroup
		for n := range calls {
			message, patience := login(n), time.Minute
			switch random.IntN(20) {
			case 0:
				message.LoginSessionID = ""
			case 1, 2:
				patience = time.Duration(random.IntN(500)) * time.Millisecond
			}
			running.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				defer time.AfterFunc(patience, cancel).Stop()
				_, _ = client.SendMessage(ctx, message, runtime.Report(&outcomes[n])) //retryvet:ignore the outcome is looked at
			})
		}
		running.Wait()

		require.Zero(t, observer.Illegal())
		require.Zero(t, observer.Open())
		require.Len(t, events, calls)
		ends, total := map[lifecycle.State]int{}, 0
		for _, o := range outcomes {
			history := events[o.CallID.String()]
			total += len(history)
			requireWhole(t, history, &o)
			ends[history[len(history)-1].To]++
		}
		require.Len(t, ids, total, "no two events have one id")
		for _, end := range []lifecycle.State{lifecycle.StateDispatched, lifecycle.StateBudgetExhausted, lifecycle.StateTerminalExhausted,
			lifecycle.StateAmbiguous, lifecycle.StateRejected, lifecycle.StateCancelled} {
			require.NotZero(t, ends[end], "no call has ended %s: %v", end, ends)
		}
		t.Log(ends)
	})
}

// requireWhole demands a history that begins, goes on where it was, and ends once,
// as the outcome says.
func requireWhole(t *testing.T, history []lifecycle.Event, o *runtime.Outcome) {
	at, attempts, tokens := lifecycle.StateSubmitted, 0, 0
	for i, e := range history {
		require.Equal(t, at, e.From)
		require.Equal(t, i+1, e.Sequence)
		require.Equal(t, i == len(history)-1, e.To.Terminal())
		at = e.To
		if e.To == lifecycle.StateAttempting {
			attempts++
		}
		if e.TokenTaken {
			tokens++
		}
	}
	require.Len(t, o.Attempts, attempts)
	require.LessOrEqual(t, attempts, lifecycle.MaxAttempts)
	require.Equal(t, lifecycle.Classify(o).ConsumedBudget, tokens)
	last := history[len(history)-1]
	require.Equal(t, []string{o.Reason.String(), o.Effect.String()}, []string{last.Reason, last.Effect})
}
