package analyze

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// mayRepeat reports whether a function of the package calls one of its
// parameters within a loop: only then is it worth a closer look.
func mayRepeat(pass *analysis.Pass) bool {
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && callsParamInLoop(pass.TypesInfo, fn) {
				return true
			}
		}
	}
	return false
}

func callsParamInLoop(info *types.Info, fn *ast.FuncDecl) (found bool) {
	params := map[types.Object]bool{}
	for _, field := range fn.Type.Params.List {
		if signature, ok := info.TypeOf(field.Type).Underlying().(*types.Signature); ok && fails(signature) {
			for _, name := range field.Names {
				params[info.Defs[name]] = true
			}
		}
	}
	if len(params) == 0 {
		return false
	}
	ast.PreorderStack(fn.Body, nil, func(n ast.Node, stack []ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		name, ok := ast.Unparen(call.Fun).(*ast.Ident)
		found = ok && params[info.Uses[name]] && slices.ContainsFunc(stack, isLoop)
		return true
	})
	return found
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
		return true
	}
	return false
}

// fails reports whether a function's last result is an error.
func fails(signature *types.Signature) bool {
	last := signature.Results().Len() - 1
	return last >= 0 && isError(signature.Results().At(last).Type())
}

// findRepeaters finds the functions that repeat what they are given, and what
// such functions are given.
func (p *program) findRepeaters(pass *analysis.Pass) {
	for _, fn := range p.functions {
		f := object(fn)
		if f == nil {
			continue
		}
		if params := repeatedParams(fn); params != nil {
			pass.ExportObjectFact(f, &Repeater{params})
		}
	}
	for _, fn := range p.functions {
		for _, call := range callsOf(fn) {
			p.findRepeated(pass, call)
		}
	}
}

// findRepeated finds the functions that one call hands to something which
// repeats them.
func (p *program) findRepeated(pass *analysis.Pass, call ssa.CallInstruction) {
	f, repeater := callee(call.Common()), new(Repeater)
	if f == nil || f.Pkg() == nil {
		return
	}
	args := argsOf(call.Common())
	if within(f.Pkg().Path(), retriers) {
		for _, arg := range args {
			for _, v := range append(elements(arg), arg) {
				p.hand(p.retried, function(v), retried{f, call})
			}
		}
		return
	}
	if !pass.ImportObjectFact(f, repeater) {
		return
	}
	for _, i := range repeater.Params {
		p.hand(p.repeated, function(args[i]), retried{f, call})
	}
}

func (p *program) hand(to map[*ssa.Function]retried, given *ssa.Function, by retried) {
	if given == nil {
		return
	}
	to[given] = by
	if contract := p.bound[given]; contract != nil {
		p.handed = append(p.handed, handed{by, contract})
	}
}

// argsOf are the arguments without the receiver.
func argsOf(call *ssa.CallCommon) []ssa.Value {
	if !call.IsInvoke() && call.Signature().Recv() != nil {
		return call.Args[1:]
	}
	return call.Args
}

// repeatedParams are the places of the parameters that fn calls again when they
// fail.
func repeatedParams(fn *ssa.Function) (places []int) {
	receivers := len(fn.Params) - fn.Signature.Params().Len()
	for i, param := range fn.Params[receivers:] {
		for _, use := range referrers(param) {
			call, ok := use.(ssa.CallInstruction)
			if ok && call.Common().Value == param && fails(call.Common().Signature()) && retries(call) {
				places = append(places, i)
				break
			}
		}
	}
	return places
}
