package lint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// KeyIgnore is the extension that ignores findings on an element and below it.
const KeyIgnore = "x-retrygen-ignore"

// directive is what a comment begins with that ignores findings on a line.
const directive = "retrygen:ignore"

// ignore is one wish to ignore the findings of a rule.
type ignore struct {
	rule   *Rule
	reason string
	pos    source.Pos
	covers func(source.Pos) bool
	used   bool
}

type ignores []*ignore

// findIgnores reads all comments and extensions that ignore findings; those that
// cannot are findings.
func findIgnores(docs *source.Documents, c *collector) ignores {
	r := ignoreReader{collector: c}
	for _, comment := range docs.Comments {
		r.comment(comment)
	}
	elements(docs, func(e element) {
		if key, value := source.Member(e.node, KeyIgnore); key != nil {
			r.extension(e, key, value)
		}
	})
	return r.read
}

type ignoreReader struct {
	collector *collector
	read      ignores
}

func (r *ignoreReader) bad(pos source.Pos, message string) {
	r.collector.add(Finding{Rule: ruleNamed(badIgnore), Pos: pos, Message: message})
}

// comment reads retrygen:ignore RULE: REASON.
func (r *ignoreReader) comment(comment source.Comment) {
	rest, ok := strings.CutPrefix(comment.Text, directive+" ")
	if !ok {
		r.bad(comment.Pos, "a comment begins with retrygen: and is not understood; expected "+directive+" RULE: REASON")
		return
	}
	rule, reason, _ := strings.Cut(rest, ":")
	about := source.Pos{File: comment.Pos.File, Line: comment.Line}
	r.add(strings.TrimSpace(rule), strings.TrimSpace(reason), comment.Pos, func(pos source.Pos) bool {
		return pos.File == about.File && pos.Line == about.Line
	})
}

// extension reads [{rule, reason}].
func (r *ignoreReader) extension(e element, key, value *yaml.Node) {
	if value.Kind != yaml.SequenceNode {
		r.bad(e.at(key), KeyIgnore+" is "+source.KindName(value)+"; expected a list of {rule, reason}")
		return
	}
	below := positions(e)
	for _, item := range value.Content {
		words := map[string]string{}
		for name, word := range source.Members(item) {
			if (name.Value != "rule" && name.Value != "reason") || word.Kind != yaml.ScalarNode {
				r.bad(e.at(name), "unexpected "+name.Value+" in "+KeyIgnore+"; expected rule and reason, both texts")
			}
			words[name.Value] = word.Value
		}
		r.add(words["rule"], strings.TrimSpace(words["reason"]), e.at(item), func(pos source.Pos) bool { return below[pos] })
	}
}

// positions are those of an element and of all below it.
func positions(e element) map[source.Pos]bool {
	all := map[source.Pos]bool{}
	if e.key != nil {
		all[e.at(e.key)] = true
	}
	var walk func(*yaml.Node)
	walk = func(node *yaml.Node) {
		all[e.at(node)] = true
		for _, child := range node.Content {
			walk(child)
		}
	}
	walk(e.node)
	return all
}

func (r *ignoreReader) add(name, reason string, pos source.Pos, covers func(source.Pos) bool) {
	rule := ruleNamed(name)
	switch {
	case name == "":
		r.bad(pos, "no rule is named")
	case rule == nil:
		message := "there is no rule " + name
		if meant := source.DidYouMean(name, RuleNames(), ""); meant != "" {
			message += "; " + meant
		}
		r.bad(pos, message)
	case rule.Fixed:
		r.bad(pos, rule.Name+" cannot be ignored")
	case reason == "":
		r.bad(pos, "no reason is given to ignore "+rule.Name)
	default:
		r.read = append(r.read, &ignore{rule: rule, reason: reason, pos: pos, covers: covers})
	}
}

// split takes the findings out that are ignored: by where they are, or by where
// the operation is that they are about.
func (all ignores) split(found []Finding, about map[string]source.Pos) (kept, ignored []Finding) {
	for _, f := range found {
		places := []source.Pos{f.Pos}
		for _, op := range f.Operations {
			places = append(places, about[op])
		}
		if by := all.covering(f.Rule, places); by != nil {
			f.Reason = redacted(by.reason)
			ignored = append(ignored, f)
			continue
		}
		kept = append(kept, f)
	}
	return kept, ignored
}

// covering is the first wish that covers a finding; all that do are of use.
func (all ignores) covering(rule *Rule, places []source.Pos) (first *ignore) {
	for _, i := range all {
		if i.rule != rule || !slices.ContainsFunc(places, i.covers) {
			continue
		}
		i.used = true
		if first == nil {
			first = i
		}
	}
	return first
}

// unused are the wishes that no finding is behind any more. Rules that were not
// applied say nothing.
func (all ignores) unused(options Options) (found []Finding) {
	rule := ruleNamed(unusedIgnore)
	for _, i := range all {
		if !i.used && (options.Strict || !i.rule.Strict) {
			found = append(found, Finding{Rule: rule, Pos: i.pos, Message: "nothing here breaks " + i.rule.Name, Fix: rule.Fix})
		}
	}
	return found
}
