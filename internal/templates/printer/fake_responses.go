package printer

import (
	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// responses prints the typed response of each operation, and the functions that
// make one for each status.
func (f *faker) responses(g *Group) {
	for _, op := range f.api.Operations {
		f.responseType(g, op)
		for _, answer := range op.Fake.Answers {
			f.answerFunc(g, op, answer)
		}
	}
}

// type CreatePetResponse struct{ fake.Answer }
func (f *faker) responseType(g *Group, op *spec.Operation) {
	name := op.Fake.ResponseType
	var c comment
	c.text(name + " is an answer of " + op.Name.Go + ", which a function with its status makes.")
	c.print(g)
	g.Type().Add(id(name)).Struct(fake("Answer")).Line()
	if op.HeaderType == "" {
		return
	}
	g.Comment("// With adds the headers of a successful response.")
	g.Func().Params(Id("r").Add(id(name))).Id("With").Params(Id("header").Add(f.of(op.HeaderType))).Add(id(name)).Block(
		Return(id(name).Values(Id("r").Dot("Answer").Dot("With").Call(Id("header")))),
	).Line()
}

// func CreatePet201(body pets.Pet) CreatePetResponse {
func (f *faker) answerFunc(g *Group, op *spec.Operation, a *spec.FakeAnswer) {
	r := a.Response
	var c comment
	c.text(a.Func+" answers with "+answerWord(r.Status)+".", r.Description)
	c.print(g)
	var params []Code
	status := Lit(r.Status.Code)
	if r.Status.Code == 0 {
		params, status = append(params, Id("status").Int()), Id("status")
	}
	param, answer := f.answer(a, status)
	if param != nil {
		params = append(params, param)
	}
	if r.Status.Class != 0 {
		answer = answer.Dot("Within").Call(Lit(r.Status.Class))
	}
	g.Func().Add(id(a.Func)).Params(params...).Add(id(op.Fake.ResponseType)).Block(
		Return(id(op.Fake.ResponseType).Values(answer)),
	).Line()
}

func answerWord(s spec.Status) string {
	switch {
	case s.Default:
		return "any other status"
	case s.Class != 0:
		return "a status " + statusWord(s)
	}
	return "status " + statusWord(s)
}

// answer prints the parameter that holds the body, if there is one, and what is
// made of it.
func (f *faker) answer(a *spec.FakeAnswer, status *Statement) (param Code, answer *Statement) {
	r := a.Response
	body := Id("body")
	with := func(function string) *Statement {
		return fake(function).Call(status, Lit(r.ContentType), body)
	}
	switch {
	case a.Stream != nil:
		return f.streamed(a.Stream, status)
	case r.Type == nil:
		return nil, fake("Empty").Call(status)
	case r.Encoding == spec.Raw:
		return body.Clone().Add(f.refType(r.Type)), with("Bytes")
	case r.Encoding == spec.Text:
		return body.Clone().Add(f.refType(r.Type)), with("Text")
	}
	return body.Clone().Add(f.refType(r.Type)), with("JSON")
}

func (f *faker) streamed(s *spec.Stream, status *Statement) (param Code, answer *Statement) {
	seq := func(of *Statement) Code { return Qual("iter", "Seq").Types(of) }
	with := func(function, name string) *Statement {
		return fake(function).Call(status, Lit(s.ContentType), Id(name))
	}
	switch s.Kind {
	case spec.ServerSentEvents:
		return Id("events").Add(seq(rt("ServerSentEvent"))), with("Events", "events")
	case spec.JSONValues:
		return Id("values").Add(seq(f.refType(s.Type))), with("Values", "values")
	}
	return Id("body").Qual("io", "Reader"), with("Stream", "body")
}
