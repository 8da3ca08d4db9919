package analyze

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"
)

// Contracts reads what calls promise, and where they are. It reports nothing:
// the checks require it.
var Contracts = &analysis.Analyzer{
	Name:       "retrycontract",
	Doc:        "read the retry contracts of generated clients, for the checks of retryvet",
	URL:        url + "how-it-works",
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	FactTypes:  []analysis.Fact{new(Contract), new(Repeater)},
	ResultType: reflect.TypeFor[*program](),
	Run: func(pass *analysis.Pass) (any, error) {
		exportGenerated(pass)
		return load(pass)
	},
}

// Repeater is the fact of a function that calls one of its parameters again when
// it fails.
type Repeater struct{ Params []int }

// AFact marks a fact.
func (*Repeater) AFact() {}

func (r *Repeater) String() string { return "repeats what it is given" }

// program is what the checks know of one package.
type program struct {
	// sites are the calls of generated methods, and of functions that hand their
	// errors on, outside of tests and generated code.
	sites []*site
	// functions are those of the package, literals included; none where the
	// package has nothing to do with generated clients.
	functions []*ssa.Function

	flows *flows
	// repeated are the functions that are handed to one which repeats them,
	// retried those that are handed to a retrying library.
	repeated, retried map[*ssa.Function]retried
	// bound are the contracts of generated methods that are used as values, and
	// handed those that something repeats.
	bound  map[*ssa.Function]*Contract
	handed []handed
}

// retried is what repeats a function: by is called with it.
type retried struct {
	by   *types.Func
	call ssa.CallInstruction
}

// handed is a generated method that is handed to what repeats it.
type handed struct {
	retried
	contract *Contract
}

// site is one call whose error may be that of a generated method's call.
type site struct {
	call     ssa.CallInstruction
	contract *Contract
	name     string // of what is called
}

// describe names what is called, and behind what.
func (s *site) describe() string {
	if s.contract.Direct {
		return s.contract.Method
	}
	return s.name + " (which calls " + s.contract.Method + ")"
}

func load(pass *analysis.Pass) (*program, error) {
	p := &program{repeated: map[*ssa.Function]retried{}, retried: map[*ssa.Function]retried{}, bound: map[*ssa.Function]*Contract{}}
	known := knownTo(pass)
	if !concerned(pass, known) {
		return p, nil
	}
	built, err := buildssa.Analyzer.Run(pass)
	if err != nil {
		return nil, err
	}
	excluded := excludedFiles(pass)
	for _, fn := range built.(*buildssa.SSA).SrcFuncs {
		if !excluded[pass.Fset.File(fn.Pos())] {
			p.functions = append(p.functions, fn)
		}
	}
	p.flows = newFlows(pass.Pkg)
	p.findBound(known)
	p.findSites(pass, known)
	p.findRepeaters(pass)
	return p, nil
}

// excludedFiles are tests, which may want the wrong thing, and generated code,
// which its generator answers for.
func excludedFiles(pass *analysis.Pass) map[*token.File]bool {
	excluded := map[*token.File]bool{}
	for _, file := range pass.Files {
		f := pass.Fset.File(file.FileStart)
		excluded[f] = ast.IsGenerated(file) || strings.HasSuffix(f.Name(), "_test.go")
	}
	return excluded
}

// concerned reports whether a package is worth building: its own code uses the
// runtime or a function with a contract, or may repeat what it is given.
func concerned(pass *analysis.Pass, known *contracts) bool {
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		for _, spec := range file.Imports {
			if name := pass.TypesInfo.PkgNameOf(spec); name != nil && name.Imported().Path() == Runtime {
				return true
			}
		}
	}
	if known.any {
		for _, used := range pass.TypesInfo.Uses {
			if f, ok := used.(*types.Func); ok && known.of(f.Origin()) != nil {
				return true
			}
		}
	}
	return mayRepeat(pass)
}

// findSites finds the calls, and follows those whose errors are handed on to the
// callers of the function that they stand in. A function bears the contract
// that matters most, so those go first.
func (p *program) findSites(pass *analysis.Pass, known *contracts) {
	callers := map[any][]ssa.CallInstruction{} // by *types.Func, or *ssa.Function of a literal
	direct := map[int][]*site{}                // by weight
	for _, fn := range p.functions {
		for _, call := range callsOf(fn) {
			key, name := identity(call.Common().StaticCallee())
			f := callee(call.Common())
			if contract := known.of(f); contract != nil {
				direct[contract.weight()] = append(direct[contract.weight()], &site{call, contract, f.Name()})
			} else if name != "" {
				callers[key] = append(callers[key], call)
			}
		}
	}
	borne := map[any]bool{}
	for weight := heaviest; weight >= 0; weight-- {
		for queue := direct[weight]; len(queue) > 0; queue = queue[1:] {
			s := queue[0]
			p.sites = append(p.sites, s)
			fate := p.flows.fate(errorsOf(s.call)...)
			if fate.asked {
				continue
			}
			contract := s.contract.handedOn()
			for _, fn := range fate.returned {
				key, name := identity(fn)
				if borne[key] || !returnsError(fn.Signature) {
					continue
				}
				borne[key] = true
				if f, ok := key.(*types.Func); ok {
					pass.ExportObjectFact(f, contract)
				}
				for _, call := range callers[key] {
					queue = append(queue, &site{call, contract, name})
				}
			}
		}
	}
	slices.SortStableFunc(p.sites, func(a, b *site) int { return int(a.call.Pos() - b.call.Pos()) })
}

// identity is what tells a function of the package from others, and its name.
func identity(fn *ssa.Function) (key any, name string) {
	if f := object(fn); f != nil {
		return f, f.Name()
	}
	if fn == nil {
		return nil, ""
	}
	return fn, "the function literal"
}

func callsOf(fn *ssa.Function) (calls []ssa.CallInstruction) {
	for _, block := range fn.Blocks {
		for _, instruction := range block.Instrs {
			if call, ok := instruction.(ssa.CallInstruction); ok {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// findBound finds generated methods that are used as values.
func (p *program) findBound(known *contracts) {
	for _, fn := range p.functions {
		for _, block := range fn.Blocks {
			for _, instruction := range block.Instrs {
				closure, ok := instruction.(*ssa.MakeClosure)
				if !ok {
					continue
				}
				f := object(closure.Fn.(*ssa.Function))
				if contract := known.of(f); contract != nil {
					p.bound[function(closure)] = contract
				}
			}
		}
	}
}
