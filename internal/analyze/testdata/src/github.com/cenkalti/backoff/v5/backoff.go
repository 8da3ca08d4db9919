// Package backoff has the signatures that callers use.
package backoff

import "context"

type Operation[T any] func() (T, error)

type RetryOption func()

func WithMaxTries(uint) RetryOption { return nil }

func Retry[T any](ctx context.Context, operation Operation[T], opts ...RetryOption) (T, error) {
	return operation()
}
