// Package failsafe has the signatures that callers use.
package failsafe

type Policy[R any] interface{ ToExecutor(R) any }

type Executor[R any] interface {
	Run(fn func() error) error
	Get(fn func() (R, error)) (R, error)
}

func With[R any](policies ...Policy[R]) Executor[R] { return nil }
