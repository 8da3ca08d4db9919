package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// module is a module of a user's: a client, a package that hands its errors on,
// and a command that drops them.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	retrygen, err := filepath.Abs(root)
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26\n\n"+
		"require github.com/retrygen/retrygen v0.0.0\n\nreplace github.com/retrygen/retrygen => "+retrygen+"\n")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "payments"), os.DirFS(filepath.Join(root, "testdata/golden/payments"))))
	write(t, filepath.Join(dir, "billing/billing.go"), `package billing

import (
	"context"
	"fmt"

	"example.com/shop/payments"
)

// Charge hands the error on.
func Charge(ctx context.Context, c *payments.Client, order string) error {
	if _, err := c.CreatePayment(ctx, payments.NewPayment{OrderID: order}); err != nil {
		return fmt.Errorf("charge: %w", err)
	}
	return nil
}

func flat(ctx context.Context, c *payments.Client) error {
	if _, err := c.CreatePayment(ctx, payments.NewPayment{}); err != nil {
		return fmt.Errorf("flat: %v", err)
	}
	return nil
}
`)
	write(t, filepath.Join(dir, "main.go"), `package main

import (
	"context"

	"example.com/shop/billing"
	"example.com/shop/payments"
)

func main() {
	client, err := payments.New(payments.Config{})
	if err != nil {
		panic(err)
	}
	for range 3 {
		if billing.Charge(context.Background(), client, "1042") == nil {
			break
		}
	}
}
`)
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// run runs a command in a folder and returns what it says, and its exit code.
func run(t *testing.T, dir, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// TestTool runs the checks as users do. Contracts reach main.go through two
// packages, and what can be mended is.
func TestTool(t *testing.T) {
	dir := module(t)
	tool := filepath.Join(dir, "retryvet")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)

	const (
		repeated = "main.go:16:6: Charge (which calls Client.CreatePayment) makes up to 3 attempts by itself: a loop calls it again when it fails"
		dropped  = "main.go:16:6: Charge (which calls Client.CreatePayment) may end ambiguous, and its error is not looked at"
		flat     = "billing.go:19:15: Client.CreatePayment may end ambiguous, and its error is turned into one that does not tell"
	)
	said, code := run(t, dir, "go", "vet", "-vettool="+tool, "./...")
	require.NotZero(t, code)
	for _, finding := range []string{repeated, dropped, flat} {
		require.Contains(t, said, finding)
	}

	said, code = run(t, dir, tool, "-ambiguous=false", "./...")
	require.NotZero(t, code)
	require.Contains(t, said, repeated)
	require.NotContains(t, said, "may end ambiguous")

	said, code = run(t, dir, tool, "-fix", "./billing")
	require.Zero(t, code, said)
	fixed, err := os.ReadFile(filepath.Join(dir, "billing/billing.go"))
	require.NoError(t, err)
	require.Contains(t, string(fixed), `fmt.Errorf("flat: %w", err)`)
}
