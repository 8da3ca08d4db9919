package suggest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/retrygen/retrygen/internal/report"
)

// Overlay is the suggestion as an OpenAPI overlay, an action a line. Those that only
// a method speaks for are comments: nothing is repeated more often before somebody
// has looked.
func (s Suggestion) Overlay() []byte {
	var o overlay
	o.head(s)
	for _, op := range s.Operations {
		o.operation(op)
	}
	return []byte(o.b.String())
}

// overlay is a text in which no word of a document is more than a word.
type overlay struct{ b strings.Builder }

func (o *overlay) head(s Suggestion) {
	count := map[Class]int{}
	for _, op := range s.Operations {
		count[op.Class]++
	}
	o.comment("", "What "+s.Document+" says about repeating its operations, as retrygen suggest reads it. Look at every line.")
	o.comment("", "")
	o.comment("", fmt.Sprintf("%d evident: the document says so, in other words", count[Evident]))
	o.comment("", fmt.Sprintf("%d by method: comments. Where the provider keeps to it, remove the # before the -", count[ByMethod]))
	o.comment("", fmt.Sprintf("%d doubtful: false, until somebody knows better", count[Doubtful]))
	if n := count[Declared]; n > 0 {
		o.comment("", fmt.Sprintf("%d declared: left as they are", n))
	}
	if s.keyed() {
		o.comment("", "A key needs its retention: how long the provider remembers it, as its documentation says.")
	}
	for _, remark := range s.Remarks {
		o.comment("", remark)
	}
	o.line("overlay: 1.0.0")
	o.line("info:")
	o.line("  title: " + strconv.Quote(visible("Retry semantics of "+s.Title)))
	o.line("  version: 1.0.0")
	o.line("actions:")
	o.comment("  ", "What all operations share. A deadline, say, would be x-retry: {deadline: 10s, attempt-timeout: 3s}")
	o.action("  - ", "$", "x-upstream: {name: "+strconv.Quote(s.Upstream)+"}")
}

func (o *overlay) operation(op Operation) {
	o.line("")
	o.comment("  ", op.name()+", "+op.At.String())
	o.comment("  ", words[op.Class]+": "+op.Because)
	for _, also := range op.Also {
		o.comment("  ", "also: "+also)
	}
	switch {
	case op.Class == Declared:
	case op.Target == "":
		o.comment("  ", "not here, x-idempotent: "+op.value()+": "+op.Missed)
	case op.Class == ByMethod:
		o.action("  #- ", op.Target, "x-idempotent: "+op.value())
	default:
		o.action("  - ", op.Target, "x-idempotent: "+op.value())
	}
}

func (op Operation) name() string {
	if op.ID == "" {
		return op.Method + " " + op.Route
	}
	return op.Method + " " + op.Route + " (" + op.ID + ")"
}

var words = [...]string{Declared: "declared", Evident: "evident", ByMethod: "by method", Doubtful: "doubtful"}

// action is one action. Go quotes a string as YAML does.
func (o *overlay) action(prefix, target, update string) {
	o.line(prefix + "{target: " + strconv.Quote(target) + ", update: {" + update + "}}")
}

func (o *overlay) comment(indent, text string) {
	o.line(strings.TrimRight(indent+"# "+visible(text), " "))
}

func (o *overlay) line(text string) { o.b.WriteString(text + "\n") }

// visible is a text on one line, without what YAML does not permit.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, report.OneLine(text))
}
