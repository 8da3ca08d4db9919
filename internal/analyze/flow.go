package analyze

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// fate is where an error goes, over all paths.
type fate struct {
	asked bool // whether it is ambiguous
	// returned are the functions that hand it to their callers, whole or wrapped:
	// of a variable that closures share, the one around them, too.
	returned  []*ssa.Function
	kept      bool // in a field, a channel, or by code that is not seen
	logged    bool
	flattened bool // to a text, or to an error that does not unwrap to it
	// plain are calls of fmt.Errorf that could wrap it.
	plain []plainError
}

// plainError is a call of fmt.Errorf that formats an error without %w.
type plainError struct {
	call *ssa.Call
	arg  int // of the arguments after the format
}

// seen reports whether somebody may still look at the error.
func (f *fate) seen() bool { return f.asked || len(f.returned) > 0 || f.kept }

// flows follows errors within one package.
type flows struct {
	pkg *types.Package
	// params are the fates of parameters; nil while they are being followed.
	params map[*ssa.Parameter]*fate
}

func newFlows(pkg *types.Package) *flows { return &flows{pkg, map[*ssa.Parameter]*fate{}} }

// held is a value that holds the error, or only its text.
type held struct {
	value ssa.Value
	text  bool
	arg   int // its place among variadic arguments
}

// follower is one error that is being followed.
type follower struct {
	flows *flows
	fate  fate
	queue []held
	known map[held]bool
}

// fate follows the values of one error.
func (f *flows) fate(values ...ssa.Value) fate {
	w := &follower{flows: f, known: map[held]bool{}}
	for _, v := range values {
		w.add(held{value: v})
	}
	for len(w.queue) > 0 {
		h := w.queue[0]
		w.queue = w.queue[1:]
		for _, use := range referrers(h.value) {
			w.use(h, use)
		}
	}
	return w.fate
}

func (w *follower) add(h held) {
	if !w.known[h] {
		w.known[h] = true
		w.queue = append(w.queue, h)
	}
}

// keep marks what leaves our sight; a text alone is no error any more.
func (w *follower) keep(h held) {
	if h.text {
		w.fate.flattened = true
	} else {
		w.fate.kept = true
	}
}

func (w *follower) use(h held, use ssa.Instruction) {
	switch use := use.(type) {
	case *ssa.Phi, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface, *ssa.Convert, *ssa.Slice, *ssa.MultiConvert:
		w.add(held{use.(ssa.Value), h.text, h.arg})
	case *ssa.Extract:
		if types.IsInterface(use.Type()) { // what comes with an error is none
			w.add(held{value: use, text: h.text})
		}
	case *ssa.BinOp:
		if h.text {
			w.add(held{value: use, text: true}) // joined to another text, or compared
		}
	case *ssa.TypeAssert:
		w.assert(h, use)
	case *ssa.Return:
		switch fn := use.Parent(); {
		case h.text:
			w.fate.flattened = true
		case !slices.Contains(w.fate.returned, fn):
			w.fate.returned = append(w.fate.returned, fn)
		}
	case *ssa.Store:
		w.store(h, use)
	case *ssa.Panic:
		w.fate.kept = true
	case ssa.CallInstruction:
		w.call(h, use)
	case *ssa.MapUpdate, *ssa.Send, *ssa.MakeClosure, *ssa.Field, *ssa.Index:
		w.keep(h)
	}
}

func (w *follower) assert(h held, use *ssa.TypeAssert) {
	switch {
	case pointsTo(use.AssertedType, Runtime, "AmbiguousError"):
		w.fate.asked = true
	case types.IsInterface(use.AssertedType):
		w.add(held{value: use, text: h.text})
	}
}

// store follows a variable that is captured or whose address is taken, and the
// slice of variadic arguments.
func (w *follower) store(h held, use *ssa.Store) {
	if use.Val != h.value {
		return
	}
	switch address := use.Addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		w.loads(address, h)
		return
	case *ssa.IndexAddr:
		array, ok := address.X.(*ssa.Alloc)
		index, constant := address.Index.(*ssa.Const)
		if ok && constant {
			for _, use := range referrers(array) {
				if slice, ok := use.(*ssa.Slice); ok {
					w.add(held{slice, h.text, int(index.Int64())})
				}
			}
			return
		}
	}
	w.keep(h)
}

// loads follows what is read from a variable, by closures too.
func (w *follower) loads(variable ssa.Value, h held) {
	if w.known[held{variable, h.text, -1}] {
		return
	}
	w.known[held{variable, h.text, -1}] = true
	for _, use := range referrers(variable) {
		switch use := use.(type) {
		case *ssa.UnOp:
			w.add(held{value: use, text: h.text})
		case *ssa.MakeClosure:
			for i, binding := range use.Bindings {
				if binding == variable {
					w.loads(use.Fn.(*ssa.Function).FreeVars[i], h)
				}
			}
		case *ssa.Store:
			if use.Val == variable {
				w.keep(h)
			}
		case ssa.CallInstruction, *ssa.MakeInterface, *ssa.Return:
			w.keep(h) // by address
		}
	}
	if free, ok := variable.(*ssa.FreeVar); ok {
		w.outer(free, h)
	}
}

// outer follows what a closure leaves in a variable of the function around it.
func (w *follower) outer(free *ssa.FreeVar, h held) {
	fn := free.Parent()
	for i, candidate := range fn.FreeVars {
		if candidate != free {
			continue
		}
		for _, use := range referrers(fn) {
			if closure, ok := use.(*ssa.MakeClosure); ok {
				w.loads(closure.Bindings[i], h)
			}
		}
	}
}

func (w *follower) call(h held, call ssa.CallInstruction) {
	common := call.Common()
	if common.IsInvoke() && common.Value == h.value {
		if common.Method.Name() == "Error" {
			w.result(held{value: call.Value(), text: true})
		} else {
			w.fate.kept = true
		}
		return
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "append" {
			w.result(held{value: call.Value(), text: h.text})
		} else if strings.HasPrefix(builtin.Name(), "print") {
			w.log(call)
		}
		return
	}
	if f := callee(common); f != nil && w.library(h, call, f) {
		return
	}
	if fn := source(common.StaticCallee()); fn != nil && fn.Blocks != nil && fn.Synthetic == "" {
		w.enter(h, call, fn)
		return
	}
	w.keep(h)
}

func (w *follower) result(h held) {
	if h.value != nil {
		w.add(h)
	}
}

// enter follows the error through a function of the package.
func (w *follower) enter(h held, call ssa.CallInstruction, fn *ssa.Function) {
	for i, arg := range call.Common().Args {
		if arg != h.value || i >= len(fn.Params) {
			continue
		}
		if h.text {
			w.fate.flattened = true
			continue
		}
		inner := w.flows.param(fn.Params[i])
		w.fate.asked = w.fate.asked || inner.asked
		w.fate.kept = w.fate.kept || inner.kept
		w.fate.logged = w.fate.logged || inner.logged
		w.fate.flattened = w.fate.flattened || inner.flattened
		for _, returner := range inner.returned {
			if returner != fn {
				w.fate.kept = true // by a closure that is made of it
			} else if value, ok := call.(*ssa.Call); ok {
				w.add(held{value: value})
			}
		}
	}
}

// param is the fate of a parameter. One that is being followed already, in a
// recursion, counts as kept.
func (f *flows) param(p *ssa.Parameter) fate {
	known, ok := f.params[p]
	switch {
	case !ok:
		f.params[p] = nil
		followed := f.fate(p)
		f.params[p] = &followed
		return followed
	case known == nil:
		return fate{kept: true}
	}
	return *known
}

// library knows what functions of other packages do with an error.
func (w *follower) library(h held, call ssa.CallInstruction, f *types.Func) bool {
	path, name := place(f)
	switch {
	case path == Runtime:
		switch name {
		case "OutcomeOf", "ProblemOf", "Replay", "ReplayAcceptingDuplicate":
			w.fate.asked = true
		}
	case path == "errors":
		w.standard(h, call, name)
	case path == "fmt":
		w.format(h, call, name)
	case beginsWith(name, ends) && (within(path, loggers) || logs(f)), isEnding(call):
		w.fate.kept = true // the process ends with it
	case logs(f):
		w.log(call)
		if !h.text {
			w.result(held{value: call.Value()}) // a field or an entry, which may be fatal yet
		}
	case within(path, wrappers) && !h.text:
		w.fate.flattened = w.fate.flattened || name == "Errorf"
		if name != "Cause" && name != "Is" && name != "As" && name != "Errorf" {
			w.result(held{value: call.Value()})
		}
		w.fate.asked = w.fate.asked || name == "As" && asksAmbiguous(call)
	case path == "google.golang.org/grpc/status", path == "net/http" && name == "Error":
		w.fate.flattened = true
	default:
		return false
	}
	return true
}

// standard is what package errors does.
func (w *follower) standard(h held, call ssa.CallInstruction, name string) {
	switch name {
	case "As", "AsType":
		w.fate.asked = w.fate.asked || asksAmbiguous(call)
	case "Join", "Unwrap":
		w.result(held{value: call.Value()})
	case "New":
		w.fate.flattened = w.fate.flattened || h.text
	}
}

// asksAmbiguous reports whether a call of errors.As or AsType finds an
// AmbiguousError, or an interface that it may implement.
func asksAmbiguous(call ssa.CallInstruction) bool {
	target := func(t types.Type) bool {
		return types.IsInterface(t) || pointsTo(t, Runtime, "AmbiguousError")
	}
	common := call.Common()
	if len(common.Args) == 2 {
		made, ok := common.Args[1].(*ssa.MakeInterface)
		if !ok {
			return true
		}
		pointer, ok := made.X.Type().Underlying().(*types.Pointer)
		return ok && target(pointer.Elem())
	}
	fn := common.StaticCallee()
	return fn == nil || len(fn.TypeArgs()) != 1 || target(fn.TypeArgs()[0])
}

// format is what package fmt does.
func (w *follower) format(h held, call ssa.CallInstruction, name string) {
	switch {
	case name == "Errorf" && !h.text && wraps(call, h.arg):
		w.result(held{value: call.Value()})
	case name == "Errorf":
		w.fate.flattened = true
		if value, ok := call.(*ssa.Call); ok && !h.text {
			w.fate.plain = append(w.fate.plain, plainError{value, h.arg})
		}
	case strings.HasPrefix(name, "Sprint"), strings.HasPrefix(name, "Append"):
		w.result(held{value: call.Value(), text: true})
	case name == "Fprint", name == "Fprintf", name == "Fprintln":
		if isStandardStream(call.Common().Args[0]) {
			w.log(call)
		} else {
			w.fate.flattened = true
		}
	default:
		w.log(call)
	}
}

// isStandardStream tells os.Stdout and os.Stderr.
func isStandardStream(v ssa.Value) bool {
	if made, ok := v.(*ssa.MakeInterface); ok {
		v = made.X
	}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Pkg != nil && global.Pkg.Pkg.Path() == "os"
}

// log marks what is written down; if the process ends right after it, its
// operator is told.
func (w *follower) log(call ssa.CallInstruction) {
	w.fate.logged = true
	if last := call.Block().Instrs[len(call.Block().Instrs)-1]; len(call.Block().Succs) == 0 {
		if _, ends := last.(*ssa.Panic); ends {
			w.fate.kept = true
		}
	}
}

// isEnding reports whether a call is chained to one that ends the process:
// log.Fatal().Err(err), say.
func isEnding(call ssa.CallInstruction) bool {
	if common := call.Common(); !common.IsInvoke() && len(common.Args) > 0 {
		if receiver, ok := common.Args[0].(*ssa.Call); ok {
			path, name := place(callee(&receiver.Call))
			return within(path, loggers) && beginsWith(name, ends)
		}
	}
	return false
}

// wraps reports whether fmt.Errorf wraps its argument at the given place. A
// format that is not known, or that counts by itself, is believed to.
func wraps(call ssa.CallInstruction, arg int) bool {
	format, ok := call.Common().Args[0].(*ssa.Const)
	if !ok || format.Value == nil || format.Value.Kind() != constant.String {
		return true
	}
	verbs, ok := verbsOf(constant.StringVal(format.Value))
	return !ok || arg >= len(verbs) || verbs[arg].letter == 'w'
}

// verb is one verb of a format.
type verb struct {
	letter byte
	end    int // in the format, of the letter
}

// verbsOf lists the verbs of a format in the order of their arguments; false
// where a format counts its arguments by itself.
func verbsOf(format string) (verbs []verb, ok bool) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
		}
		switch {
		case i == len(format) || format[i] == '[' || format[i] == '*':
			return nil, false
		case format[i] != '%':
			verbs = append(verbs, verb{format[i], i})
		}
	}
	return verbs, true
}
