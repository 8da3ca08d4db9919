package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// patience is how long a run may take before it says what it does.
const patience = time.Second

// progress is a line on a terminal that says what a long run does. A nil
// progress prints nothing.
type progress struct {
	w       io.Writer
	stopped chan struct{}
	done    sync.WaitGroup

	mu      sync.Mutex
	current string
	started time.Time
}

// progressOn is a progress on a terminal, unless its user wants quiet.
func progressOn(w io.Writer, quiet bool) *progress {
	if quiet || !terminal(w) {
		return nil
	}
	return startProgress(w)
}

// startProgress shows a line from the time on that a run takes long. Call stop
// before anything else is printed.
func startProgress(w io.Writer) *progress {
	p := &progress{w: w, stopped: make(chan struct{}), started: time.Now()}
	p.done.Go(p.show)
	return p
}

// terminal reports whether w is one that understands to erase a line.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step says what the run does now.
func (p *progress) step(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = text
}

// stop erases the line.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.stopped)
	p.done.Wait()
}

const eraseLine = "\r\x1b[K"

func (p *progress) show() {
	ticker := time.NewTicker(patience)
	defer ticker.Stop()
	shown := false
	for {
		select {
		case <-p.stopped:
			if shown {
				fmt.Fprint(p.w, eraseLine)
			}
			return
		case <-ticker.C:
			shown = true
			p.mu.Lock()
			fmt.Fprintf(p.w, "%s%s (%.0f s)", eraseLine, source.Printable(p.current), time.Since(p.started).Seconds())
			p.mu.Unlock()
		}
	}
}
