// Package status has the signatures that callers use.
package status

import "google.golang.org/grpc/codes"

func Errorf(c codes.Code, format string, a ...any) error { return nil }
