package journal

import (
	"time"
)

// patience is how long trouble may last before it is logged, and how often while
// it does.
const patience = 10 * time.Second

// watch logs what is in the way of events until it is stopped. It does so beside
// them: a log that is slow must not make a send wait.
func (j *Journal) watch(stop <-chan struct{}) {
	ticks := time.NewTicker(patience)
	defer ticks.Stop()
	var before Stats
	for {
		select {
		case <-ticks.C:
			before = j.report(before)
		case <-stop:
			j.report(before)
			return
		}
	}
}

// report logs what was dropped since, and that Kafka has taken nothing since.
func (j *Journal) report(before Stats) Stats {
	now := j.Stats()
	_, troubles := j.tally.read()
	var dropped []any
	for why, n := range now.Dropped {
		if n > before.Dropped[why] {
			dropped = append(dropped, string(why), n-before.Dropped[why])
		}
	}
	if dropped != nil {
		j.config.Log.Error("lifecycle events were dropped", append(dropped, "cause", troubles.disk)...)
	}
	if j.forwarder != nil && now.Forwarded == before.Forwarded && now.PendingBytes > 0 && before.PendingBytes > 0 {
		j.config.Log.Warn("Kafka takes no lifecycle events: they wait in the journal", "pending_bytes", now.PendingBytes, "cause", troubles.kafka)
	}
	return now
}
