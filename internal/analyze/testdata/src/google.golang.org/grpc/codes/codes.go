// Package codes has what callers use.
package codes

type Code uint32

const Internal Code = 13
