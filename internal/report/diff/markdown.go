package diff

import (
	"bytes"
	"fmt"

	"github.com/retrygen/retrygen/internal/report"
)

// Markdown is the report as a comment of a pull request: what may send more comes
// first.
func (r *Report) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString("## Retry contracts\n\n")
	switch {
	case r.Has(Loosened):
		b.WriteString("> [!WARNING]\n> **The client may now send more.** Each change marked 🔺 needs an answer: is it safe for the upstream?\n\n")
	case r.Has(""):
		b.WriteString("No retry contract is loosened.\n\n")
	}
	fmt.Fprintf(&b, "%s\n", report.Code(r.Summary()))
	for _, class := range classes {
		r.section(&b, class)
	}
	for _, kind := range []string{"added", "removed"} {
		r.others(&b, kind)
	}
	r.signatures(&b)
	return b.Bytes()
}

var (
	titles = map[Class]string{Loosened: "🔺 Loosened: the client may now send more", Tightened: "🔻 Tightened: the client sends less", Neutral: "Neutral"}
	marks  = map[Class]string{Loosened: "🔺 ", Tightened: "🔻 ", Neutral: ""}
)

// section has the operations and upstreams of a class, with all of their changes.
func (r *Report) section(b *bytes.Buffer, class Class) {
	title := fmt.Sprintf("\n### %s\n", titles[class])
	print := func(name string, changes []Change) {
		if len(changes) == 0 {
			return
		}
		fmt.Fprintf(b, "%s\n%s\n\n%s", title, name, report.TableHead("value", "before", "after", "at run time"))
		title = ""
		for _, c := range changes {
			c.markdown(b)
		}
	}
	for _, p := range r.Packages {
		if classOf(p.Upstream) == class {
			print(fmt.Sprintf("**Upstream of package %s**", p.Name), p.Upstream)
		}
		for _, op := range p.Operations {
			if op.Class == class {
				print(op.title(), op.Contract)
			}
		}
	}
}

func (op *Operation) title() string {
	return fmt.Sprintf("**%s** %s", report.Code(op.Name), report.Code(op.Request))
}

func (c *Change) markdown(b *bytes.Buffer) {
	effects := ""
	for i, e := range c.Effects {
		if i > 0 {
			effects += "<br>"
		}
		effects += marks[e.Class] + report.Prose(e.Words)
	}
	b.WriteString(report.TableRow(c.Key, said(c.Old, c.OldAt), said(c.New, c.NewAt), effects))
}

func said(value, at string) string {
	if at == "" {
		return report.Code(value)
	}
	return fmt.Sprintf("%s<br>%s", report.Code(value), report.Code(at))
}

// others are the operations that only one of the two has.
func (r *Report) others(b *bytes.Buffer, kind string) {
	title := fmt.Sprintf("\n### Operations %s\n\n", kind)
	for _, p := range r.Packages {
		for _, op := range p.Operations {
			if op.Kind == kind {
				fmt.Fprintf(b, "%s- %s\n", title, op.title())
				title = ""
			}
		}
	}
}

// signatures are the changes that call sites see.
func (r *Report) signatures(b *bytes.Buffer) {
	title := "\n### Call sites\n\n" + report.TableHead("operation", "", "before", "after")
	for _, p := range r.Packages {
		for _, op := range p.Operations {
			for _, c := range op.Signature {
				b.WriteString(title + report.TableRow(report.Code(op.Name), report.Code(c.Key), report.Code(c.Old), report.Code(c.New)))
				title = ""
			}
		}
	}
}
