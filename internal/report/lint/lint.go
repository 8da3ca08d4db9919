// Package lint finds what is wrong, contradictory or risky in a document and its
// annotations, before it becomes a client or afterwards: it reads the IR that the
// client is made of, and the document where the IR does not hold what a rule needs.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Severity is how much a finding counts.
type Severity string

const (
	Error   Severity = "error"   // wrong, or refused by generate
	Warning Severity = "warning" // probably not what is meant
	Info    Severity = "info"    // worth knowing
)

// Finding is one thing that a rule has found.
type Finding struct {
	Rule       *Rule
	Pos        source.Pos
	Message    string
	Fix        string   // how to mend it
	Operations []string // that it is about, by their ids; empty where it is about none
	Reason     string   // of a finding that is ignored: why
}

// Text is the message with the operations that it is about.
func (f Finding) Text() string {
	const most = 3
	switch n := len(f.Operations); {
	case n == 0:
		return f.Message
	case n == 1:
		return fmt.Sprintf("operation %q: %s", f.Operations[0], f.Message)
	case n > most+1:
		return fmt.Sprintf("operations %s and %d more: %s", quoted(f.Operations[:most]), n-most, f.Message)
	}
	return fmt.Sprintf("operations %s: %s", quoted(f.Operations), f.Message)
}

func quoted(words []string) string {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(shown, ", ")
}

// Report is what lint has to say; both lists are sorted by position.
type Report struct {
	Findings []Finding
	Ignored  []Finding // with a Reason
}

// Count is the number of findings of a severity.
func (r Report) Count(severity Severity) (n int) {
	for _, f := range r.Findings {
		if f.Rule.Severity == severity {
			n++
		}
	}
	return n
}

// Options say what is looked at.
type Options struct {
	Strict bool // report mistakes that no client depends on
	Part   bool // the document was read in part: what is ignored elsewhere is not judged
}

// Run applies all rules to a document.
func Run(in *spec.Inspection, options Options) Report {
	c := collector{about: map[string]source.Pos{}}
	c.faults(in, options)
	for i := range rules {
		c.apply(&rules[i], in)
	}
	ignores := findIgnores(in.Documents, &c)
	var report Report
	report.Findings, report.Ignored = ignores.split(c.found, c.about)
	if !options.Part {
		report.Findings = append(report.Findings, ignores.unused(options)...)
	}
	return Merge([]Report{report})
}

// collector gathers findings. Each is about one operation at most.
type collector struct {
	found []Finding
	about map[string]source.Pos // where operations begin, by their ids
}

// add reports a finding; what it quotes may be a secret.
func (c *collector) add(f Finding) {
	f.Message = redacted(f.Message)
	f.Fix = cmp.Or(sentence(redacted(f.Fix)), f.Rule.Fix)
	c.found = append(c.found, f)
}

// sentence is a way out as a diagnostic has it, like those of rules.
func sentence(fix string) string {
	if fix == "" {
		return ""
	}
	fix = strings.ToUpper(fix[:1]) + fix[1:]
	if !strings.ContainsAny(fix[len(fix)-1:], ".?") {
		fix += "."
	}
	return fix
}

// faults are what generate says itself.
func (c *collector) faults(in *spec.Inspection, options Options) {
	for _, one := range slices.Concat(in.Faults, others(misplaced(in.Documents), in.Faults)) {
		rule := ruleNamed(cmp.Or(one.Rule, notGenerated))
		c.add(Finding{Rule: rule, Pos: one.Pos, Message: one.Message, Fix: one.Fix})
	}
	if !options.Strict {
		return
	}
	for _, one := range in.Mistakes {
		c.add(Finding{Rule: ruleNamed(cmp.Or(one.Rule, source.RuleUntidyDocument)), Pos: one.Pos, Message: one.Message, Fix: one.Fix})
	}
}

// others are the diagnostics that are not known yet, perhaps in other words.
func others(found, known source.Diagnostics) source.Diagnostics {
	type mistake struct {
		rule string
		pos  source.Pos
	}
	seen := map[mistake]bool{}
	for _, one := range known {
		seen[mistake{one.Rule, one.Pos}] = true
	}
	return slices.DeleteFunc(found, func(one source.Diagnostic) bool { return seen[mistake{one.Rule, one.Pos}] })
}

// apply applies a rule to the document and to each operation.
func (c *collector) apply(rule *Rule, in *spec.Inspection) {
	if rule.document != nil {
		rule.document(in, func(pos source.Pos, format string, args ...any) {
			c.add(Finding{Rule: rule, Pos: pos, Message: fmt.Sprintf(format, args...)})
		})
	}
	if rule.operation == nil {
		return
	}
	for _, op := range in.API.Operations {
		c.about[op.Name.Wire] = op.Pos
		unwritten := op.Pos
		if rule.root {
			unwritten = rootPos(in.Documents)
		}
		rule.operation(op, func(pos source.Pos, format string, args ...any) {
			c.add(Finding{Rule: rule, Pos: cmp.Or(pos, unwritten), Message: fmt.Sprintf(format, args...), Operations: []string{op.Name.Wire}})
		})
	}
}

// Merge is several reports as one: what they say of the same place in the same
// words is said once, with all operations that it is about.
func Merge(reports []Report) (all Report) {
	for _, r := range reports {
		all.Findings = append(all.Findings, r.Findings...)
		all.Ignored = append(all.Ignored, r.Ignored...)
	}
	return Report{merged(all.Findings), merged(all.Ignored)}
}

func merged(found []Finding) (all []Finding) {
	slices.SortStableFunc(found, compare)
	for _, f := range found {
		last := len(all) - 1
		if last < 0 || compare(all[last], f) != 0 {
			all = append(all, f)
			continue
		}
		operations := slices.Concat(all[last].Operations, f.Operations)
		slices.Sort(operations)
		all[last].Operations = slices.Compact(operations)
	}
	return all
}

func compare(a, b Finding) int {
	return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Rule.Name, b.Rule.Name), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Reason, b.Reason))
}
