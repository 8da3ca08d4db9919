// Package retrygen is the root of a module with two halves. The command
// cmd/retrygen reads an OpenAPI document and writes Go clients that know which
// calls may be repeated; the package runtime is what those clients link against.
package retrygen
