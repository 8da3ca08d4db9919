// Package wire is how generated code writes parameters and reads bodies.
//
// Parameters are encoded as in RFC 6570: every byte that is not unreserved is
// percent-encoded, so a value can never turn into a delimiter. [CheckRequired]
// finds the required properties that a response lacks, which encoding/json
// leaves unnoticed. [Nullable] and [Date] are types of generated fields.
//
// The package imports the standard library only.
package wire
