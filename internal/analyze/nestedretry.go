package analyze

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"regexp"

	"golang.org/x/tools/go/ssa"
)

// NestedRetry finds calls that something else repeats: a retrying library, or
// another call's attempts.
var NestedRetry = check("nestedretry", `find generated calls inside another's attempts

A function that is given to a retrying library, or that a call runs once per
attempt (the opener of a body, a credential, an observer, a breaker), repeats the
generated calls in it: attempts are multiplied, and what the contract forbids to
repeat is repeated.`, findNestedRetries)

// surrounding is what runs a function more than once.
type surrounding struct {
	how string
	// only limits it to clients of one package; empty: of any.
	only string
	// poll: the function says whether it is done, and its error ends it.
	poll bool
}

// nesting finds the functions of a package that something runs more than once.
type nesting struct {
	*reporter
	program *program
	within  map[*ssa.Function]surrounding
	methods map[*types.TypeName][]*ssa.Function
}

func findNestedRetries(r *reporter, p *program) {
	n := nesting{r, p, map[*ssa.Function]surrounding{}, map[*types.TypeName][]*ssa.Function{}}
	for _, fn := range p.functions {
		if recv := fn.Signature.Recv(); recv != nil && named(recv.Type()) != nil {
			name := named(recv.Type()).Obj()
			n.methods[name] = append(n.methods[name], fn)
		}
	}
	for fn, by := range p.retried {
		n.within[fn] = surrounding{how: byLibrary(by.by.Pkg().Path())}
	}
	for _, fn := range p.functions {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				n.look(instruction)
			}
		}
	}
	for _, s := range p.sites {
		if around, ok := n.around(s); ok && !replays(s) {
			r.report(r.at(s.call.Pos(), fmt.Sprintf("%s %s: %s", s.describe(), attempts(s.contract), around.how)))
		}
	}
	for _, h := range p.handed {
		if path, _ := place(h.by); within(path, retriers) {
			r.report(r.at(h.call.Pos(), fmt.Sprintf("%s %s: %s", h.contract.Method, attempts(h.contract), byLibrary(path))))
		}
	}
}

func byLibrary(where string) string {
	name := library(where)
	return name + " calls it again when it fails; call it without " + name + ", and hand its error on"
}

// around is what repeats a call, which may stand in a literal within a function
// that is run more than once.
func (n *nesting) around(s *site) (surrounding, bool) {
	for fn := s.call.Parent(); fn != nil; fn = fn.Parent() {
		around, ok := n.within[fn]
		if !ok || around.only != "" && around.only != s.contract.Package {
			continue
		}
		if around.poll && (fn != s.call.Parent() || s.contract.reads() || !pollsUntilSuccess(s)) {
			continue
		}
		return around, true
	}
	return surrounding{}, false
}

func (n *nesting) look(instruction ssa.Instruction) {
	switch instruction := instruction.(type) {
	case ssa.CallInstruction:
		n.call(instruction)
	case *ssa.ChangeType:
		if isRuntime(instruction.Type(), "Opener") {
			n.add(instruction.X, surrounding{how: "the opener of a body runs once per attempt; make the call before, and let the opener open what it yields"})
		}
	case *ssa.MakeInterface:
		for _, name := range []string{"Credential", "Refresher", "Breaker", "Budget"} {
			if isRuntime(instruction.Type(), name) {
				n.addMethods(instruction, surrounding{how: "a " + name + " is asked within every call; make the call elsewhere, and keep what it yields" + hint(name)})
			}
		}
	case *ssa.Store:
		n.store(instruction)
	}
}

func hint(name string) string {
	if name == "Credential" {
		return " (runtime.NewRenewable keeps a token until it expires)"
	}
	return ""
}

// store looks at the fields of UpstreamConfig.
func (n *nesting) store(store *ssa.Store) {
	address, ok := store.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	structure := address.X.Type().Underlying().(*types.Pointer).Elem()
	if !isRuntime(structure, "UpstreamConfig") {
		return
	}
	switch structure.Underlying().(*types.Struct).Field(address.Field).Name() {
	case "Observer":
		n.add(store.Val, surrounding{how: "the observer runs within every call; hand the event to a goroutine of your own"})
	case "RoundTripper":
		made, ok := store.Val.(*ssa.MakeInterface)
		if !ok {
			return
		}
		n.addMethods(made, surrounding{how: "a RoundTripper runs once per attempt; make the call elsewhere"})
		if t := named(made.X.Type()); t != nil && t.Obj().Pkg() != nil && within(t.Obj().Pkg().Path(), retriers) {
			n.report(n.at(firstPos(store.Pos(), address.Pos(), made.Pos()), fmt.Sprintf(
				"%s repeats requests by itself, and the client refuses it: set Transport, and leave repetition to the contract", t)))
		}
	}
}

func firstPos(positions ...token.Pos) token.Pos {
	for _, pos := range positions {
		if pos.IsValid() {
			return pos
		}
	}
	return token.NoPos
}

// add notes a function that is run more than once.
func (n *nesting) add(v ssa.Value, around surrounding) {
	if fn := function(v); fn != nil {
		n.within[fn] = around
	}
}

// addMethods notes the methods by which a type of this package is an interface.
func (n *nesting) addMethods(made *ssa.MakeInterface, around surrounding) {
	t := named(made.X.Type())
	if t == nil {
		return
	}
	asked := map[string]bool{}
	for method := range made.Type().Underlying().(*types.Interface).Methods() {
		asked[method.Name()] = true
	}
	for _, fn := range n.methods[t.Obj()] {
		if asked[fn.Name()] {
			n.within[fn] = around
		}
	}
}

// call looks at functions that are handed to a poller, or to a credential.
func (n *nesting) call(call ssa.CallInstruction) {
	where, name := place(callee(call.Common()))
	switch {
	case within(where, pollers):
		for _, arg := range call.Common().Args {
			n.add(arg, surrounding{how: "wait." + name + " calls it until it succeeds; call it once, and hand its error on", poll: true})
		}
	case where == Runtime && name == "NewRenewable":
		if client := configOf(call); client != "" {
			n.add(call.Common().Args[0], surrounding{only: client,
				how: "the client asks its own credential for a token before it can fetch one; fetch it with a client that needs none"})
		}
	}
}

// major is the end of an import path that names a major version.
var major = regexp.MustCompile(`/v[0-9]+$|\.v[0-9]+$`)

func library(where string) string { return path.Base(major.ReplaceAllString(where, "")) }

// configOf is the package of the client whose Config a credential is put into;
// empty where that cannot be seen.
func configOf(call ssa.CallInstruction) string {
	for _, v := range result(call, 0) {
		for _, use := range referrers(v) {
			made, ok := use.(*ssa.MakeInterface)
			if !ok {
				continue
			}
			for _, use := range referrers(made) {
				store, ok := use.(*ssa.Store)
				if !ok {
					continue
				}
				if address, ok := store.Addr.(*ssa.FieldAddr); ok {
					if t := named(address.X.Type()); t != nil && t.Obj().Name() == "Config" && t.Obj().Pkg() != nil {
						return t.Obj().Pkg().Path()
					}
				}
			}
		}
	}
	return ""
}

// pollsUntilSuccess tells a condition that is done as soon as the call succeeds,
// and swallows its error, from one that waits for what the call answers.
func pollsUntilSuccess(s *site) bool {
	anywhere := func(*ssa.BasicBlock) bool { return true }
	swallowed, done := false, true
	walk(s.call, true, anywhere, func(end *ssa.Return, known truth) {
		if len(end.Results) == 2 {
			isNil, ok := known.of(end.Results[1])
			swallowed = swallowed || ok && isNil
		}
	})
	walk(s.call, false, anywhere, func(end *ssa.Return, known truth) {
		value, ok := known.of(end.Results[0])
		done = done && ok && value
	})
	return swallowed && done
}
