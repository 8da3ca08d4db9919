package analyze

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// named is the named type that t is or points to; nil for others.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// is reports whether t is the type of the given package and name; a pointer to
// it is another type.
func is(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

func isRuntime(t types.Type, name string) bool { return is(t, Runtime, name) }

func pointsTo(t types.Type, path, name string) bool {
	pointer, ok := types.Unalias(t).(*types.Pointer)
	return ok && is(pointer.Elem(), path, name)
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

// calls reports whether a call is of a function of the given package.
func calls(info *types.Info, call *ast.CallExpr, path string) bool {
	callee := typeutil.Callee(info, call)
	return callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == path
}

// function is the function of a value: a literal, a declared function, a bound
// method; nil where only the run tells.
func function(v ssa.Value) *ssa.Function {
	for {
		switch value := v.(type) {
		case *ssa.Function:
			return value
		case *ssa.MakeClosure:
			return declared(value.Fn.(*ssa.Function))
		case *ssa.ChangeType:
			v = value.X
		case *ssa.MakeInterface:
			v = value.X
		default:
			return nil
		}
	}
}

// declared is the method behind one that is bound to its receiver.
func declared(fn *ssa.Function) *ssa.Function {
	if f := object(fn); f != nil && fn.Synthetic != "" {
		if method := fn.Prog.FuncValue(f); method != nil {
			return method
		}
	}
	return fn
}

// object is the declared function or method behind fn, without type arguments;
// nil for literals.
func object(fn *ssa.Function) *types.Func {
	if fn == nil {
		return nil
	}
	f, _ := source(fn).Object().(*types.Func)
	return f
}

// source is a function as it is written: of an instance, the generic one.
func source(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// callee is the declared function or method that is called; nil for literals and
// function values.
func callee(call *ssa.CallCommon) *types.Func {
	if call.IsInvoke() {
		return call.Method
	}
	return object(call.StaticCallee())
}

// place is the package path and name of a function.
func place(f *types.Func) (path, name string) {
	if f == nil {
		return "", ""
	}
	if f.Pkg() != nil {
		path = f.Pkg().Path()
	}
	return path, f.Name()
}

// runtimeCall is the call of a function of the runtime that yields v; nil if v is
// something else.
func runtimeCall(v ssa.Value, name string) *ssa.Call {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if path, called := place(callee(&call.Call)); path == Runtime && called == name {
		return call
	}
	return nil
}

// referrers are the instructions that use v.
func referrers(v ssa.Value) []ssa.Instruction {
	if all := v.Referrers(); all != nil {
		return *all
	}
	return nil
}

// result are the values that a call yields at the given place of its results.
func result(call ssa.CallInstruction, at int) (values []ssa.Value) {
	value, ok := call.(*ssa.Call)
	if !ok {
		return nil
	}
	if call.Common().Signature().Results().Len() == 1 {
		return []ssa.Value{value}
	}
	for _, use := range referrers(value) {
		if extract, ok := use.(*ssa.Extract); ok && extract.Index == at {
			values = append(values, extract)
		}
	}
	return values
}

// errorsOf are the values of a call's error, which is its last result.
func errorsOf(call ssa.CallInstruction) []ssa.Value {
	if signature := call.Common().Signature(); returnsError(signature) {
		return result(call, signature.Results().Len()-1)
	}
	return nil
}

// returnsError reports whether the last result is an error.
func returnsError(s *types.Signature) bool {
	last := s.Results().Len() - 1
	return last >= 0 && isError(s.Results().At(last).Type())
}

// loadsOf are the values that are read from a variable.
func loadsOf(variable ssa.Value) (loads []ssa.Value) {
	for _, use := range referrers(variable) {
		if load, ok := use.(*ssa.UnOp); ok {
			loads = append(loads, load)
		}
	}
	return loads
}

// elements are the values that a slice literal, or a variadic argument, is made
// of; none where only the run tells.
func elements(v ssa.Value) (values []ssa.Value) {
	slice, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, use := range referrers(array) {
		address, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range referrers(address) {
			if store, ok := use.(*ssa.Store); ok && store.Addr == address {
				values = append(values, store.Val)
			}
		}
	}
	return values
}
