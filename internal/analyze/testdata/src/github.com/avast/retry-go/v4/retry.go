// Package retry has the signatures that callers use.
package retry

type RetryableFunc func() error

type Option func()

func Attempts(uint) Option { return nil }

func Do(retryable RetryableFunc, opts ...Option) error { return retryable() }
