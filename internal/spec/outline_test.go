package spec

import (
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// outline is an API as text: what tests compare. Positions are left out, but of
// what a contract says and of notes.
func outline(api *API) string {
	var b strings.Builder
	outlineUpstream(&b, api.Upstream)
	for _, s := range api.Servers {
		outlineServer(&b, s)
	}
	for _, s := range api.Schemes {
		fmt.Fprintf(&b, "scheme %s %q %s\n", s.Name.Go, s.Name.Wire, schemeText(s))
	}
	for _, op := range api.Operations {
		outlineOperation(&b, op)
	}
	for _, t := range api.Types {
		outlineType(&b, t)
	}
	for _, note := range api.Notes {
		fmt.Fprintf(&b, "note %s\n", note.Error())
	}
	return b.String()
}

func outlineUpstream(b *strings.Builder, u Upstream) {
	fmt.Fprintf(b, "upstream %s\n", u.Name.V)
	said(b, "name", u.Name)
	said(b, "ratio", u.BudgetRatio)
	said(b, "window", u.BudgetWindow)
	said(b, "deposit", word(u.BudgetDeposit, "request", "success"))
	said(b, "min-per-window", u.BudgetMinPerWindow)
	said(b, "max-connections", u.MaxConnections)
	said(b, "acquire-timeout", u.AcquireTimeout)
	said(b, "max-concurrent", u.MaxConcurrent)
	said(b, "bulkhead acquire-timeout", u.BulkheadAcquireTimeout)
}

// said prints a value that the document says, and where.
func said[T any](b *strings.Builder, name string, v Value[T]) {
	if v.Origin == FromDefault && v.Pos == (source.Pos{}) {
		return
	}
	who := [...]string{FromDefault: "default", FromDocument: "document", FromOperation: "operation", FromConfiguration: "configuration"}[v.Origin]
	fmt.Fprintf(b, "\t%s %v (%s, %s)\n", name, v.V, who, v.Pos)
}

// word is a value in the words of a document.
func word[T ~uint8](v Value[T], words ...string) Value[string] {
	return Value[string]{V: words[v.V], Origin: v.Origin, Pos: v.Pos}
}

func outlineServer(b *strings.Builder, s *Server) {
	fmt.Fprintf(b, "server %s\n", s.URL)
	for _, v := range s.Variables {
		fmt.Fprintf(b, "\t%s %q = %q of %q\n", v.Name.Go, v.Name.Wire, v.Default, v.Enum)
	}
}

func schemeText(s *Scheme) string {
	switch {
	case s.Kind == Bearer:
		return "bearer"
	case s.Kind == Basic:
		return "basic"
	case s.Cookie != "":
		return "cookie " + s.Cookie
	case s.Header != "":
		return "header " + s.Header
	}
	return "query " + s.Query
}

func outlineOperation(b *strings.Builder, op *Operation) {
	fmt.Fprintf(b, "%s %s: %s %q", op.Method, op.Route, op.Name.Go, op.Name.Wire)
	for _, name := range []string{op.Var, op.ReadFunc, op.ParamsType, op.ResultType} {
		if name != "" {
			fmt.Fprintf(b, ", %s", name)
		}
	}
	if f := op.Further; f != nil {
		fmt.Fprintf(b, "\n\tof %s%s%s", f.Of.Name.Go, when(" sends "+f.Sends, f.Sends != ""), when(" reads "+f.Reads, f.Reads != ""))
	}
	fmt.Fprint(b, "\n\tpath")
	for _, part := range op.Path {
		if part.Param != nil {
			fmt.Fprintf(b, " {%s}", part.Param.Name.Go)
			continue
		}
		fmt.Fprintf(b, " %s", part.Literal)
	}
	fmt.Fprintln(b)
	for _, list := range [][]*Param{op.PathParams, op.Query, op.Headers} {
		for _, p := range list {
			fmt.Fprintf(b, "\t%s %s %q %s%s%s%s%s\n", p.In, p.Name.Go, p.Name.Wire, spelling(p.Type), when(" required", p.Required), styleWords[p.Style], when(" exploded", p.Explode)+when(" default "+p.Default, p.Default != ""), outlineRules(p.Type.Type))
		}
	}
	if body := op.Body; body != nil {
		fmt.Fprintf(b, "\tbody %s %s", body.Arg, body.ContentType)
		if body.Type != nil {
			fmt.Fprintf(b, " %s", spelling(body.Type))
		}
		fmt.Fprintf(b, " %s%s%s\n", encodingWords[body.Encoding], replayabilityWords[body.Form], when(" required", body.Required))
		for _, p := range body.Properties {
			fmt.Fprintf(b, "\t\t%q%s%s%s\n", p.Name, styleWords[p.Style], when(" exploded", p.Explode), when(" "+p.ContentType, p.ContentType != ""))
		}
	}
	if op.FixedQuery != "" {
		fmt.Fprintf(b, "\tfixed query %s\n", op.FixedQuery)
	}
	if op.Server != nil {
		fmt.Fprintf(b, "\tserver %s %s\n", op.Server.Name.Go, op.Server.Name.Wire)
	}
	if s := op.Stream; s != nil && s.Kind == RawBytes {
		fmt.Fprintf(b, "\tstream %s of bytes\n", s.ContentType)
	} else if s != nil && s.Kind == JSONValues {
		fmt.Fprintf(b, "\tstream %s of %s\n", s.ContentType, spelling(s.Type))
	} else if s != nil {
		fmt.Fprintf(b, "\tstream %s\n", s.ContentType)
	}
	for _, r := range op.Responses {
		outlineResponse(b, r)
	}
	for _, f := range op.Header {
		fmt.Fprintf(b, "\t%s.%s %q %s\n", op.HeaderType, f.Name.Go, f.Name.Wire, spelling(f.Type))
	}
	for _, r := range op.Security {
		var names []string
		for _, s := range r.Schemes {
			names = append(names, s.Name.Go)
		}
		fmt.Fprintf(b, "\tneeds [%s]\n", strings.Join(names, " and "))
	}
	outlineContract(b, op.Contract)
	if op.OnAmbiguous != "" {
		fmt.Fprintf(b, "\targument %s\n", op.OnAmbiguous)
	}
	if op.Pagination != nil {
		outlinePagination(b, op.Pagination)
	}
}

func outlinePagination(b *strings.Builder, p *Pagination) {
	fmt.Fprintf(b, "\tpages %s by %s", p.Pages, [...]string{"cursor", "offset", "number", "link"}[p.Kind])
	switch {
	case p.Param != nil:
		fmt.Fprintf(b, " %s %s", p.Param.In, p.Param.Name.Go)
	case p.BodyFields != nil:
		fmt.Fprintf(b, " %s", partText(KeyPart{Fields: p.BodyFields}))
	}
	for _, path := range []struct {
		name   string
		fields []*Field
	}{{"next", p.Next}, {"items", p.Items}, {"more", p.More}} {
		if path.fields != nil {
			fmt.Fprintf(b, ", %s %s", path.name, strings.TrimPrefix(partText(KeyPart{Fields: path.fields}), "body."))
		}
	}
	fmt.Fprintf(b, "%s%s\n", when(", first "+p.First, p.First != ""), when(", may be nil", p.NilPage))
	if p.Item != nil {
		fmt.Fprintf(b, "\titems %s of %s\n", p.All, spelling(p.Item))
	}
}

func outlineResponse(b *strings.Builder, r *Response) {
	switch {
	case r.Status.Default:
		fmt.Fprint(b, "\tdefault")
	case r.Status.Class > 0:
		fmt.Fprintf(b, "\t%dXX", r.Status.Class)
	default:
		fmt.Fprintf(b, "\t%d", r.Status.Code)
	}
	if r.Type != nil {
		fmt.Fprintf(b, " %s %s%s", r.ContentType, spelling(r.Type), when(" raw", r.Encoding == Raw)+when(" text", r.Encoding == Text))
	}
	if r.Field != "" {
		fmt.Fprintf(b, " in %s", r.Field)
	}
	for _, o := range r.Others {
		fmt.Fprintf(b, " or %s %s", o.ContentType, spelling(o.Type))
	}
	fmt.Fprintln(b)
}

// styleWords are the styles that are not the usual ones.
var styleWords = []string{StyleLabel: " label", StyleMatrix: " matrix", StyleSpaceDelimited: " spaceDelimited",
	StylePipeDelimited: " pipeDelimited", StyleDeepObject: " deepObject", StyleJSON: " json"}

var encodingWords = []string{URLEncoded: "form ", Multipart: "multipart ", Text: "text ", Own: "own "}

var replayabilityWords = []string{NoBody: "no-body", Replayable: "replayable", Reopenable: "reopenable", OneShot: "one-shot"}

func outlineContract(b *strings.Builder, c Contract) {
	said(b, "idempotency", word(c.Idempotency, "undeclared", "false", "true", "key"))
	said(b, "key header", c.Key.Header)
	said(b, "key template", c.Key.Template)
	said(b, "key retention", c.Key.Retention)
	for _, part := range c.Key.Parts {
		fmt.Fprintf(b, "\tkey part %s\n", partText(part))
	}
	said(b, "replayability", word(c.Replayability, replayabilityWords...))
	said(b, "transient-500", c.Transient500)
	said(b, "transient", c.TransientStatuses)
	said(b, "denied", c.DeniedStatuses)
	said(b, "max-attempts", c.MaxAttempts)
	said(b, "deadline", c.Deadline)
	said(b, "attempt-timeout", c.AttemptTimeout)
	said(b, "min-attempt-budget", c.MinAttemptBudget)
	said(b, "base", c.BackoffBase)
	said(b, "max", c.BackoffMax)
	said(b, "multiplier", c.BackoffMultiplier)
	said(b, "jitter", word(c.BackoffJitter, "full", "decorrelated"))
	said(b, "retry-after max", c.RetryAfterMax)
	said(b, "retry-after malformed", word(c.RetryAfterMalformed, "ignore", "deny"))
	said(b, "on-ambiguous required", c.OnAmbiguous)
	said(b, "reconcile-timeout", c.ReconcileTimeout)
}

func partText(part KeyPart) string {
	switch {
	case part.Param != nil:
		return part.Param.In + " " + part.Param.Name.Go
	case len(part.Fields) > 0:
		text := "body"
		for _, f := range part.Fields {
			text += "." + f.Name.Go
		}
		return text
	}
	return fmt.Sprintf("%q", part.Literal)
}

func outlineType(b *strings.Builder, t *Type) {
	fmt.Fprintf(b, "type %s %q", t.Name.Go, t.Name.Wire)
	switch t.Kind {
	case Struct:
		fmt.Fprintf(b, "%s%s\n", when(" array", t.Tuple), outlineRules(t))
		for _, f := range t.Fields {
			fmt.Fprintf(b, "\t%s %q %s%s%s%s%s\n", f.Name.Go, f.Name.Wire, spelling(f.Type),
				when(" required", f.Required), when(" read-only", f.ReadOnly), when(" write-only", f.WriteOnly)+when(" default "+f.Default, f.Default != ""), outlineRules(f.Type.Type)+outlineTags(f))
		}
		if t.Extra != nil {
			fmt.Fprintf(b, "\t%s others %s\n", t.ExtraField, spelling(t.Extra))
		}
	case Enum:
		fmt.Fprintf(b, " %s\n", t.Go)
		for _, v := range t.Values {
			fmt.Fprintf(b, "\t%s = %s%s\n", v.Name.Go, v.Literal, when(" always", v == t.Constant))
		}
	case Union:
		fmt.Fprintf(b, " union%s\n", when(" by "+t.Discriminator, t.Discriminator != ""))
		for _, v := range t.Variants {
			fmt.Fprintf(b, "\t%s %s from %s", v.Name, spelling(v.Type), v.From)
			if len(v.Values) > 0 {
				fmt.Fprintf(b, " %q", v.Values)
			}
			if v.Preset != nil {
				fmt.Fprintf(b, " presets %s", v.Preset.Name.Go)
			}
			fmt.Fprintln(b)
		}
	default:
		fmt.Fprintf(b, " of %s\n", spelling(t.Elem))
	}
}

func when(text string, set bool) string {
	if set {
		return text
	}
	return ""
}

// outlineRules are the rules that a type has, if any.
func outlineRules(t *Type) string {
	var b strings.Builder
	r := t.Rules
	limit := func(name string, n *int) {
		if n != nil {
			fmt.Fprintf(&b, ", %s %d", name, *n)
		}
	}
	text := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, ", %s %s", name, value)
		}
	}
	limit("minLength", r.MinLength)
	limit("maxLength", r.MaxLength)
	text("pattern", r.Pattern)
	text("minimum", r.Minimum+when(" exclusive", r.ExclusiveMinimum))
	text("maximum", r.Maximum+when(" exclusive", r.ExclusiveMaximum))
	text("multipleOf", r.MultipleOf)
	limit("minItems", r.MinItems)
	limit("maxItems", r.MaxItems)
	b.WriteString(when(", uniqueItems", r.UniqueItems))
	limit("minProperties", r.MinProperties)
	limit("maxProperties", r.MaxProperties)
	return b.String()
}

func outlineTags(f *Field) (text string) {
	for _, tag := range f.Tags {
		text += fmt.Sprintf(" %s:%q", tag.Go, tag.Wire)
	}
	return text
}

// spelling is the Go spelling of a use of a type.
func spelling(r *Ref) string {
	text := r.Type.Name.Go
	switch {
	case text != "":
	case r.Type.Kind == Slice:
		text = "[]" + spelling(r.Type.Elem)
	case r.Type.Kind == Map:
		text = "map[string]" + spelling(r.Type.Elem)
	default:
		text = strings.TrimPrefix(r.Type.Import+"."+r.Type.Go, ".")
	}
	switch {
	case r.Form == Pointer:
		return "*" + text
	case r.Form == Nullable:
		return "wire.Nullable[" + text + "]"
	case r.Form == Omitted:
		return text + " or zero"
	case r.NilIsNull:
		return text + " or null"
	}
	return text
}
