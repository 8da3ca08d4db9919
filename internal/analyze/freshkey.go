package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// FreshKey finds idempotency keys that protect nothing.
var FreshKey = check("freshkey", `find idempotency keys that are made anew for a call

An idempotency key protects from doing a thing twice only if whoever does it
again has the same key. One that is drawn where the call stands is lost with it:
each repetition is another payment.`, findFreshKeys)

func findFreshKeys(r *reporter, p *program) {
	for _, s := range p.sites {
		if !s.contract.Direct {
			continue
		}
		for _, option := range optionsOf(s) {
			key := runtimeCall(option, "Key")
			if key == nil {
				continue
			}
			if !s.contract.keyed() {
				r.report(r.at(key.Pos(), s.describe()+" takes no idempotency key, and every call with one is rejected: remove the option"))
				continue
			}
			if drawn := drawnFrom(key.Call.Args[0], map[ssa.Value]bool{}); drawn != nil {
				r.key(s, p, key, drawn)
			}
		}
	}
}

// key reports a key that is drawn where it is used.
func (r *reporter) key(s *site, p *program, key, drawn *ssa.Call) {
	again := repeatedWith(s, p, drawn)
	if !again && stored(drawn, key, map[ssa.Value]bool{}) {
		return
	}
	d := r.at(key.Pos(), "")
	switch {
	case again:
		d.Message = "every repetition of " + s.describe() + " bears another idempotency key, so each may act once: draw the key before, and store it"
	case s.contract.KeyTemplate != "":
		d.Message = fmt.Sprintf("a key that is drawn here replaces the contract's %s, which is the same whenever the call is made again: remove the option", s.contract.KeyTemplate)
	default:
		d.Message = "a key that is drawn here and stored nowhere protects from nothing that the client's own does not: remove the option, or store the key before the call"
		d.SuggestedFixes = r.removeOption(key, drawn)
	}
	r.report(d)
}

// repeatedWith reports whether a call is repeated, and its key drawn anew with it.
func repeatedWith(s *site, p *program, drawn *ssa.Call) bool {
	if drawn.Parent() != s.call.Parent() {
		return false
	}
	if p.repeated[s.call.Parent()].by != nil || p.retried[s.call.Parent()].by != nil {
		return true
	}
	if !retries(s.call) {
		return false
	}
	for _, l := range loopsAround(s.call.Block()) {
		if l.blocks[drawn.Block()] {
			return true
		}
	}
	return false
}

// drawnFrom is the call that makes a value differ from one time to the next; nil
// if there is none.
func drawnFrom(v ssa.Value, known map[ssa.Value]bool) *ssa.Call {
	if v == nil || known[v] {
		return nil
	}
	known[v] = true
	call, ok := v.(*ssa.Call)
	if ok {
		if f := callee(&call.Call); f != nil && isSource(f) {
			return call
		}
		if isDay(&call.Call) {
			return nil
		}
	}
	for _, part := range elements(v) {
		if drawn := drawnFrom(part, known); drawn != nil {
			return drawn
		}
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return drawnInto(load.X, known)
	}
	instruction, ok := v.(ssa.Instruction)
	if _, phi := v.(*ssa.Phi); !ok || phi {
		return nil // a key that may be another's
	}
	for _, operand := range instruction.Operands(nil) {
		if drawn := drawnFrom(*operand, known); drawn != nil {
			return drawn
		}
	}
	return nil
}

// drawnInto is what is put into a variable, such as the array of a UUID.
func drawnInto(variable ssa.Value, known map[ssa.Value]bool) *ssa.Call {
	if _, ok := variable.(*ssa.Alloc); !ok {
		return nil
	}
	for _, use := range referrers(variable) {
		if store, ok := use.(*ssa.Store); ok && store.Addr == variable {
			if drawn := drawnFrom(store.Val, known); drawn != nil {
				return drawn
			}
		}
	}
	return nil
}

// isDay tells what takes a day or an hour from a time, which many calls share.
func isDay(call *ssa.CallCommon) bool {
	path, name := place(callee(call))
	if path != "time" {
		return false
	}
	switch name {
	case "Format":
		layout, ok := call.Args[len(call.Args)-1].(*ssa.Const)
		return ok && !strings.Contains(layout.Value.ExactString(), "05")
	case "Truncate", "Round", "Date", "Year", "YearDay", "Month", "Day", "Weekday", "ISOWeek", "Hour":
		return true
	}
	return false
}

// stored reports whether a value, or what is made of it, is used for anything
// but the key and a log, so that the call can be made again with it.
func stored(v ssa.Value, key *ssa.Call, known map[ssa.Value]bool) bool {
	if known[v] {
		return false
	}
	known[v] = true
	for _, use := range referrers(v) {
		switch use := use.(type) {
		case *ssa.Call:
			if use == key {
				continue
			}
			f := callee(&use.Call)
			if f != nil && logs(f) {
				continue
			}
			if path, _ := place(f); f == nil || path != "time" && !isText(use.Type()) {
				return true // UnixNano and its like convert
			}
			if stored(use, key, known) {
				return true
			}
		case *ssa.Store:
			if leaves(use, key, known) {
				return true
			}
		case *ssa.Return, *ssa.MapUpdate, *ssa.Send, ssa.CallInstruction:
			return true
		case ssa.Value:
			if stored(use, key, known) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether what is put somewhere leaves the function.
func leaves(store *ssa.Store, key *ssa.Call, known map[ssa.Value]bool) bool {
	switch address := store.Addr.(type) {
	case *ssa.Alloc:
		return stored(address, key, known)
	case *ssa.IndexAddr:
		if array, ok := address.X.(*ssa.Alloc); ok {
			return stored(array, key, known)
		}
	}
	return true
}

// isText tells the results of conversions and of Sprintf.
func isText(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// removeOption removes an option that stands in the call itself, and the drawing
// in it.
func (r *reporter) removeOption(key, drawn *ssa.Call) []analysis.SuggestedFix {
	option := r.callAt(key.Pos())
	if option == nil || drawn.Pos() < option.Pos() || drawn.Pos() > option.End() {
		return nil
	}
	call := r.callWith(option)
	if call == nil {
		return nil
	}
	for i, arg := range call.Args {
		if arg == option && i > 0 {
			return []analysis.SuggestedFix{{
				Message:   "Remove the option",
				TextEdits: []analysis.TextEdit{{Pos: call.Args[i-1].End(), End: option.End()}},
			}}
		}
	}
	return nil
}

// callWith is the call that an argument stands in.
func (r *reporter) callWith(arg *ast.CallExpr) (found *ast.CallExpr) {
	for _, file := range r.Files {
		if arg.Pos() < file.FileStart || arg.Pos() >= file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || n.Pos() > arg.Pos() || n.End() < arg.End() {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && call != arg && call.Lparen < arg.Pos() {
				found = call // the innermost is found last
			}
			return true
		})
	}
	return found
}
