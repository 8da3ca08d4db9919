// Package analyze finds misuse of generated clients by their callers. It needs
// no OpenAPI document: what a call promises is read from the contract that
// stands above each generated method, and travels from package to package as a
// fact (contracts.go). Each check is a file of its own; flow.go tells where an
// error goes, loop.go whether a call comes again, and known.go lists the
// packages of others that retry, log or draw at random.
package analyze
