package lint

import (
	"strings"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
)

// maxKey is the most bytes that a key may have (RULE-KEY-VALUES).
const maxKey = 255

func keyWithoutRetention(op *spec.Operation, say say) {
	if c := op.Contract; c.Idempotency.V == spec.IdempotentByKey && c.Key.Retention.V == 0 {
		say(c.Idempotency.Pos, "the key has no retention, so nobody knows how long it protects")
	}
}

// shortRetention: the provider may forget the key while the call goes on.
func shortRetention(op *spec.Operation, say say) {
	c := op.Contract
	if kept := c.Key.Retention; kept.V > 0 && c.MaxAttempts.V > 1 && kept.V <= c.Deadline.V {
		say(kept.Pos, "the provider forgets the key after %s, and the call may go on for %s", report.Duration(kept.V), report.Duration(c.Deadline.V))
	}
}

func randomKey(op *spec.Operation, say say) {
	if c := op.Contract; c.Idempotency.V == spec.IdempotentByKey && c.Key.Template.V == "" {
		say(c.Idempotency.Pos, "the key has no template: each call draws another one, also the call that a restarted program makes again")
	}
}

// keyLength looks for keys that may be too long: a call that has one is refused
// when it is made.
func keyLength(op *spec.Operation, say say) {
	key := op.Contract.Key
	longest := 0
	for _, part := range key.Parts {
		most, bounded := longestPart(part)
		if !bounded {
			say(key.Template.Pos, "{%s} has no maxLength, and a key has %d bytes at most", partName(part), maxKey)
			return
		}
		longest += most
	}
	if longest > maxKey {
		say(key.Template.Pos, "the key can have %d bytes; %d are permitted", longest, maxKey)
	}
}

// longestPart is the most bytes that a part of a key can have, if that is known.
func longestPart(part spec.KeyPart) (int, bool) {
	ref := partType(part)
	if ref == nil || ref.Type == nil {
		return len(part.Literal), true
	}
	t := ref.Type
	switch {
	case t.Kind == spec.Enum:
		most := 0
		for _, value := range t.Values {
			most = max(most, len(strings.Trim(value.Literal, `"`)))
		}
		return most, true
	case t.Go != "string":
		return len("-9223372036854775808"), true
	case t.Rules.MaxLength != nil:
		return *t.Rules.MaxLength, true
	}
	return 0, false
}

func partType(part spec.KeyPart) *spec.Ref {
	switch {
	case part.Param != nil:
		return part.Param.Type
	case len(part.Fields) > 0:
		return part.Fields[len(part.Fields)-1].Type
	}
	return nil
}

func partName(part spec.KeyPart) string {
	if part.Param != nil {
		return part.Param.Name.Wire
	}
	names := make([]string, len(part.Fields))
	for i, f := range part.Fields {
		names[i] = f.Name.Wire
	}
	return strings.Join(names, ".")
}
