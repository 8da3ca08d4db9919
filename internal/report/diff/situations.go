package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// copies set a value of a contract as another has it. They are the values that
// change what is decided of a situation; all others change when, and how long.
var copies = map[string]func(to, from *runtime.Operation){
	report.Idempotent:    func(to, from *runtime.Operation) { to.Idempotency = from.Idempotency },
	report.Replayability: func(to, from *runtime.Operation) { to.Replayability = from.Replayability },
	report.Transient500:  func(to, from *runtime.Operation) { to.Transient500 = from.Transient500 },
	report.Transient:     func(to, from *runtime.Operation) { to.TransientStatuses = from.TransientStatuses },
	report.Statuses:      func(to, from *runtime.Operation) { to.DeniedStatuses = from.DeniedStatuses },
	report.MaxAttempts:   func(to, from *runtime.Operation) { to.MaxAttempts = from.MaxAttempts },
	report.RetryAfterMax: func(to, from *runtime.Operation) { to.RetryAfterMax = from.RetryAfterMax },
	report.Malformed:     func(to, from *runtime.Operation) { to.RetryAfterMalformed = from.RetryAfterMalformed },
}

// flip is a situation that is decided otherwise.
type flip struct {
	row      report.Row
	attempt  int
	from, to runtime.Verdict
	keys     []string // of the values that are the cause
}

// verdict is what is decided of a situation where time does not matter: what
// lasts how long is compared by its values.
func verdict(op *runtime.Operation, row report.Row, attempt int) runtime.Verdict {
	if row.Succeeded() {
		return runtime.Denied // nothing is decided
	}
	s := row.After(op, attempt)
	s.Remaining = runtime.Unlimited
	return runtime.Decide(op, &s).Verdict
}

// flips are all situations in which two contracts differ, each with the values,
// of those that differ, that are the cause.
func flips(old, new *runtime.Operation, keys []string) (list []flip) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return copies[key] == nil })
	if len(keys) == 0 {
		return nil
	}
	for _, row := range report.Rows(old, new) {
		for attempt := 1; attempt <= max(old.MaxAttempts, new.MaxAttempts, 1); attempt++ {
			f := flip{row: row, attempt: attempt, from: verdict(old, row, attempt), to: verdict(new, row, attempt)}
			if f.from != f.to {
				f.keys = f.causes(old, new, keys)
				list = append(list, f)
			}
		}
	}
	return list
}

// causes are the values without which the situation would be decided as before,
// or which alone decide it as now; all where none is so.
func (f *flip) causes(old, new *runtime.Operation, keys []string) []string {
	causes := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		without, alone := *new, *old
		copies[key](&without, old)
		copies[key](&alone, new)
		return verdict(&without, f.row, f.attempt) == f.to && verdict(&alone, f.row, f.attempt) != f.to
	})
	if len(causes) == 0 {
		return keys
	}
	return causes
}

var verdicts = map[runtime.Verdict]string{runtime.Permit: "repeated", runtime.Denied: "denied", runtime.Ambiguous: "ambiguous"}

func (f *flip) class() Class {
	switch {
	case f.to == runtime.Permit:
		return Loosened
	case f.from == runtime.Permit:
		return Tightened
	}
	return Neutral
}

// flipEffects tell the situations of which a value is a cause, those with the
// same answers together.
func flipEffects(list []flip, key string) (effects []Effect) {
	for _, class := range classes {
		for _, from := range []runtime.Verdict{runtime.Permit, runtime.Ambiguous, runtime.Denied} {
			for _, to := range []runtime.Verdict{runtime.Permit, runtime.Ambiguous, runtime.Denied} {
				var names []string
				for _, f := range list {
					if f.class() == class && f.from == from && f.to == to && slices.Contains(f.keys, key) && !slices.Contains(names, f.row.Name()) {
						names = append(names, f.row.Name())
					}
				}
				if len(names) > 0 {
					effects = append(effects, Effect{class, sentence(report.Plainest(names), from, to)})
				}
			}
		}
	}
	return effects
}

func sentence(names []string, from, to runtime.Verdict) string {
	was, is := "was "+verdicts[from], "is now "+verdicts[to]
	if to == runtime.Permit {
		is = "may now be repeated"
	}
	if from == runtime.Permit {
		was = "could be repeated"
	}
	return fmt.Sprintf("After %s, a request %s; it %s before.", strings.Join(names, ", "), is, was)
}
