package printer

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// responses prints how the responses of each operation are read.
func (p *printer) responses(g *Group) {
	for _, op := range p.api.Operations {
		header(g, op)
		if op.Further != nil && op.Further.Reader != nil {
			continue // it is read by that one's function
		}
		switch results := typed(op); {
		case len(results) == 0:
			readNothing(g, op)
		case op.ResultType != "":
			resultStruct(g, op)
			readSeveral(g, op)
		default:
			readOne(g, op, results[0])
		}
	}
}

// typed are the successful responses that have a body to read.
func typed(op *spec.Operation) (list []*spec.Response) {
	for _, r := range op.Responses {
		if r.Status.Success() && hasBody(r) {
			list = append(list, r)
		}
	}
	return list
}

func hasBody(r *spec.Response) bool { return r.Type != nil }

// results prints what the method returns.
func results(op *spec.Operation) *Statement {
	switch list := typed(op); {
	case op.Stream != nil:
		return Params(Op("*").Add(streamType(op.Stream)), Error())
	case len(list) == 0:
		return Error()
	case op.ResultType != "":
		return Params(Op("*").Add(id(op.ResultType)), Error())
	default:
		return Params(result(list[0]), Error())
	}
}

// streamType prints what a stream is read as.
func streamType(s *spec.Stream) *Statement {
	if s.Kind == spec.RawBytes {
		return rt("StreamResponse")
	}
	if s.Kind == spec.JSONValues {
		return rt("JSONStream").Types(result(&spec.Response{Type: s.Type}))
	}
	return rt("EventStream")
}

// noBody tells when a method that returns one body returns none.
func noBody(op *spec.Operation) string {
	switch {
	case op.Stream == nil:
	case op.Stream.Kind == spec.RawBytes:
		return "The result is a stream: read it to its end, or close it."
	default:
		return "The result is a stream: range over its All, or close it."
	}
	if len(typed(op)) == 0 || op.ResultType != "" {
		return ""
	}
	var statuses []string
	for _, r := range op.Responses {
		if r.Status.Success() && !hasBody(r) {
			statuses = append(statuses, statusWord(r.Status))
		}
	}
	if statuses == nil {
		return ""
	}
	return fmt.Sprintf("With status %s there is no body, and the result is %#v.", strings.Join(statuses, " or "), zero(typed(op)[0]))
}

// accept are the content types that the operation's responses have. What a success
// shall not have, though errors do, is less welcome.
func accept(op *spec.Operation) string {
	var types []string
	if op.Stream != nil {
		types = append(types, op.Stream.ContentType)
	}
	for _, r := range op.Responses {
		if hasBody(r) && r.ContentType != "" && !slices.Contains(types, r.ContentType) {
			types = append(types, r.ContentType)
		}
	}
	others := others(op)
	for i, t := range types {
		if slices.Contains(others, t) {
			types[i] += ";q=0.1"
		}
	}
	return strings.Join(types, ", ")
}

// others are the content types of successes that are documented, and not what is
// asked for.
func others(op *spec.Operation) (types []string) {
	for _, r := range op.Responses {
		for _, o := range r.Others {
			if r.Status.Success() && !slices.Contains(types, o.ContentType) {
				types = append(types, o.ContentType)
			}
		}
	}
	return types
}

// arm is a case of the switch over the status: what is done for some statuses.
type arm struct {
	statuses []spec.Status
	do       []Code
	what     string // equal for arms that do the same
}

// func readDeletePet(r *runtime.Response) error {
func readNothing(g *Group, op *spec.Operation) {
	arms, rest := errorArms(op, func(read Code) []Code { return []Code{Return(read)} })
	none := []Code{Return(Nil())}
	success := wholeArms(op, none)
	if rest != nil && !slices.ContainsFunc(success, func(a arm) bool { return a.statuses[0].Class == 2 }) {
		success = append(success, arm{statuses: []spec.Status{{Class: 2}}, do: none})
	}
	arms = append(success, arms...)
	if rest == nil && arms == nil {
		g.Func().Add(id(op.ReadFunc)).Params(Op("*").Add(rt("Response"))).Error().Block(none...).Line()
		return
	}
	readFunc(g, op, Error(), func(g *Group) {
		if rest == nil {
			rest = none
		}
		switchStatus(g, arms)
		for _, statement := range rest {
			g.Add(statement)
		}
	})
}

// wholeArms are the cases for what a stream's upstream may send in its place.
func wholeArms(op *spec.Operation, none []Code) (arms []arm) {
	for _, r := range op.Responses {
		if op.Stream != nil && r.Status.Success() && len(r.Others) > 0 {
			do := byContent(op.Stream.ContentType, r.Others, none, func(o *spec.Other) []Code { return []Code{Return(readOther(o))} })
			arms = append(arms, arm{statuses: []spec.Status{r.Status}, do: do})
		}
	}
	return arms
}

// func readGetPet(r *runtime.Response) (*Pet, error) {
func readOne(g *Group, op *spec.Operation, success *spec.Response) {
	none := func() Code { return zero(success) }
	arms := successArms(op, func(r *spec.Response) []Code {
		if !hasBody(r) {
			return []Code{Return(none(), Nil())}
		}
		return byContent(r.ContentType, r.Others, []Code{readBody(r)}, func(o *spec.Other) []Code {
			return []Code{Return(none(), readOther(o))}
		})
	})
	failures, rest := errorArms(op, func(read Code) []Code { return []Code{Return(none(), read)} })
	undocumented := []Code{Return(none(), Id("r").Dot("Undocumented").Call())}
	arms = append(arms, failures...)
	if rest == nil {
		rest = undocumented
	} else if !coversSuccess(op) {
		arms = append(arms, arm{statuses: []spec.Status{{Class: 2}}, do: undocumented})
	}
	readFunc(g, op, results(op), func(g *Group) {
		switchStatus(g, arms)
		for _, statement := range rest {
			g.Add(statement)
		}
	})
}

// readBody prints the return of a body.
func readBody(r *spec.Response) Code {
	switch r.Encoding {
	case spec.Raw:
		return Return(rawBody(r), Nil())
	case spec.Text:
		return Return(readText(r))
	}
	return Return(readJSON(r))
}

func readText(r *spec.Response) Code { return rt("ReadText").Types(result(r)).Call(Id("r")) }

// runtime.ReadJSON[*Pet](r)
func readJSON(r *spec.Response) Code {
	read := "ReadJSON"
	if permitsNull(r.Type) {
		read = "ReadNullableJSON"
	}
	return rt(read).Types(result(r)).Call(Id("r"))
}

// permitsNull reports whether a body may be null, as what anybody may decode
// may.
func permitsNull(r *spec.Ref) bool {
	anything := r.Type.Kind == spec.Any || r.Type.Kind == spec.Primitive && r.Type.Go == "RawMessage"
	return anything || r.NilIsNull || r.Form == spec.Pointer
}

func rawBody(r *spec.Response) Code {
	if isString(r.Type.Type) {
		return String().Call(Id("r").Dot("Body"))
	}
	return Id("r").Dot("Body")
}

// type CreatePetResult struct {
func resultStruct(g *Group, op *spec.Operation) {
	var c comment
	c.text(op.ResultType + " is what " + op.Name.Go + " answers; StatusCode tells which field is set.")
	c.print(g)
	g.Type().Add(id(op.ResultType)).StructFunc(func(g *Group) {
		g.Id("StatusCode").Int()
		for _, r := range typed(op) {
			var c comment
			c.text(r.Field + " is the body of status " + statusWord(r.Status) + ".")
			c.print(g)
			g.Add(id(r.Field), result(r))
		}
	}).Line()
}

// func readCreatePet(r *runtime.Response) (*CreatePetResult, error) {
func readSeveral(g *Group, op *spec.Operation) {
	assign := func(read Code) []Code { return []Code{Err().Op("=").Add(read)} }
	arms := successArms(op, func(r *spec.Response) []Code {
		field := Id("result").Dot(r.Field)
		var read Code
		switch {
		case !hasBody(r):
			return nil
		case r.Encoding == spec.Raw:
			read = field.Op("=").Add(rawBody(r))
		case r.Encoding == spec.Text:
			read = List(field, Err()).Op("=").Add(readText(r))
		default:
			read = List(field, Err()).Op("=").Add(readJSON(r))
		}
		return byContent(r.ContentType, r.Others, []Code{read}, func(o *spec.Other) []Code { return assign(readOther(o)) })
	})
	failures, rest := errorArms(op, assign)
	undocumented := assign(Id("r").Dot("Undocumented").Call())
	arms = append(arms, failures...)
	if rest == nil {
		rest = undocumented
	} else if !coversSuccess(op) {
		arms = append(arms, arm{statuses: []spec.Status{{Class: 2}}, do: undocumented})
	}
	readFunc(g, op, results(op), func(g *Group) {
		g.Id("result").Op(":=").Op("&").Add(id(op.ResultType)).Values(Id("StatusCode").Op(":").Id("r").Dot("StatusCode"))
		g.Var().Err().Error()
		switchStatus(g, append(arms, arm{do: rest}))
		g.Return(Id("result"), Err())
	})
}

func readFunc(g *Group, op *spec.Operation, results Code, body func(*Group)) {
	g.Func().Add(id(op.ReadFunc)).Params(Id("r").Op("*").Add(rt("Response"))).Add(results).BlockFunc(body).Line()
}
