package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/internal/simulate"
)

// faultsFlag are faults of a drill, as flags name them. One with To 0 is there all
// the time.
type faultsFlag []simulate.Fault

const (
	faultStart  = 10 * time.Second // of one that does not say when it begins
	longestSpan = 24 * time.Hour
)

func (f *faultsFlag) Type() string { return "FAULT" }

func (f *faultsFlag) String() string {
	if len(*f) == 0 {
		return ""
	}
	return fmt.Sprintf("%d faults", len(*f))
}

// Set reads STATUS:SHARE%:DURATION@START.
func (f *faultsFlag) Set(text string) error {
	fault, err := parseFault(text)
	if err != nil {
		return fmt.Errorf("%w; expected STATUS:SHARE%%:DURATION@START, as in 429:60%%:45s, timeout:30%%:20s@5s or refused:100%%:45s", err)
	}
	*f = append(*f, fault)
	return nil
}

func parseFault(text string) (f simulate.Fault, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return f, errors.New("a fault has two or three parts, with colons between them")
	}
	switch parts[0] {
	case "timeout":
		f.Kind = simulate.TimeoutFault
	case "refused":
		f.Kind = simulate.RefusedFault
	default:
		if f.Status, err = strconv.Atoi(parts[0]); err != nil || f.Status < 400 || f.Status > 599 {
			return f, fmt.Errorf("%q is neither a status from 400 to 599, nor timeout or refused", parts[0])
		}
	}
	share, percent := strings.CutSuffix(parts[1], "%")
	f.Share, err = strconv.ParseFloat(share, 64)
	if f.Share /= 100; err != nil || !percent || !(f.Share > 0 && f.Share <= 1) {
		return f, fmt.Errorf("%q is not a share of more than 0%% and up to 100%%", parts[1])
	}
	if len(parts) == 2 {
		return f, nil
	}
	duration, start, delayed := strings.Cut(parts[2], "@")
	f.From = faultStart
	if delayed {
		if f.From, err = time.ParseDuration(start); err != nil || f.From < 0 || f.From > longestSpan {
			return f, fmt.Errorf("the start %q is not a duration from 0s to 24h, such as 5s", start)
		}
	}
	lasts, err := time.ParseDuration(duration)
	if err != nil || lasts <= 0 || lasts > longestSpan {
		return f, fmt.Errorf("%q is not a duration of more than 0s and up to 24h, such as 45s", duration)
	}
	f.To = f.From + lasts
	return f, nil
}

// end is when the last of them ends.
func (f faultsFlag) end() (end time.Duration) {
	for _, fault := range f {
		end = max(end, fault.To)
	}
	return end
}

// within are the faults of a drill of a length.
func (f faultsFlag) within(length time.Duration) (faults []simulate.Fault) {
	for _, fault := range f {
		if fault.To == 0 {
			fault.To = length
		}
		faults = append(faults, fault)
	}
	return faults
}

// latencyFlag is how long an answer takes: 25ms, or 20ms-30ms.
type latencyFlag struct{ least, most time.Duration }

func (l *latencyFlag) Type() string { return "LEAST-MOST" }

func (l *latencyFlag) String() string { return l.least.String() + "-" + l.most.String() }

func (l *latencyFlag) Set(text string) error {
	least, most, both := strings.Cut(text, "-")
	if !both {
		most = least
	}
	var errs [2]error
	l.least, errs[0] = time.ParseDuration(least)
	l.most, errs[1] = time.ParseDuration(most)
	if errors.Join(errs[:]...) != nil || l.least < 0 || l.most < l.least {
		return errors.New("expected a duration, or a smaller and a larger one, as in 20ms-30ms")
	}
	return nil
}

// capacityFlag is how much the upstream works on: 1500:429, or 1500:queue.
type capacityFlag simulate.Capacity

func (c *capacityFlag) Type() string { return "RATE:429" }

func (c *capacityFlag) String() string {
	switch {
	case c.Rate == 0:
		return ""
	case c.Status == 0:
		return fmt.Sprintf("%d:queue", c.Rate)
	}
	return fmt.Sprintf("%d:%d", c.Rate, c.Status)
}

func (c *capacityFlag) Set(text string) error {
	rate, more, _ := strings.Cut(text, ":")
	status := map[string]int{"queue": 0, "429": 429, "503": 503}
	var known bool
	var err error
	c.Status, known = status[more]
	if c.Rate, err = strconv.Atoi(rate); err != nil || c.Rate < 1 || !known {
		return errors.New("expected requests per second and what happens to more, as in 1500:429, 1500:503 or 1500:queue")
	}
	return nil
}
