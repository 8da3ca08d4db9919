package analyze

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// loop is a natural loop: its header, and all blocks that come back to it.
type loop struct {
	header *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool
}

// loopsAround are the loops that a block is in, whose headers dominate it.
func loopsAround(block *ssa.BasicBlock) (loops []*loop) {
	for header := block; header != nil; header = header.Idom() {
		l := &loop{header, map[*ssa.BasicBlock]bool{header: true}}
		for _, from := range header.Preds {
			if header.Dominates(from) {
				l.add(from)
			}
		}
		if len(l.blocks) > 1 && l.blocks[block] || loopsToItself(header, block) {
			loops = append(loops, l)
		}
	}
	return loops
}

func loopsToItself(header, block *ssa.BasicBlock) bool {
	if header != block {
		return false
	}
	for _, next := range header.Succs {
		if next == header {
			return true
		}
	}
	return false
}

// add takes in a block and all that lead to it.
func (l *loop) add(block *ssa.BasicBlock) {
	for stack := []*ssa.BasicBlock{block}; len(stack) > 0; {
		block := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if l.blocks[block] {
			continue
		}
		l.blocks[block] = true
		stack = append(stack, block.Preds...)
	}
}

// truth is what is known of a value on the paths that are walked: of an error,
// whether it is nil; of a bool, whether it is true.
type truth map[ssa.Value]bool

// walk goes from a call through the blocks that permit says, as the paths go if
// the call failed, or did not, and tells whether it comes to the call again. It
// takes every edge once, and calls at the end of a function leave.
func walk(call ssa.CallInstruction, failed bool, permit func(*ssa.BasicBlock) bool, leave func(*ssa.Return, truth)) (again bool) {
	known := truth{}
	for _, err := range errorsOf(call) {
		known[err] = !failed
		for _, use := range referrers(err) { // a variable that is captured
			if store, ok := use.(*ssa.Store); ok && store.Val == err {
				for _, load := range loadsOf(store.Addr) {
					known[load] = !failed
				}
			}
		}
	}
	type edge struct{ from, to *ssa.BasicBlock }
	taken := map[edge]bool{}
	start := call.Block()
	for queue := []*ssa.BasicBlock{start}; len(queue) > 0; queue = queue[1:] {
		block := queue[0]
		if end, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && leave != nil {
			leave(end, known)
		}
		for _, next := range known.successors(block) {
			if taken[edge{block, next}] || !permit(next) {
				continue
			}
			taken[edge{block, next}] = true
			if next == start {
				again = true
				continue
			}
			known.enter(block, next)
			queue = append(queue, next)
		}
	}
	return again
}

// enter keeps what is known of the values that meet in a block.
func (k truth) enter(from, to *ssa.BasicBlock) {
	for i, before := range to.Preds {
		if before != from {
			continue
		}
		for _, instruction := range to.Instrs {
			phi, ok := instruction.(*ssa.Phi)
			if !ok {
				return
			}
			if value, ok := k.of(phi.Edges[i]); ok {
				k[phi] = value
			} else {
				delete(k, phi)
			}
		}
	}
}

// successors are the blocks that can follow.
func (k truth) successors(block *ssa.BasicBlock) []*ssa.BasicBlock {
	branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
	if !ok {
		return block.Succs
	}
	value, ok := k.of(branch.Cond)
	switch {
	case !ok:
		return block.Succs
	case value:
		return block.Succs[:1]
	}
	return block.Succs[1:]
}

// of is what is known of a value.
func (k truth) of(v ssa.Value) (value, ok bool) {
	if value, ok := k[v]; ok {
		return value, ok
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil && isError(v.Type()) {
			return true, true
		}
		if v.Value != nil && types.Identical(v.Type().Underlying(), types.Typ[types.Bool]) {
			return v.Value.String() == "true", true
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			value, ok := k.of(v.X)
			return !value, ok
		}
	case *ssa.BinOp:
		return k.compare(v)
	case *ssa.Call:
		return k.ask(v)
	}
	return false, false
}

// compare knows err == nil and err != nil.
func (k truth) compare(v *ssa.BinOp) (value, ok bool) {
	x, y := v.X, v.Y
	if c, ok := x.(*ssa.Const); ok && c.IsNil() {
		x, y = y, x
	}
	if c, isConst := y.(*ssa.Const); !isConst || !c.IsNil() || !isError(x.Type()) {
		return false, false
	}
	isNil, ok := k.of(x)
	switch v.Op {
	case token.EQL:
		return isNil, ok
	case token.NEQ:
		return !isNil, ok
	}
	return false, false
}

// ask knows that a question about an error, such as errors.Is, is answered no
// where there is none.
func (k truth) ask(v *ssa.Call) (value, ok bool) {
	if !types.Identical(v.Type().Underlying(), types.Typ[types.Bool]) {
		return false, false
	}
	for _, arg := range v.Call.Args {
		if isNil, ok := k[arg]; ok && isNil && isError(arg.Type()) {
			return false, true
		}
	}
	return false, false
}

// retries reports whether a loop makes a call again because it failed: it comes
// again after a failure and not after a success, and is the same call each time.
func retries(call ssa.CallInstruction) bool {
	for _, l := range loopsAround(call.Block()) {
		inside := func(b *ssa.BasicBlock) bool { return l.blocks[b] }
		if walk(call, true, inside, nil) && !walk(call, false, inside, nil) && !l.varies(call) {
			return true
		}
	}
	return false
}

// varies reports whether the loop hands a call something else each time. The
// context and the options are no part of what is asked for.
func (l *loop) varies(call ssa.CallInstruction) bool {
	v := variance{l, map[ssa.Value]bool{}}
	common := call.Common()
	if common.IsInvoke() && v.of(common.Value) {
		return true
	}
	for _, arg := range common.Args {
		if !isContext(arg.Type()) && !isOptions(arg.Type()) && v.of(arg) {
			return true
		}
	}
	return false
}

func isContext(t types.Type) bool { return is(t, "context", "Context") }

func isOptions(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && isRuntime(slice.Elem(), "CallOption")
}

// variance tells what differs from one pass of a loop to the next.
type variance struct {
	loop  *loop
	known map[ssa.Value]bool
}

func (v variance) of(value ssa.Value) bool {
	if varies, ok := v.known[value]; ok {
		return varies
	}
	v.known[value] = false
	varies := v.look(value)
	v.known[value] = varies
	return varies
}

func (v variance) look(value ssa.Value) bool {
	instruction, ok := value.(ssa.Instruction)
	if !ok || !v.loop.blocks[instruction.Block()] {
		return false
	}
	switch instruction := instruction.(type) {
	case *ssa.Phi, *ssa.Next:
		return true
	case *ssa.UnOp:
		if instruction.Op == token.ARROW {
			return true
		}
	case *ssa.Alloc:
		return v.stored(instruction)
	case *ssa.Call:
		if yieldsNext(&instruction.Call) {
			return true
		}
	}
	for _, operand := range instruction.Operands(nil) {
		if *operand != nil && v.of(*operand) {
			return true
		}
	}
	return false
}

// stored reports whether what is put into a variable, or a field of it, varies.
func (v variance) stored(address ssa.Value) bool {
	for _, use := range referrers(address) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == address && v.of(use.Val) {
				return true
			}
		case *ssa.FieldAddr:
			if v.stored(use) {
				return true
			}
		case *ssa.IndexAddr:
			if v.stored(use) {
				return true
			}
		}
	}
	return false
}

// yieldsNext reports whether a call may be a step of something that is iterated:
// a method that takes nothing, or a context.
func yieldsNext(call *ssa.CallCommon) bool {
	signature := call.Signature()
	if !call.IsInvoke() && signature.Recv() == nil {
		return false
	}
	params := signature.Params()
	return params.Len() == 0 || params.Len() == 1 && isContext(params.At(0).Type())
}
