//go:build !race

package race

// Enabled reports whether it does.
const Enabled = false
