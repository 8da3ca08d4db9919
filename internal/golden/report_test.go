package golden

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/runtime"
)

// TestReportsHaveTheContractThatIsPrinted: what reports ask the engine with is
// what a generated client asks it with.
func TestReportsHaveTheContractThatIsPrinted(t *testing.T) {
	cases, err := os.ReadDir(folder)
	require.NoError(t, err)
	compared := 0
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			t.Chdir(filepath.Join(folder, c.Name()))
			api, _, err := load(t, c.Name())
			if err != nil || strings.HasPrefix(c.Name(), "bad-") {
				return
			}
			printed := printedContracts(t)
			for _, op := range api.Operations {
				require.Equal(t, printed[op.Var], *report.Operation(op), op.Name.Wire)
				compared++
			}
			require.Equal(t, printed["upstream"], report.Upstream(&api.Upstream))
		})
	}
	require.Greater(t, compared, 100)
}

// printedContracts are the literals of the working folder's generated files, by
// their variables.
func printedContracts(t *testing.T) map[string]any {
	files, err := filepath.Glob("*.gen.go")
	require.NoError(t, err)
	found := map[string]any{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			variables, ok := declared.(*ast.GenDecl)
			if !ok || variables.Tok != token.VAR {
				continue
			}
			for _, one := range variables.Specs {
				variable := one.(*ast.ValueSpec)
				literal, ok := variable.Values[0].(*ast.CompositeLit)
				if !ok {
					continue
				}
				switch typeName(literal.Type) {
				case "Operation":
					var op runtime.Operation
					fill(t, literal, &op)
					found[variable.Names[0].Name] = op
				case "UpstreamContract":
					var upstream runtime.UpstreamContract
					fill(t, literal, &upstream)
					found[variable.Names[0].Name] = upstream
				}
			}
		}
	}
	return found
}

func typeName(e ast.Expr) string {
	if selector, ok := e.(*ast.SelectorExpr); ok {
		return selector.Sel.Name
	}
	return ""
}

// names reports whether a literal has a field.
func names(literal *ast.CompositeLit, field string) bool {
	return slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool { return e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name == field })
}

// fill sets the fields of a struct as its literal does.
func fill(t *testing.T, literal *ast.CompositeLit, into any) {
	target := reflect.ValueOf(into).Elem()
	fields := target.NumField()
	if _, ok := into.(*runtime.Operation); ok && !names(literal, "ReconcileTimeout") {
		fields-- // of the operations that ask
	}
	require.Len(t, literal.Elts, fields)
	for _, element := range literal.Elts {
		pair := element.(*ast.KeyValueExpr)
		field := target.FieldByName(pair.Key.(*ast.Ident).Name)
		if list, ok := pair.Value.(*ast.CompositeLit); ok {
			numbers := []int{}
			for _, item := range list.Elts {
				n, exact := constant.Int64Val(evaluated(t, item))
				require.True(t, exact)
				numbers = append(numbers, int(n))
			}
			field.Set(reflect.ValueOf(numbers))
			continue
		}
		value := evaluated(t, pair.Value)
		switch field.Kind() {
		case reflect.String:
			field.SetString(constant.StringVal(value))
		case reflect.Bool:
			field.SetBool(constant.BoolVal(value))
		case reflect.Float64:
			f, _ := constant.Float64Val(value)
			field.SetFloat(f)
		case reflect.Uint8:
			n, exact := constant.Uint64Val(value)
			require.True(t, exact)
			field.SetUint(n)
		default:
			n, exact := constant.Int64Val(value)
			require.True(t, exact)
			field.SetInt(n)
		}
	}
}

// namedConstants are those that a contract names.
var namedConstants = named(
	runtime.Undeclared, runtime.NotIdempotent, runtime.Idempotent, runtime.IdempotentByKey,
	runtime.NoBody, runtime.Replayable, runtime.Reopenable, runtime.OneShot,
	runtime.FullJitter, runtime.DecorrelatedJitter, runtime.IgnoreMalformed, runtime.DenyMalformed,
)

func named(values ...any) map[string]constant.Value {
	byName := map[string]constant.Value{
		"true": constant.MakeBool(true), "false": constant.MakeBool(false),
		"NoDeadline": constant.MakeInt64(0), "NoTimeout": constant.MakeInt64(0), "NoRetention": constant.MakeInt64(0), "NoLimit": constant.MakeInt64(0),
		"DepositRequest": constant.MakeInt64(int64(runtime.DepositRequest)), "DepositSuccess": constant.MakeInt64(int64(runtime.DepositSuccess)),
	}
	for _, value := range values {
		byName[fmt.Sprint(value)] = constant.MakeUint64(reflect.ValueOf(value).Uint())
	}
	for name, unit := range map[string]time.Duration{
		"Hour": time.Hour, "Minute": time.Minute, "Second": time.Second,
		"Millisecond": time.Millisecond, "Microsecond": time.Microsecond, "Nanosecond": time.Nanosecond,
	} {
		byName[name] = constant.MakeInt64(int64(unit))
	}
	return byName
}

func evaluated(t *testing.T, e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		require.Contains(t, namedConstants, e.Name)
		return namedConstants[e.Name]
	case *ast.SelectorExpr:
		require.Contains(t, namedConstants, e.Sel.Name)
		return namedConstants[e.Sel.Name]
	case *ast.BinaryExpr:
		return constant.BinaryOp(evaluated(t, e.X), e.Op, evaluated(t, e.Y))
	}
	t.Fatalf("%T in a contract", e)
	return nil
}
