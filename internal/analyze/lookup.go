package analyze

import (
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// contracts finds the contract of a function that one package calls.
type contracts struct {
	pass *analysis.Pass
	// methods are the generated ones, by name.
	methods map[string][]*types.Func
	found   map[*types.Func]*Contract
	any     bool // some function has a contract
}

func knownTo(pass *analysis.Pass) *contracts {
	c := &contracts{pass: pass, methods: map[string][]*types.Func{}, found: map[*types.Func]*Contract{}}
	for _, fact := range pass.AllObjectFacts() {
		contract, ok := fact.Fact.(*Contract)
		c.any = c.any || ok
		if f, isFunc := fact.Object.(*types.Func); ok && isFunc && contract.Direct {
			c.methods[f.Name()] = append(c.methods[f.Name()], f)
		}
	}
	return c
}

// of is the contract of a function; nil if it has none.
func (c *contracts) of(f *types.Func) *Contract {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	contract, ok := c.found[f]
	if !ok {
		contract = c.look(f)
		c.found[f] = contract
	}
	return contract
}

func (c *contracts) look(f *types.Func) *Contract {
	contract := new(Contract)
	if c.pass.ImportObjectFact(f, contract) {
		return contract
	}
	if recv := f.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) || !takesOptions(f.Signature()) {
		return nil
	}
	for _, method := range c.methods[f.Name()] {
		if sameSignature(method.Signature(), f.Signature()) && c.pass.ImportObjectFact(method, contract) {
			return contract // of an interface that a caller declares for the client
		}
	}
	return nil
}

// takesOptions tells the methods that a generated client may have.
func takesOptions(s *types.Signature) bool {
	last := s.Params().Len() - 1
	return s.Variadic() && isOptions(s.Params().At(last).Type())
}

func sameSignature(a, b *types.Signature) bool {
	return a.Variadic() == b.Variadic() && types.Identical(a.Params(), b.Params()) && types.Identical(a.Results(), b.Results())
}
