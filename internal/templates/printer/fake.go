package printer

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

const (
	retrytestPath = runtimePath + "/retrytest"
	fakePath      = retrytestPath + "/fake"
)

func fake(name string) *Statement { return Qual(fakePath, name) }

// faker prints the package of an API's fake.
type faker struct {
	api    *spec.API
	client string // import path
}

// FakeFile is the name of the file with the fake's Server.
const FakeFile = "fake.gen.go"

// FakeFiles prints the files of an API's fake; see templates.RenderFake.
func FakeFiles(api *spec.API) (map[string][]byte, error) {
	f := &faker{api, api.Fake.Client}
	pkg := goPackage{
		name: api.Fake.Package,
		about: []string{"Package " + api.Fake.Package + " is a fake of " + titleOf(api) + ": a server for tests of what calls it " +
			"with package " + api.Package + ". Import it from tests only."},
		imports: map[string]string{f.client: api.Package, retrytestPath: "retrytest", fakePath: "fake"},
	}
	return renderAll(pkg, []*goFile{
		{name: FakeFile, print: f.server, doc: true},
		{name: "requests.gen.go", print: f.requests},
		{name: "responses.gen.go", print: f.responses},
	})
}

// of prints a name of the client's package.
func (f *faker) of(name string) *Statement {
	id(name) // or it is a fault
	return Qual(f.client, name)
}

// server prints the fake's Server, and how it is made.
func (f *faker) server(g *Group) {
	g.Comment("// Generated code and runtime must agree on the contract. If this line does not")
	g.Comment("// compile, run go generate with the retrygen that go.mod selects.")
	g.Const().Id("_").Op("=").Add(rt("ContractV1")).Line()

	var c comment
	c.text("Server is a fake of " + oneLine(f.api.Title) + " with a handler for each operation. It fails the test where what arrives breaks the contract.")
	c.print(g)
	g.Type().Id("Server").StructFunc(func(g *Group) {
		g.Op("*").Add(fake("Server"))
		g.Line()
		for _, op := range f.api.Operations {
			g.Add(id(op.Fake.Field)).Add(fake("Operation")).Types(id(op.Fake.RequestType), id(op.Fake.ResponseType))
		}
	}).Line()

	test := func() *Statement { return Id("t").Qual("testing", "TB") }
	g.Comment("// New starts a fake on loopback, and closes it at the end of the test.")
	g.Func().Id("New").Params(test()).Op("*").Id("Server").Block(
		Id("t").Dot("Helper").Call(),
		Return(Id("NewWith").Call(Id("t"), Qual(retrytestPath, "Config").Values())),
	).Line()
	g.Comment("// NewWith starts a fake that is reached as config says: in memory, say, for tests")
	g.Comment("// in virtual time.")
	g.Func().Id("NewWith").Params(test(), Id("config").Qual(retrytestPath, "Config")).Op("*").Id("Server").Block(
		Id("t").Dot("Helper").Call(),
		Id("s").Op(":=").Op("&").Id("Server").Values(),
		Id("s").Dot("Server").Op("=").Add(fake("New")).Add(lines("(", ")", f.definitions()...)),
		Return(Id("s")),
	).Line()
	f.newClient(g)
}

// definitions are the arguments of fake.New.
func (f *faker) definitions() []Code {
	args := []Code{Id("t"), Lit(f.api.Fake.Package), Id("config")}
	for _, op := range f.api.Operations {
		args = append(args, Id("s").Dot(op.Fake.Field).Dot("Define").Call(f.contract(op), id(op.Fake.DecodeFunc)))
	}
	return args
}

// contract prints what the fake must know of an operation.
func (f *faker) contract(op *spec.Operation) Code {
	path := ""
	for _, part := range op.Path {
		if part.Param != nil {
			path += "{" + part.Param.Name.Wire + "}"
		} else {
			path += part.Literal
		}
	}
	pairs := []pair{{"Name", Lit(op.Name.Wire)}, {"Field", Lit(op.Fake.Field)}, {"Method", Lit(op.Method)}, {"Path", Lit(path)}}
	if op.FixedQuery != "" {
		pairs = append(pairs, pair{"Query", Lit(op.FixedQuery)})
	}
	if f := op.Further; f != nil {
		pairs = append(pairs, told("ContentType", f.Sends)...)
		pairs = append(pairs, told("Accept", f.Reads)...)
	}
	if op.Contract.Idempotency.V == spec.IdempotentByKey {
		key := op.Contract.Key
		pairs = append(pairs, pair{"KeyHeader", Lit(key.Header.V)}, pair{"KeyRetention", duration(key.Retention.V, "NoRetention")})
	}
	return fake("Contract").Add(fields(pairs...))
}

// told is a content type that tells a method from others of its operation. A range
// of them tells nothing.
func told(field, contentType string) []pair {
	if contentType == "" || strings.Contains(contentType, "*") {
		return nil
	}
	return []pair{{field, Lit(contentType)}}
}

// func (s *Server) Client(config pets.Config) *pets.Client {
func (f *faker) newClient(g *Group) {
	g.Comment("// Client is a client of the fake, which is drained at the end of the test. What")
	g.Comment("// config leaves empty is filled in: base URL, transport, credentials, and a retry")
	g.Comment("// budget that does not run out.")
	g.Func().Params(Id("s").Op("*").Id("Server")).Id("Client").Params(Id("config").Add(f.of("Config"))).Op("*").Add(f.of("Client")).BlockFunc(func(g *Group) {
		config := func(field string) *Statement { return Id("config").Dot(field) }
		g.Id("s").Dot("Reach").Call(Op("&").Add(config("BaseURL")), Op("&").Add(config("Upstream")))
		for _, scheme := range f.api.Schemes {
			g.Add(config(scheme.Name.Go)).Op("=").Add(fake("Credential")).Call(config(scheme.Name.Go))
		}
		g.List(Id("client"), Err()).Op(":=").Add(f.of("New")).Call(Id("config"))
		g.Return(fake("Client").Call(Id("s").Dot("Server"), Id("client"), Err()))
	})
}
