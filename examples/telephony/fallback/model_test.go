package fallback

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQueueIsAMap: whatever sequence of sends, ends, restarts, drains, decisions and
// waits there is, the queue holds what a map would that knows the rules alone; and
// no channel has taken one send twice, or one that may have been executed and that
// nobody released.
func TestQueueIsAMap(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(withoutDeadline{t}, func(r *rapid.T) {
			m := newModel(t, r, filepath.Join(dir, "queue"))
			defer m.end()
			r.Repeat(map[string]func(*rapid.T){
				"":        m.check,
				"begin":   m.begin,
				"done":    m.done,
				"keep":    m.keep,
				"restart": m.restart,
				"drain":   m.drain,
				"resolve": m.resolve,
				"wait":    m.wait,
			})
		})
	})
}

// withoutDeadline hides the test's, which is none of virtual time.
type withoutDeadline struct{ *testing.T }

// model is the rules, in the plainest words, beside a queue.
type model struct {
	t        *testing.T
	path     string
	queue    *Queue
	sends    map[uuid.UUID]*send
	order    []uuid.UUID // as they began
	running  map[uuid.UUID]*Pending
	channels map[string]*inbox
}

type send struct {
	state    State
	class    Class
	effect   Effect
	expires  time.Time
	channel  string
	released bool
}

func newModel(t *testing.T, r *rapid.T, path string) *model {
	m := &model{t: t, path: path, sends: map[uuid.UUID]*send{}, running: map[uuid.UUID]*Pending{},
		channels: map[string]*inbox{"push": newInbox("push"), "mail": newInbox("mail")}}
	m.start(r)
	return m
}

func (m *model) start(r *rapid.T) {
	var err error
	m.queue, err = Open(m.path, Options{Sealer: sealer(m.t), Attesters: attesters, Deliveries: 1, NoSync: true})
	require.NoError(r, err)
	for _, c := range m.channels {
		require.NoError(r, m.queue.Register(c, attest(m.t, c, time.Now().Add(24*time.Hour))))
	}
}

func (m *model) end() {
	_ = m.queue.Close()
	_ = os.Remove(m.path)
}

func (m *model) begin(r *rapid.T) {
	p, err := m.queue.Begin(m.t.Context(), Intent{Key: wholeID, Kind: "login-code"})
	require.NoError(r, err)
	m.order = append(m.order, p.ID())
	m.running[p.ID()] = p
	m.sends[p.ID()] = &send{state: Sending, class: Ambiguous, effect: Unknown}
}

// draw takes a send that is there, or skips.
func (m *model) draw(r *rapid.T) uuid.UUID {
	if len(m.order) == 0 {
		r.Skip("no send")
	}
	return rapid.SampledFrom(m.order).Draw(r, "send")
}

func (m *model) done(r *rapid.T) {
	id := m.draw(r)
	p, ok := m.running[id]
	if !ok {
		r.Skip("it is over")
	}
	require.NoError(r, p.Done())
	require.ErrorIs(r, p.Done(), ErrEnded)
	delete(m.running, id)
	delete(m.sends, id)
	m.order = slices.DeleteFunc(m.order, func(other uuid.UUID) bool { return other == id })
}

func (m *model) keep(r *rapid.T) {
	id := m.draw(r)
	p, ok := m.running[id]
	if !ok {
		r.Skip("it is over")
	}
	f := Failure{
		Class:  rapid.SampledFrom(Classes()).Draw(r, "class"),
		Effect: rapid.SampledFrom([]Effect{NotExecuted, NotExecuted, Unknown, Executed}).Draw(r, "effect"),
	}
	s := m.sends[id]
	s.class, s.effect, s.state = f.Class, f.Effect, Held
	if rapid.Bool().Draw(r, "has code") {
		f.Recipient, f.Code = "user4711", code
		f.Expires = time.Now().Add(time.Duration(rapid.IntRange(-5, 60).Draw(r, "seconds")) * time.Second)
		s.expires = f.Expires
	}
	if f.Effect == NotExecuted && f.Class != Ambiguous {
		s.state = Queued
		if !time.Now().Before(s.expires) {
			s.state = Expired
		}
	}
	require.NoError(r, p.Keep(f))
	delete(m.running, id)
}

func (m *model) restart(r *rapid.T) {
	require.NoError(r, m.queue.Close())
	for id := range m.running {
		m.sends[id].state = Held
		delete(m.running, id)
	}
	m.start(r)
}

// drain lets the channel answer each as it likes, until it fails.
func (m *model) drain(r *rapid.T) {
	c := m.channels[rapid.SampledFrom([]string{"push", "mail"}).Draw(r, "channel")]
	answers := rapid.SliceOfN(rapid.SampledFrom([]string{"takes it", "takes it, and the answer is lost", "is away", "never will"}), 5, 5).Draw(r, "answers")
	given := c.given
	c.answer = func(d Delivery) (bool, error) {
		s := m.sends[d.ID]
		if s == nil || s.state != Queued || !time.Now().Before(s.expires) || s.channel != "" && s.channel != c.name {
			r.Errorf("%s was given %v, which is %+v", c.name, d.ID, s)
			return false, errLost
		}
		s.channel = c.name
		switch answers[(c.given-given)%len(answers)] {
		case "takes it":
			s.state = Delivered
			return true, nil
		case "takes it, and the answer is lost":
			return true, errLost
		case "is away":
			return false, errLost
		}
		s.state = Held
		return false, ErrUndeliverable
	}
	drained, err := m.queue.Drain(m.t.Context(), c.name)
	require.Equal(r, drained.Failed > 0, err != nil)
	if err == nil {
		for id, s := range m.sends {
			mine := s.state == Queued && time.Now().Before(s.expires) && (s.channel == "" || s.channel == c.name)
			require.False(r, mine, "%v was forgotten", id)
		}
	}
}

func (m *model) resolve(r *rapid.T) {
	id := m.draw(r)
	s := m.sends[id]
	d := Decision{Action: rapid.SampledFrom([]Action{Close, Release}).Draw(r, "action"), By: "ann"}
	may := s.state == Held && time.Now().Before(s.expires)
	if d.Action == Close {
		may = s.state == Queued || s.state == Held || s.state == Expired
	}
	err := m.queue.Resolve(id, d)
	require.Equal(r, may, err == nil, "%v of what is %s", d.Action, s.state)
	switch {
	case err != nil:
	case d.Action == Close:
		s.state = Resolved
	default:
		s.state, s.effect, s.channel, s.released = Queued, NotExecuted, "", true
	}
}

func (m *model) wait(r *rapid.T) {
	time.Sleep(time.Duration(rapid.IntRange(2, 20).Draw(r, "seconds"))*time.Second + sweepInterval/2)
	synctest.Wait()
}

// check compares, after each step. Codes that ran out meanwhile are swept up to a
// second later.
func (m *model) check(r *rapid.T) {
	require.NoError(r, m.queue.sweep())
	found := all(r, m.queue)
	require.Len(r, found, len(m.sends))
	for id, s := range m.sends {
		if s.state == Queued && !time.Now().Before(s.expires) {
			s.state = Expired
		}
		got := found[id]
		require.Equal(r, s.state, got.State)
		require.Equal(r, s.class, got.Class)
		require.Equal(r, s.effect, got.Effect)
		require.Equal(r, s.channel, got.Channel)
		e, err := m.queue.find(id)
		require.NoError(r, err)
		waits := (s.state == Queued || s.state == Held) && time.Now().Before(s.expires)
		require.Equal(r, waits, e.Message != nil, "a code is there as long as it may be delivered, and no longer: %+v", e.Record)
	}
	for name, c := range m.channels {
		for id := range c.taken {
			s := m.sends[id]
			require.True(r, s.effect == NotExecuted && (s.class != Ambiguous || s.released), "%s has taken %+v", name, s)
		}
	}
}
