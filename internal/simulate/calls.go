package simulate

import (
	"container/heap"
	"time"
)

// call is a call of a process, with the one event that is next in its life.
type call struct {
	process         int
	begun           time.Duration
	attempts        int
	first           int           // of them, among those of the meter
	opened          bool          // an attempt has sent of the body
	doubtful        bool          // nobody can know what an attempt has done
	repeatedInDoubt bool          // repeated all the same, though doing it twice is not as once
	delay           time.Duration // before the attempt at hand

	at       time.Duration // of the event
	order    int           // among events of one instant
	answered bool          // the event ends an attempt; else one begins
	answer   answer
}

// calls are those under way, in a heap by their events.
type calls struct {
	heap   byTime
	events int
}

// schedule lets an event of a call happen.
func (q *calls) schedule(c *call, at time.Duration) {
	q.events++
	c.at, c.order = at, q.events
	heap.Push(&q.heap, c)
}

// next is the call whose event is the next, which is taken out; nil where there is
// none before the limit.
func (q *calls) next(limit time.Duration) *call {
	if len(q.heap) == 0 || q.heap[0].at > limit {
		return nil
	}
	return heap.Pop(&q.heap).(*call)
}

type byTime []*call

func (h byTime) Len() int { return len(h) }
func (h byTime) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h byTime) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byTime) Push(c any)   { *h = append(*h, c.(*call)) }
func (h *byTime) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return c
}
