package lifecycle

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/retrygen/retrygen/runtime"
)

// Observer publishes the transitions of a client's calls. Make one for each
// client: the runtime's ids tell the calls of one client apart.
//
// A transition that the table forbids halts the call: the event is not published,
// and neither is any later one of the call, so that nobody downstream takes an
// impossible history for a true one. It is logged as an error and counted. The
// process goes on: the call itself is the runtime's, whose own table fails a call
// that would leave it before anything more is sent (runtime.TransitionError), and
// other calls have done nothing wrong. A count above 0 is a fault of the software
// and worth an alarm.
//
// The observer knows the calls that are on their way and no others: what has ended
// or was halted is forgotten, and only a new call can begin.
type Observer struct {
	publish  func(Event)
	log      *slog.Logger
	instance string

	mu      sync.Mutex
	open    map[runtime.CallID]position
	illegal int
}

// NewObserver makes an observer of one client. publish must be quick and safe for
// concurrent use; the events of one call come in their order.
func NewObserver(publish func(Event), log *slog.Logger) *Observer {
	return &Observer{publish: publish, log: log, instance: rand.Text(), open: map[runtime.CallID]position{}}
}

// Observe is the Observer of a [runtime.UpstreamConfig].
func (o *Observer) Observe(e runtime.Event) {
	event, err := o.step(e)
	if err != nil {
		o.log.Error("illegal transition: the call is halted", "call", event.Call, "operation", e.Operation,
			"from", event.From, "to", event.To, "cause", err)
		return
	}
	o.publish(event)
}

func (o *Observer) step(e runtime.Event) (Event, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, known := o.open[e.CallID]
	if !known {
		at.state = StateSubmitted
	}
	event := newEvent(o.instance, at.events+1, e)
	err := at.check(event)
	switch {
	case err != nil:
		o.illegal++
		delete(o.open, e.CallID)
	case event.To.Terminal():
		delete(o.open, e.CallID)
	default:
		o.open[e.CallID] = position{event.To, event.Attempt, event.Sequence}
	}
	return event, err
}

// Open is the number of calls on their way.
func (o *Observer) Open() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

// Illegal is the number of events that were refused.
func (o *Observer) Illegal() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.illegal
}

// position is where a call is. That of a call which is not known is SUBMITTED.
type position struct {
	state    State
	attempts int // begun so far
	events   int
}

// check tells why a call may not go from its position as the event says.
func (p position) check(e Event) error {
	begun := p.attempts
	if e.To == StateAttempting {
		begun++
	}
	switch {
	case e.From != p.state && p.events == 0:
		return fmt.Errorf("no such call is open, and a new one begins with %s", StateSubmitted)
	case e.From != p.state:
		return fmt.Errorf("the call is in state %s", p.state)
	case !slices.Contains(successors[e.From], e.To):
		return fmt.Errorf("the table has no such transition")
	case e.Attempt != begun:
		return fmt.Errorf("attempt %d is counted where attempt %d is due", e.Attempt, begun)
	case e.To == StateBackoffWait && e.Attempt >= MaxAttempts:
		return fmt.Errorf("no attempt may follow attempt %d", e.Attempt)
	}
	return nil
}
