package spec

import (
	"net/http"
	"strconv"
)

// Fake is the package that fakes an API for tests.
type Fake struct {
	Package string // Go package name
	Client  string // import path of the client
}

// FakeOperation is what the fake of an operation is called. All of its names are
// made of the method's and end in a way of their own, so no two can be equal.
type FakeOperation struct {
	Field        string // of the fake's Server
	RequestType  string
	ResponseType string
	DecodeFunc   string
	PathFields   []string // of RequestType, for PathParams
	Answers      []*FakeAnswer
}

// FakeAnswer is a documented response that a handler can give.
type FakeAnswer struct {
	Func     string // that makes it
	Response *Response
	Stream   *Stream // nil: Response.Type is the body, or there is none
}

// FakePackage is the name of the fake's package, and of its folder in that of the
// client.
func FakePackage(client string) string { return client + "test" }

var (
	fakeFields        = []string{"Client", "Server"} // of the fake's Server
	fakeRequestFields = []string{"Body", "Params", "Request"}
)

// fake names what the fake has, where one is asked for.
func (l *loader) fake() {
	if l.options.FakeOf == "" {
		return
	}
	l.api.Fake = &Fake{Package: FakePackage(l.options.Package), Client: l.options.FakeOf}
	n := naming{loader: l}
	var wants []want
	for _, op := range l.api.Operations {
		name := op.Name.Go
		op.Fake = &FakeOperation{RequestType: name + "Request", ResponseType: name + "Response", DecodeFunc: "decode" + name}
		op.Fake.Answers = fakeAnswers(op)
		n.fakePathFields(op)
		wants = append(wants, want{key: name, wire: name, choices: []string{name, name + "Operation"}, set: func(s string) { op.Fake.Field = s }})
	}
	n.batch(newScope(fakeFields), wants)
}

func (n naming) fakePathFields(op *Operation) {
	op.Fake.PathFields = make([]string, len(op.PathParams))
	var wants []want
	for i, p := range op.PathParams {
		name := exported(p.Name.Wire)
		wants = append(wants, want{key: p.Name.Wire, wire: p.Name.Wire, choices: []string{name, name + "Param", spelled(p.Name.Wire)},
			set: func(s string) { op.Fake.PathFields[i] = s }})
	}
	n.batch(newScope(fakeRequestFields), wants)
}

// fakeAnswers are the responses that end an exchange.
func fakeAnswers(op *Operation) (list []*FakeAnswer) {
	for _, r := range op.Responses {
		if r.Status.Code/100 == 1 || r.Status.Class == 1 {
			continue
		}
		a := &FakeAnswer{Func: op.Name.Go + r.Status.suffix(), Response: r}
		if r.Status.Success() && r.Type == nil && !bodiless(r.Status.Code) && op.Method != http.MethodHead {
			a.Stream = op.Stream
		}
		list = append(list, a)
	}
	return list
}

// suffix is a status at the end of a name.
func (s Status) suffix() string {
	switch {
	case s.Default:
		return "Default"
	case s.Class > 0:
		return strconv.Itoa(s.Class) + "XX"
	}
	return strconv.Itoa(s.Code)
}
