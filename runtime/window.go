package runtime

import "time"

// window counts over a trailing span of time, in buckets. It rounds against the
// caller (RULE-BUDGET-4): what earns is summed over the buckets that lie within
// the span whatever the instant, retries over all that it may touch.
type window struct {
	floor  int64 // retries that need not be earned
	width  time.Duration
	inside int64 // buckets within the span, the current one included

	ring    []bucket // those that the span may touch
	current *bucket  // the newest of them
	number  int64    // its number, counted from the epoch
	end     time.Duration

	primaries, successes int64 // over the inside
	retries              int64 // over the ring
}

type bucket struct {
	primaries, successes, retries int64
}

func (w *window) init(span time.Duration, buckets int, floor int) {
	w.floor = int64(floor)
	w.width = span / time.Duration(buckets)
	w.inside = int64(span / w.width)
	touched := (span+w.width-1)/w.width + 1
	w.ring = make([]bucket, touched)
	w.current = &w.ring[0]
	w.end = w.width
}

// at is the bucket of a number, which is at most len(w.ring) below 0.
func (w *window) at(number int64) *bucket {
	size := int64(len(w.ring))
	return &w.ring[(number+size)%size]
}

// bucketAt is the current bucket, or nil for a time stamp that came too late to
// fall into it: not counted at all is safe, counted for too long is not
// (RULE-BUDGET-5).
func (w *window) bucketAt(now time.Duration) *bucket {
	w.advance(now)
	if now < w.end-w.width {
		return nil
	}
	return w.current
}

// addRetry counts a retry in the current bucket: one that comes late counts the
// longer.
func (w *window) addRetry() {
	w.current.retries++
	w.retries++
}

// advance makes the bucket of a time stamp the current one, unless a later one
// is.
func (w *window) advance(now time.Duration) {
	if now >= w.end {
		w.turn(now)
	}
}

// turn drops the buckets that the span has left behind. They are reused.
func (w *window) turn(now time.Duration) {
	number := int64(now / w.width)
	w.end = time.Duration(number+1) * w.width
	if number-w.number >= int64(len(w.ring)) { // all have left
		clear(w.ring)
		w.primaries, w.successes, w.retries = 0, 0, 0
		w.number = number - 1
	}
	for w.number < number {
		w.number++
		left := w.at(w.number - w.inside)
		w.primaries -= left.primaries
		w.successes -= left.successes
		w.current = w.at(w.number)
		w.retries -= w.current.retries
		*w.current = bucket{}
	}
}
