package printer

import (
	"fmt"
	"slices"
	"strconv"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// successArms are the cases for successful responses. Statuses for which the
// same is done share one.
func successArms(op *spec.Operation, do func(*spec.Response) []Code) (arms []arm) {
	for _, r := range op.Responses {
		if r.Status.Success() {
			arms = merged(arms, arm{[]spec.Status{r.Status}, do(r), answerKey(r)})
		}
	}
	return arms
}

// errorArms are the cases for error responses with a body to read, and what is
// done for the default; nil if the default has none.
func errorArms(op *spec.Operation, do func(read Code) []Code) (arms []arm, rest []Code) {
	read := func(r *spec.Response) []Code {
		return byContent(r.ContentType, r.Others, do(readError(r.Type)), func(o *spec.Other) []Code { return do(readError(o.Type)) })
	}
	fallback := ""
	for _, r := range op.Responses {
		if r.Status.Default && readable(r) {
			fallback = answerKey(r)
			rest = read(r)
		}
	}
	for _, r := range op.Responses {
		if !r.Status.Success() && !r.Status.Default && readable(r) && answerKey(r) != fallback {
			arms = merged(arms, arm{[]spec.Status{r.Status}, read(r), answerKey(r)})
		}
	}
	return arms, rest
}

// readable: raw error bodies are kept by the runtime anyway.
func readable(r *spec.Response) bool { return r.Type != nil && r.Encoding == spec.JSON }

func readError(r *spec.Ref) Code {
	return rt("ReadError").Types(typeName(r.Type)).Call(Id("r"))
}

func readOther(o *spec.Other) Code {
	return rt("ReadOther").Types(typeName(o.Type.Type)).Call(Id("r"))
}

// byContent prints what is done for each content type that a response may have;
// usual is for the one that is asked for, and for all that nobody described.
func byContent(asked string, others []*spec.Other, usual []Code, do func(*spec.Other) []Code) []Code {
	if len(others) == 0 {
		return usual
	}
	types := []Code{Lit(asked)}
	for _, o := range others {
		types = append(types, Lit(o.ContentType))
	}
	return []Code{Switch(Id("r").Dot("Documented").Call(types...)).BlockFunc(func(g *Group) {
		for _, o := range others {
			g.Case(Lit(o.ContentType)).Block(do(o)...)
		}
		g.Default().Block(usual...)
	})}
}

// answerKey is equal for responses that are read in the same way.
func answerKey(r *spec.Response) string {
	if !hasBody(r) {
		return ""
	}
	key := fmt.Sprintf("%s %d %#v", r.Field, r.Encoding, result(r))
	for _, o := range r.Others {
		key += fmt.Sprintf(" %q %#v", r.ContentType+" "+o.ContentType, typeName(o.Type.Type))
	}
	return key
}

// merged adds an arm, or its status to the last one if that does the same: a
// range must not move before a code.
func merged(arms []arm, a arm) []arm {
	if n := len(arms); n > 0 && arms[n-1].what == a.what {
		arms[n-1].statuses = append(arms[n-1].statuses, a.statuses...)
		return arms
	}
	return append(arms, a)
}

// coversSuccess reports whether every 2xx is documented.
func coversSuccess(op *spec.Operation) bool {
	return slices.ContainsFunc(op.Responses, func(r *spec.Response) bool { return r.Status.Class == 2 })
}

// switchStatus prints the arms: an if for one, a switch over the status for
// codes, a switch over conditions where ranges are among them. An arm without
// statuses is the default.
func switchStatus(g *Group, arms []arm) {
	ranges := slices.ContainsFunc(arms, func(a arm) bool {
		return slices.ContainsFunc(a.statuses, func(s spec.Status) bool { return s.Class != 0 })
	})
	switch {
	case len(arms) == 0:
	case len(arms) == 1 && len(arms[0].statuses) == 1:
		g.If(condition(arms[0].statuses)).Block(arms[0].do...)
	case ranges:
		g.Switch().BlockFunc(cases(arms, func(statuses []spec.Status) Code { return condition(statuses) }))
	default:
		g.Switch(status()).BlockFunc(cases(arms, func(statuses []spec.Status) Code {
			return ListFunc(func(g *Group) {
				for _, s := range statuses {
					g.Lit(s.Code)
				}
			})
		}))
	}
}

func cases(arms []arm, match func([]spec.Status) Code) func(*Group) {
	return func(g *Group) {
		for _, a := range arms {
			if a.statuses == nil {
				g.Default().Block(a.do...)
				continue
			}
			g.Case(match(a.statuses)).Block(a.do...)
		}
	}
}

func status() *Statement { return Id("r").Dot("StatusCode") }

func condition(statuses []spec.Status) Code {
	c := &Statement{}
	for i, s := range statuses {
		if i > 0 {
			c.Op("||")
		}
		if s.Class != 0 {
			c.Add(status()).Op("/").Lit(100).Op("==").Lit(s.Class)
		} else {
			c.Add(status()).Op("==").Lit(s.Code)
		}
	}
	return c
}

func statusWord(s spec.Status) string {
	switch {
	case s.Default:
		return "of any other number"
	case s.Class != 0:
		return strconv.Itoa(s.Class) + "XX"
	}
	return strconv.Itoa(s.Code)
}
