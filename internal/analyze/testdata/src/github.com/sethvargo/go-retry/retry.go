// Package retry has the signatures that callers use.
package retry

import "context"

type RetryFunc func(ctx context.Context) error

type Backoff interface{ Next() }

func Do(ctx context.Context, b Backoff, f RetryFunc) error { return f(ctx) }
