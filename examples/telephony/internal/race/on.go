//go:build race

// Package race tells tests whether the race detector watches, which makes all of
// them slower and some of them pointless.
package race

// Enabled reports whether it does.
const Enabled = true
