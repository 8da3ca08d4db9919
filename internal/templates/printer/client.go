package printer

import (
	"strings"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// client prints what all operations share: contract of the upstream, Config,
// Client and New.
func (p *printer) client(g *Group) {
	g.Comment("// Generated code and runtime must agree on the contract. If this line does not")
	g.Comment("// compile, run go generate with the retrygen that go.mod selects.")
	g.Const().Id("_").Op("=").Add(rt("ContractV1")).Line()

	upstreamContract(g, &p.api.Upstream)
	g.Line()
	p.operationList(g)
	p.config(g)
	p.clientStruct(g)
	p.clientInterface(g)
	p.constructor(g)

	g.Comment("// Upstream is the failure domain that all calls of the client share. Drain it")
	g.Comment("// before the process ends.")
	g.Func().Params(Id("c").Op("*").Id("Client")).Id("Upstream").Params().Op("*").Add(rt("Upstream")).Block(
		Return(Id("c").Dot("upstream")),
	)
}

func (p *printer) operationList(g *Group) {
	var all []Code
	for _, op := range p.api.Operations {
		all = append(all, Op("&").Add(id(op.Var)))
	}
	g.Comment("// operations are checked when a client is built.")
	g.Var().Id("operations").Op("=").Index().Op("*").Add(rt("Operation"), lines("{", "}", all...)).Line()
}

// type Config struct {
func (p *printer) config(g *Group) {
	field := func(g *Group, name string, goType Code, text ...string) {
		var c comment
		c.text(text...)
		c.print(g)
		g.Add(id(name), goType)
	}
	g.Comment("// Config tunes a Client. " + zeroConfig(p.api))
	g.Type().Id("Config").StructFunc(func(g *Group) {
		field(g, "BaseURL", String(), baseURLText(p.api.Servers))
		for _, v := range variables(p.api) {
			field(g, v.Name.Go, String(), variableText(v), v.Description)
		}
		for _, other := range p.api.Others {
			field(g, other.Name.Go, String(), other.Name.Go+" replaces "+oneLine(other.Name.Wire)+
				", where some operations are; BaseURL does, if that is set and this is not.", other.Description)
		}
		for _, scheme := range p.api.Schemes {
			field(g, scheme.Name.Go, rt("Credential"), credentialText(scheme), scheme.Description)
		}
		field(g, "Upstream", rt("UpstreamConfig"), "Upstream tunes connections, breaker, events and more.")
	}).Line()
}

func zeroConfig(api *spec.API) string {
	if len(api.Servers) == 0 {
		return "BaseURL is required."
	}
	return "Its zero value works."
}

func baseURLText(servers []*spec.Server) string {
	if len(servers) == 0 {
		return "BaseURL is where the API is; its description names no server."
	}
	text := "BaseURL replaces " + oneLine(servers[0].URL) + "."
	if len(servers) == 1 {
		return text
	}
	others := make([]string, len(servers)-1)
	for i, server := range servers[1:] {
		others[i] = oneLine(server.URL)
		if server.Description != "" {
			others[i] += " (" + strings.TrimSuffix(oneLine(server.Description), ".") + ")"
		}
	}
	return text + " The API's description also names " + strings.Join(others, ", ") + "."
}

// variables are the variables of the default server.
func variables(api *spec.API) []*spec.ServerVariable {
	if len(api.Servers) == 0 {
		return nil
	}
	return api.Servers[0].Variables
}

func variableText(v *spec.ServerVariable) string {
	text := v.Name.Go + " is {" + oneLine(v.Name.Wire) + "} of the server's URL; " + quoted(v.Default) + " if empty."
	if len(v.Enum) == 0 {
		return text
	}
	values := make([]string, len(v.Enum))
	for i, value := range v.Enum {
		values[i] = quoted(value)
	}
	return text + " One of " + strings.Join(values, ", ") + "."
}

func quoted(s string) string { return `"` + oneLine(s) + `"` }

// type Client struct {
func (p *printer) clientStruct(g *Group) {
	var c comment
	c.text("Client calls " + oneLine(p.api.Title) + ". It is safe for concurrent use; make one per process.")
	c.print(g)
	g.Type().Id("Client").StructFunc(func(g *Group) {
		g.Id("upstream").Op("*").Add(rt("Upstream"))
		for _, other := range p.api.Others {
			g.Add(id(unexported(other.Name.Go))).Op("*").Add(rt("Server"))
		}
		for _, auth := range p.auths {
			g.Add(id(auth.field), rt("Auth"))
		}
	}).Line()
}

// type API interface {
func (p *printer) clientInterface(g *Group) {
	name := p.api.Interface
	if name == "" {
		return
	}
	g.Comment("// " + name + " is what a Client does, for those who put something else in its place.")
	g.Type().Add(id(name)).InterfaceFunc(func(g *Group) {
		for _, op := range p.api.Operations {
			g.Add(signature(op))
			if op.Pagination != nil {
				g.Add(pagesSignature(op))
				if op.Pagination.Item != nil {
					g.Add(itemsSignature(op))
				}
			}
		}
	}).Line()
	g.Var().Id("_").Add(id(name)).Op("=").Parens(Op("*").Id("Client")).Parens(Nil()).Line()
}

// func New(config Config) (*Client, error) {
func (p *printer) constructor(g *Group) {
	g.Comment("// New builds a client. The error says what is wrong with config.")
	g.Func().Id("New").Params(Id("config").Id("Config")).Params(Op("*").Id("Client"), Error()).BlockFunc(func(g *Group) {
		baseURL := p.baseURL(g)
		g.List(Id("u"), Err()).Op(":=").Add(rt("NewUpstream")).Call(Id("upstream"), baseURL, Id("config").Dot("Upstream"), Id("operations"))
		g.If(Err().Op("!=").Nil()).Block(Return(Nil(), Err()))
		if len(p.auths)+len(p.api.Others) == 0 {
			g.Return(Op("&").Id("Client").Values(Id("upstream").Op(":").Id("u")), Nil())
			return
		}
		pairs := []pair{{"upstream", Id("u")}}
		for _, other := range p.api.Others {
			name := unexported(other.Name.Go)
			pairs = append(pairs, pair{name, rt("NewServer").Call(Lit(other.Name.Go),
				Id("config").Dot(other.Name.Go), Id("config").Dot("BaseURL"), Lit(other.Name.Wire))})
		}
		variables := schemeVariables(g, p.api)
		for _, auth := range p.auths {
			pairs = append(pairs, pair{auth.field, auth.anyOf(variables)})
		}
		g.Return(Op("&").Id("Client").Add(fields(pairs...)), Nil())
	}).Line()
}

// baseURL prints the expression of the base URL, and what it needs before.
func (p *printer) baseURL(g *Group) Code {
	own := Id("config").Dot("BaseURL")
	if len(p.api.Servers) == 0 {
		return own
	}
	url := Lit(p.api.Servers[0].URL)
	list := variables(p.api)
	if len(list) == 0 {
		return Qual("cmp", "Or").Call(own, url)
	}
	args := []Code{own, url}
	for _, v := range list {
		pairs := []Code{keyed2("Name", Lit(v.Name.Wire)), keyed2("Value", Id("config").Dot(v.Name.Go)), keyed2("Default", Lit(v.Default))}
		if len(v.Enum) > 0 {
			pairs = append(pairs, keyed2("Enum", texts(v.Enum)))
		}
		args = append(args, rt("Variable").Values(pairs...))
	}
	g.List(Id("baseURL"), Err()).Op(":=").Add(rt("ServerURL"), lines("(", ")", args...))
	g.If(Err().Op("!=").Nil()).Block(Return(Nil(), Err()))
	return Id("baseURL")
}

func keyed2(key string, value Code) Code { return Id(key).Op(":").Add(value) }
