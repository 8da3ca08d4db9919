package analyze

import (
	"go/ast"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Ambiguous finds calls that may end ambiguous while nobody can find out.
var Ambiguous = check("ambiguous", `find calls whose ambiguous outcome nobody looks at

A call that may end ambiguous returns a *runtime.AmbiguousError when nobody can
know whether the upstream has acted on it. If its error is dropped, only logged,
or turned into a plain failure, a payment that was made counts as one that was
not.`, findAmbiguous)

func findAmbiguous(r *reporter, p *program) {
	for _, s := range p.sites {
		if !s.contract.mayEndAmbiguous() || reports(s) {
			continue
		}
		fate := p.flows.fate(errorsOf(s.call)...)
		if fate.seen() {
			continue
		}
		d := r.at(s.call.Pos(), s.describe()+" may end ambiguous, and its error "+lost(&fate)+
			": hand the error on (return it, wrap it with %w) or look for a *runtime.AmbiguousError in it")
		for _, plain := range fate.plain {
			d.SuggestedFixes = append(d.SuggestedFixes, r.wrap(plain)...)
		}
		r.report(d)
	}
}

func lost(f *fate) string {
	switch {
	case f.flattened:
		return "is turned into one that does not tell"
	case f.logged:
		return "is only logged"
	}
	return "is not looked at"
}

// reports tells a call with the option runtime.Report: the outcome says all that
// the error says.
func reports(s *site) bool {
	for _, option := range optionsOf(s) {
		if runtimeCall(option, "Report") != nil {
			return true
		}
	}
	return false
}

// optionsOf are the options of a call, as far as they stand there.
func optionsOf(s *site) []ssa.Value {
	args := s.call.Common().Args
	if len(args) == 0 || !isOptions(args[len(args)-1].Type()) {
		return nil
	}
	return elements(args[len(args)-1])
}

// wrap makes fmt.Errorf wrap the error, where the format is a plain literal.
func (r *reporter) wrap(plain plainError) []analysis.SuggestedFix {
	call := r.callAt(plain.call.Pos())
	if call == nil || len(call.Args) == 0 {
		return nil
	}
	literal, ok := ast.Unparen(call.Args[0]).(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return nil
	}
	format, err := strconv.Unquote(literal.Value)
	verbs, counted := verbsOf(format)
	if err != nil || !counted || plain.arg >= len(verbs) || len(format)+2 != len(literal.Value) {
		return nil // with escapes, the place in the source is another
	}
	letter := literal.Pos() + token.Pos(1+verbs[plain.arg].end)
	return []analysis.SuggestedFix{{
		Message:   "Wrap the error with %w",
		TextEdits: []analysis.TextEdit{{Pos: letter, End: letter + 1, NewText: []byte("w")}},
	}}
}
