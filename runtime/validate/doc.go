// Package validate checks requests against what the API's description permits,
// before the first attempt. Generated Validate methods call it.
//
// Messages never echo a value: it may be a secret, and errors end up in logs.
//
// The package imports the standard library only.
package validate
