package analyze

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// url is the page that explains the checks.
const url = "https://github.com/retrygen/retrygen/blob/main/docs/retryvet.md#"

// check is an analyzer that looks at the calls of a package.
func check(name, doc string, run func(*reporter, *program)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		URL:      url + name,
		Requires: []*analysis.Analyzer{Contracts},
		Run: func(pass *analysis.Pass) (any, error) {
			p := pass.ResultOf[Contracts].(*program)
			if len(p.functions) > 0 {
				run(&reporter{pass, ignoredLines(pass), map[token.Pos]bool{}}, p)
			}
			return nil, nil
		},
	}
}

// reporter reports findings, once per place, but for those that a comment
// answers.
type reporter struct {
	*analysis.Pass
	ignored  map[line]bool
	reported map[token.Pos]bool
}

type line struct {
	file   *token.File
	number int
}

// ignore begins a comment that answers for its line or for the one below; it
// must say why.
const ignore = "//retryvet:ignore "

func ignoredLines(pass *analysis.Pass) map[line]bool {
	lines := map[line]bool{}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if why, ok := strings.CutPrefix(comment.Text, ignore); ok && strings.TrimSpace(why) != "" {
					f := pass.Fset.File(comment.Pos())
					lines[line{f, f.Line(comment.Pos())}] = true
					lines[line{f, f.Line(comment.Pos()) + 1}] = true
				}
			}
		}
	}
	return lines
}

func (r *reporter) report(d analysis.Diagnostic) {
	f := r.Fset.File(d.Pos)
	if r.reported[d.Pos] || r.ignored[line{f, f.Line(d.Pos)}] {
		return
	}
	r.reported[d.Pos] = true
	r.Report(d)
}

// callAt is the call expression whose opening parenthesis is at pos, which is
// how SSA remembers it; nil if there is none.
func (r *reporter) callAt(pos token.Pos) (found *ast.CallExpr) {
	for _, file := range r.Files {
		if pos < file.FileStart || pos >= file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || found != nil || n.Pos() > pos || n.End() <= pos {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && call.Lparen == pos {
				found = call
			}
			return found == nil
		})
	}
	return found
}

// at is a diagnostic of the call that SSA has at pos.
func (r *reporter) at(pos token.Pos, message string) analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: pos, Message: message}
	if call := r.callAt(pos); call != nil {
		d.Pos, d.End = call.Pos(), call.End()
	}
	return d
}
