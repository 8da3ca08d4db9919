package analyze

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// generated exports the contracts of a generated client: a method of it calls a
// function of the runtime that takes a *runtime.Operation, whose literal stands
// in the same package.
type generated struct {
	pass     *analysis.Pass
	literals map[types.Object]*ast.CompositeLit
	methods  map[*types.TypeName]map[string]*Contract // by receiver and name
}

func exportGenerated(pass *analysis.Pass) {
	if !imports(pass.Pkg, Runtime) {
		return
	}
	g := generated{pass, map[types.Object]*ast.CompositeLit{}, map[*types.TypeName]map[string]*Contract{}}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.VAR {
				g.addLiterals(decl)
			}
		}
	}
	if len(g.literals) == 0 {
		return
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Recv != nil && decl.Body != nil {
				g.addMethod(decl)
			}
		}
	}
	g.exportInterfaces()
}

func imports(pkg *types.Package, path string) bool {
	for _, imported := range pkg.Imports() {
		if imported.Path() == path {
			return true
		}
	}
	return false
}

// addLiterals keeps the variables whose value is a literal of runtime.Operation.
func (g *generated) addLiterals(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok || len(spec.Names) != len(spec.Values) {
			continue
		}
		for i, value := range spec.Values {
			literal, ok := value.(*ast.CompositeLit)
			if ok && isRuntime(g.pass.TypesInfo.TypeOf(literal), "Operation") {
				g.literals[g.pass.TypesInfo.Defs[spec.Names[i]]] = literal
			}
		}
	}
}

func (g *generated) addMethod(decl *ast.FuncDecl) {
	method, ok := g.pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	receiver := named(method.Signature().Recv().Type())
	if receiver == nil {
		return
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		literal := g.contractOf(call)
		if literal == nil {
			return true
		}
		contract := g.read(literal)
		contract.Package = g.pass.Pkg.Path()
		contract.Method = receiver.Obj().Name() + "." + method.Name()
		g.pass.ExportObjectFact(method, contract)
		if g.methods[receiver.Obj()] == nil {
			g.methods[receiver.Obj()] = map[string]*Contract{}
		}
		g.methods[receiver.Obj()][method.Name()] = contract
		return false
	})
}

// contractOf is the literal that a call hands to the runtime; nil if it hands
// none.
func (g *generated) contractOf(call *ast.CallExpr) *ast.CompositeLit {
	signature, ok := g.pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok || !calls(g.pass.TypesInfo, call, Runtime) {
		return nil
	}
	for i := range min(signature.Params().Len(), len(call.Args)) {
		pointer, ok := signature.Params().At(i).Type().(*types.Pointer)
		if !ok || !isRuntime(pointer.Elem(), "Operation") {
			continue
		}
		address, ok := ast.Unparen(call.Args[i]).(*ast.UnaryExpr)
		if !ok || address.Op != token.AND {
			return nil
		}
		if name, ok := ast.Unparen(address.X).(*ast.Ident); ok {
			return g.literals[g.pass.TypesInfo.Uses[name]]
		}
	}
	return nil
}

// read takes from a literal what the checks ask for.
func (g *generated) read(literal *ast.CompositeLit) *Contract {
	c := &Contract{Idempotency: "Undeclared", Replayability: "NoBody", MaxAttempts: 1, Direct: true}
	for _, element := range literal.Elts {
		field, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name, ok := field.Key.(*ast.Ident)
		if !ok {
			continue
		}
		value := g.pass.TypesInfo.Types[field.Value].Value
		switch name.Name {
		case "Route":
			c.Route = text(value)
		case "KeyTemplate":
			c.KeyTemplate = text(value)
		case "Idempotency":
			c.Idempotency = constantName(g.pass.TypesInfo, field.Value, c.Idempotency)
		case "Replayability":
			c.Replayability = constantName(g.pass.TypesInfo, field.Value, c.Replayability)
		case "MaxAttempts":
			if n, exact := constant.Int64Val(value); exact {
				c.MaxAttempts = max(n, 1)
			}
		}
	}
	return c
}

func text(v constant.Value) string {
	if v == nil || v.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(v)
}

// constantName is the name of the constant that an expression refers to.
func constantName(info *types.Info, e ast.Expr, fallback string) string {
	if selector, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if c, ok := info.Uses[selector.Sel].(*types.Const); ok {
			return c.Name()
		}
	}
	return fallback
}

// exportInterfaces gives the methods of an interface that a client implements
// the contracts of the client's.
func (g *generated) exportInterfaces() {
	scope := g.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		if api, ok := declared.Type().Underlying().(*types.Interface); ok && api.NumExplicitMethods() > 0 {
			g.exportInterface(api)
		}
	}
}

func (g *generated) exportInterface(api *types.Interface) {
	scope := g.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		client, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || g.methods[client] == nil || !types.Implements(types.NewPointer(client.Type()), api) {
			continue
		}
		for method := range api.ExplicitMethods() {
			if contract := g.methods[client][method.Name()]; contract != nil {
				g.pass.ExportObjectFact(method, contract)
			}
		}
		return
	}
}
