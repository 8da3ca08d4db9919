package analyze

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// OneShot finds bodies that could be sent again and are not.
var OneShot = check("oneshot", `find bodies that are read once where they could be opened anew

After an attempt has begun to read a body that can be read once, there is no
other attempt. A file, or what lies in memory, can be read again.`, findOneShots)

func findOneShots(r *reporter, p *program) {
	for _, s := range p.sites {
		if s.contract.Direct && s.contract.Replayability == "OneShot" && s.contract.MaxAttempts > 1 {
			r.oneShotArgs(s)
		}
	}
	for _, fn := range p.functions {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				r.oneShot(instruction)
			}
		}
	}
}

// oneShotArgs looks at the readers that are handed to a method.
func (r *reporter) oneShotArgs(s *site) {
	for _, arg := range s.call.Common().Args {
		if what := rereadable(arg); is(arg.Type(), "io", "Reader") && what != nil {
			r.report(r.at(s.call.Pos(), fmt.Sprintf("%s reads the %s once, and is not repeated after that: let the document say "+
				"x-replayability: %s for this body, and hand over %s", s.describe(), what.name, what.replayability, what.instead)))
		}
	}
}

// readable is something that can be read again, and how.
type readable struct {
	name          string
	replayability string
	instead       string
	seeks, closes bool
}

var readables = map[[2]string]*readable{
	{"os", "File"}:          {"file", "reopenable", "runtime.Seeker(file), or a function that opens it", true, true},
	{"bytes", "Reader"}:     {"*bytes.Reader", "reopenable", "runtime.Seeker(reader)", true, false},
	{"strings", "Reader"}:   {"*strings.Reader", "reopenable", "runtime.Seeker(reader)", true, false},
	{"io", "SectionReader"}: {"*io.SectionReader", "reopenable", "runtime.Seeker(reader)", true, false},
	{"bytes", "Buffer"}:     {"*bytes.Buffer", "replayable", "its Bytes", false, false},
}

// rereadable is what a reader was before it became one; nil where that is not
// known, or can be read once only.
func rereadable(reader ssa.Value) *readable {
	for {
		switch v := reader.(type) {
		case *ssa.MakeInterface:
			t := named(v.X.Type())
			if t == nil || t.Obj().Pkg() == nil || isStandardStream(v) {
				return nil
			}
			if path, name := t.Obj().Pkg().Path(), t.Obj().Name(); path != "bufio" {
				return readables[[2]string{path, name}]
			}
			reader = v.X
		case *ssa.ChangeInterface:
			reader = v.X
		case *ssa.Call:
			path, name := place(callee(&v.Call))
			if (path != "bufio" || name != "NewReader" && name != "NewReaderSize") && (path != "io" || name != "NopCloser") {
				return nil
			}
			reader = v.Call.Args[0]
		default:
			return nil
		}
	}
}

// oneShot looks at what makes bodies: runtime.Stream, FileReader, Opener.
func (r *reporter) oneShot(instruction ssa.Instruction) {
	switch instruction := instruction.(type) {
	case *ssa.Call:
		if runtimeCall(instruction, "Stream") != nil {
			if what := rereadable(instruction.Call.Args[1]); what != nil {
				r.stream(instruction, what)
			}
		}
	case *ssa.Store:
		address, ok := instruction.Addr.(*ssa.FieldAddr)
		if !ok || !pointsTo(address.X.Type(), Runtime, "FileReader") {
			return
		}
		if what := rereadable(instruction.Val); what != nil {
			r.report(r.at(firstPos(instruction.Pos(), address.Pos()), fmt.Sprintf("the %s is read once, and the call is not repeated after that: "+
				"let the document say x-replayability: %s for this part, and hand over %s", what.name, what.replayability, what.instead)))
		}
	case *ssa.ChangeType:
		if isRuntime(instruction.Type(), "Opener") {
			r.opener(function(instruction.X))
		}
	}
}

// stream reports runtime.Stream of what can be read again. A reader in memory
// that is made there has not been read yet and needs no closing, so that it can
// be replaced.
func (r *reporter) stream(call *ssa.Call, what *readable) {
	d := r.at(call.Pos(), fmt.Sprintf("runtime.Stream reads the %s once, and the call is not repeated after that: use runtime.%s",
		what.name, map[bool]string{true: "Reopen with runtime.Seeker", false: "Bytes"}[what.seeks]))
	source := r.callAt(call.Pos())
	if source == nil || len(source.Args) != 2 || !what.seeks || what.closes {
		r.report(d)
		return
	}
	selector, ok := ast.Unparen(source.Fun).(*ast.SelectorExpr)
	if _, made := ast.Unparen(source.Args[1]).(*ast.CallExpr); ok && made {
		qualifier, isName := selector.X.(*ast.Ident)
		if isName {
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message: "Rewind it for every attempt",
				TextEdits: []analysis.TextEdit{
					{Pos: selector.Sel.Pos(), End: selector.Sel.End(), NewText: []byte("Reopen")},
					{Pos: source.Args[1].Pos(), End: source.Args[1].Pos(), NewText: []byte(qualifier.Name + ".Seeker(")},
					{Pos: source.Args[1].End(), End: source.Args[1].End(), NewText: []byte(")")},
				},
			}}
		}
	}
	r.report(d)
}

// opener reports a function that opens nothing: it yields a reader from outside,
// which the first attempt has read.
func (r *reporter) opener(fn *ssa.Function) {
	if fn == nil || len(fn.Blocks) != 1 {
		return
	}
	end, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || len(end.Results) != 2 || !outside(end.Results[0]) || rewinds(fn) {
		return
	}
	d := analysis.Diagnostic{Pos: fn.Pos(), Message: "the opener yields the same reader for every attempt, and the first has read it: open it anew, or use runtime.Seeker"}
	if literal, ok := fn.Syntax().(*ast.FuncLit); ok {
		d.Pos, d.End = literal.Pos(), literal.End()
	}
	r.report(d)
}

// outside reports whether a reader comes from outside the function.
func outside(v ssa.Value) bool {
	for {
		switch value := v.(type) {
		case *ssa.FreeVar, *ssa.Global, *ssa.Parameter:
			return true
		case *ssa.UnOp:
			v = value.X
		case *ssa.FieldAddr:
			v = value.X
		case *ssa.MakeInterface:
			v = value.X
		case *ssa.ChangeInterface:
			v = value.X
		case *ssa.Call:
			path, name := place(callee(&value.Call))
			if path != "io" || name != "NopCloser" {
				return false
			}
			v = value.Call.Args[0]
		default:
			return false
		}
	}
}

// rewinds reports whether a function calls a method named Seek or Reset.
func rewinds(fn *ssa.Function) bool {
	for _, call := range callsOf(fn) {
		if _, name := place(callee(call.Common())); name == "Seek" || name == "Reset" {
			return true
		}
	}
	return false
}
